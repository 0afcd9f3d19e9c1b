"""Every named source. To add one: a file here with a reader and a `Source`, and its name in the tuple below."""

from covey.datasets.sources import foursquare, gowalla, lastfm, movielens, ncf
from covey.datasets.sources.source import Source

SOURCES: dict[str, Source] = {
    source.name: source
    for source in (*movielens.SOURCES, ncf.SOURCE, lastfm.SOURCE, *foursquare.SOURCES, gowalla.SOURCE)
}
