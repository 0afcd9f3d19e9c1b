"""From a sum to the mean change of the model, three ways (fedncf.txt, sections 2.3.1, 3.3 and 4.3).

per-item   MF-FedAvg: an item's change is divided by the people who sent that item; the network by instances
weighted   FedAvg: everything is weighed by instances; a person who left an item alone counts as no change
simple     SimpleAvg: everything is divided by the number of people
"""

import numpy as np
import numpy.typing as npt

from covey.aggregation.sums import UpdateSum
from covey.messages.fixed import from_fixed
from covey.messages.ncf import NCF_UPDATES

Mean = tuple[npt.NDArray[np.float64], npt.NDArray[np.float64]]  # [items, width], [weights]


def mean_change(total: UpdateSum, aggregation: str) -> Mean:
    """Mean change of the item rows and of the network; zero where nobody sent anything."""
    schema = NCF_UPDATES[aggregation]
    items = from_fixed(total.items, schema.field("item_deltas"))
    network = from_fixed(total.shared, schema.field("network_deltas"))
    instances, people = max(total.instances, 1), max(total.people, 1)
    if aggregation == "per-item":
        return items / np.maximum(total.senders, 1)[:, None], network / instances
    if aggregation == "weighted":
        return items / instances, network / instances
    return items / people, network / people
