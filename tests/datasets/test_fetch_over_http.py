"""The one function that touches the network, against a server made of a function."""

import socket
from collections.abc import Callable
from pathlib import Path

import httpx
import pytest

from covey.datasets.download import fetch_over_http

Handler = Callable[[httpx.Request], httpx.Response]


@pytest.fixture
def serve(monkeypatch: pytest.MonkeyPatch) -> Callable[[Handler], None]:
    """Answers every request of httpx by a function."""

    def refuse(*_: object, **__: object) -> None:
        raise AssertionError("a test reached for the network")

    monkeypatch.setattr(socket, "create_connection", refuse)

    def install(handler: Handler) -> None:
        def stream(method: str, url: str, **options: object):
            follow = bool(options.pop("follow_redirects"))
            client = httpx.Client(transport=httpx.MockTransport(handler), follow_redirects=follow)
            return client.stream(method, url, **options)  # type: ignore[arg-type]  # passed on as they came

        monkeypatch.setattr(httpx, "stream", stream)

    return install


def test_what_is_at_the_address_is_written_to_the_path(
    serve: Callable[[Handler], None], tmp_path: Path
) -> None:
    serve(lambda request: httpx.Response(200, content=b"a film"))
    fetch_over_http("https://example.org/films.zip", tmp_path / "films.zip")
    assert (tmp_path / "films.zip").read_bytes() == b"a film"


def test_a_moved_file_is_followed(serve: Callable[[Handler], None], tmp_path: Path) -> None:
    def handler(request: httpx.Request) -> httpx.Response:
        if request.url.path == "/old":
            return httpx.Response(301, headers={"location": "https://example.org/new"})
        return httpx.Response(200, content=b"moved")

    serve(handler)
    fetch_over_http("https://example.org/old", tmp_path / "file")
    assert (tmp_path / "file").read_bytes() == b"moved"


def test_a_missing_page_is_an_os_error(serve: Callable[[Handler], None], tmp_path: Path) -> None:
    serve(lambda request: httpx.Response(404))
    with pytest.raises(OSError, match="404"):
        fetch_over_http("https://example.org/gone.zip", tmp_path / "gone.zip")


def test_no_network_is_an_os_error(serve: Callable[[Handler], None], tmp_path: Path) -> None:
    def handler(request: httpx.Request) -> httpx.Response:
        raise httpx.ConnectError("no route to host")

    serve(handler)
    with pytest.raises(OSError, match="no route to host"):
        fetch_over_http("https://example.org/films.zip", tmp_path / "films.zip")


def test_fewer_bytes_than_announced_are_an_os_error(serve: Callable[[Handler], None], tmp_path: Path) -> None:
    serve(lambda request: httpx.Response(200, content=b"half", headers={"content-length": "8"}))
    with pytest.raises(OSError, match="expected 8 bytes, got 4"):
        fetch_over_http("https://example.org/films.zip", tmp_path / "films.zip")
