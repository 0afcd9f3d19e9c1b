"""The lists of datasets and of metrics, from the tables in the code that know them."""

from covey.datasets.named import listing
from covey.evaluation import metrics
from covey_docs.markers import table


def datasets(_: str) -> str:
    """Every dataset that has a name."""
    rows = [
        [f"`{each.name}`", f"{each.people:,}", f"{each.items:,}", f"{each.rows:,}", each.about, each.licence]
        for each in listing()
    ]
    return table(["name", "people", "items", "rows", "what it is", "licence"], rows)


def metric_names(_: str) -> str:
    """Every metric that is read off ranks, as its function defines it."""
    named = [(f"{name}@k", metric) for name, metric in metrics.AT_K.items()]
    named += list(metrics.WITHOUT_CUT.items())
    named += [(f"{name}@k", metric) for name, metric in metrics.OF_ALL_LISTS.items()]
    rows = [[f"`{name}`", _first_sentences(metric.__doc__ or "")] for name, metric in named]
    return table(["name", "what it is"], rows)


def _first_sentences(doc: str) -> str:
    """The first paragraph of a docstring, on one line."""
    return " ".join(doc.strip().split("\n\n")[0].split())
