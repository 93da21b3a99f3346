"""A page in headless Chromium, driven by the DevTools protocol over two pipes: real keys, real pixels, no dependency.

Messages are JSON that ends in a zero byte, to the browser on its file 3, from it on its file 4
(`--remote-debugging-pipe`).
"""

from __future__ import annotations

import base64
import fcntl
import json
import os
import shutil
import signal
import tempfile
import time
from collections.abc import Iterator
from contextlib import contextmanager
from io import RawIOBase
from pathlib import Path
from typing import Any

FLAGS = (
    "--headless=new",
    "--no-sandbox",
    "--disable-gpu",
    "--disable-dev-shm-usage",
    "--disable-extensions",
    "--no-first-run",
    "--hide-scrollbars",
    "--remote-debugging-pipe",
)
COMPLAINTS = {"Runtime.exceptionThrown", "Log.entryAdded"}
LOADED = """document.readyState === 'complete' && (document.documentElement.dataset.state === 'ready'
  || !document.querySelector('script[type="application/json"]'))"""
WAIT_S = 60.0
PATIENCE_S = 10.0


def program() -> str | None:
    """Where Chromium is, if it is installed."""
    return shutil.which("chromium") or shutil.which("chromium-browser")


@contextmanager
def browser() -> Iterator[Browser]:
    """A browser for the length of a block."""
    found = program()
    assert found is not None, "chromium is not installed"
    to_browser, ours_out = os.pipe()
    ours_in, from_browser = os.pipe()
    with tempfile.TemporaryDirectory(ignore_cleanup_errors=True) as profile:
        process = _started([found, *FLAGS, f"--user-data-dir={profile}", "about:blank"], to_browser, from_browser)
        with os.fdopen(ours_in, "rb", buffering=0) as incoming, os.fdopen(ours_out, "wb", buffering=0) as outgoing:
            try:
                yield (opened := Browser(incoming, outgoing))
                opened.leave()
            finally:
                _end(process)


def _started(command: list[str], incoming: int, outgoing: int) -> int:
    """The process of a browser that reads its file 3 and writes its file 4. Closes our ends of these pipes."""
    # Out of the way first: one of them may be 3 or 4 already.
    away = [fcntl.fcntl(end, fcntl.F_DUPFD_CLOEXEC, 10) for end in (incoming, outgoing)]
    silent = [(os.POSIX_SPAWN_OPEN, number, os.devnull, os.O_RDWR, 0) for number in (0, 1, 2)]
    moved = [(os.POSIX_SPAWN_DUP2, end, number) for end, number in zip(away, (3, 4), strict=True)]
    try:
        return os.posix_spawn(command[0], command, os.environ, file_actions=[*silent, *moved])
    finally:
        for end in (incoming, outgoing, *away):
            os.close(end)


def _end(process: int) -> None:
    """Waits for a browser that was asked to leave, and ends one that does not."""
    end = time.monotonic() + PATIENCE_S
    while os.waitpid(process, os.WNOHANG) == (0, 0):
        if time.monotonic() > end:
            os.kill(process, signal.SIGKILL)
        time.sleep(0.02)


class Browser:
    """One tab. What the page complains of is kept in `complaints`, what it fetched in `fetched`."""

    def __init__(self, incoming: RawIOBase, outgoing: RawIOBase) -> None:
        self._in, self._out = incoming, outgoing
        self._number, self._rest, self._session = 0, b"", ""
        self.complaints: list[str] = []
        self.fetched: list[str] = []
        target = self.call("Target.createTarget", url="about:blank")["targetId"]
        self._session = self.call("Target.attachToTarget", targetId=target, flatten=True)["sessionId"]
        for domain in ("Page", "Runtime", "Log", "Network"):
            self.call(f"{domain}.enable")

    def call(self, method: str, **parameters: Any) -> dict[str, Any]:
        """Asks and waits for the answer; what happens meanwhile is noted."""
        self._number += 1
        message: dict[str, Any] = {"id": self._number, "method": method, "params": parameters}
        if self._session:
            message["sessionId"] = self._session
        self._out.write(json.dumps(message).encode() + b"\0")
        while True:
            answer = self._next()
            if answer.get("id") == self._number:
                assert "error" not in answer, f"{method}: {answer['error']}"
                return dict(answer["result"])

    def _next(self) -> dict[str, Any]:
        while b"\0" not in self._rest:
            more = self._in.read(1 << 20)
            assert more, "the browser is gone"
            self._rest += more
        text, self._rest = self._rest.split(b"\0", 1)
        message: dict[str, Any] = json.loads(text)
        self._note(message)
        return message

    def _note(self, message: dict[str, Any]) -> None:
        method, parameters = message.get("method", ""), message.get("params", {})
        warned = method == "Runtime.consoleAPICalled" and parameters["type"] in {"error", "warning", "assert"}
        if method in COMPLAINTS or warned:
            self.complaints.append(json.dumps(parameters))
        if method == "Network.requestWillBeSent":
            self.fetched.append(parameters["request"]["url"])

    def size(self, width: int, height: int, pixel: float = 1.0, touch: bool = False) -> None:
        """Sets the window's size, CSS pixels, and device pixels a CSS pixel."""
        self.call(
            "Emulation.setDeviceMetricsOverride", width=width, height=height, deviceScaleFactor=pixel, mobile=touch
        )
        self.call("Emulation.setTouchEmulationEnabled", enabled=touch)

    def dark(self, on: bool) -> None:
        """Asks for dark or light colours."""
        scheme = {"name": "prefers-color-scheme", "value": "dark" if on else "light"}
        self.call("Emulation.setEmulatedMedia", features=[scheme])

    def look(self, width: int, height: int, pixel: float, dark: bool) -> None:
        """Sets window and colours of what is opened next; a narrow window is a phone's, with a finger for a mouse."""
        self.size(width, height, pixel, touch=width < 500)
        self.dark(dark)

    def open(self, page: Path) -> None:
        """Opens a page of ours, with no network, and waits until it has drawn itself."""
        self.call("Network.emulateNetworkConditions", offline=True, latency=0, downloadThroughput=0, uploadThroughput=0)
        self.call("Page.navigate", url=page.resolve().as_uri())
        self.wait_for("document.documentElement?.dataset.state === 'ready'")

    def visit(self, page: Path, query: str = "") -> None:
        """Opens any page with no network, and waits until it is loaded and what its script draws is there."""
        self.complaints.clear()
        self.fetched.clear()
        self.call("Network.emulateNetworkConditions", offline=True, latency=0, downloadThroughput=0, uploadThroughput=0)
        self.call("Page.navigate", url=page.resolve().as_uri() + query)
        self.wait_for(LOADED)
        self.frame()

    def wait_for(self, condition: str) -> None:
        """Waits until a JavaScript expression is true."""
        end = time.monotonic() + WAIT_S
        while not self.value(condition):
            assert time.monotonic() < end, f"{condition} did not come true; {self.complaints}"
            time.sleep(0.02)

    def value(self, expression: str) -> Any:
        """The value of a JavaScript expression, awaited if need be."""
        answer = self.call("Runtime.evaluate", expression=expression, returnByValue=True, awaitPromise=True)
        assert "exceptionDetails" not in answer, answer["exceptionDetails"]
        return answer["result"].get("value")

    def key(self, key: str, text: str = "", shift: bool = False) -> None:
        """Presses and lets go a key, as from a keyboard, and waits for the next frame."""
        held = {"key": key, "modifiers": 8 if shift else 0, "text": text or (key if len(key) == 1 else "")}
        self.call("Input.dispatchKeyEvent", type="keyDown", **held)
        self.call("Input.dispatchKeyEvent", type="keyUp", **held)
        self.frame()

    def mouse(self, kind: str, x: float, y: float, **more: Any) -> None:
        """A mouse event at a point, CSS pixels."""
        self.call("Input.dispatchMouseEvent", type=kind, x=x, y=y, **more)

    def frame(self) -> None:
        """Waits until what was asked for is drawn."""
        self.value("new Promise((done) => requestAnimationFrame(() => requestAnimationFrame(done)))")

    def screenshot(self, path: Path, whole: bool = False) -> Path:
        """Writes what is to be seen, or the whole page, as PNG."""
        data = self.call("Page.captureScreenshot", format="png", captureBeyondViewport=whole)["data"]
        path.write_bytes(base64.b64decode(data))
        return path

    def pdf(self, path: Path) -> Path:
        """Prints the page on A4."""
        data = self.call("Page.printToPDF", paperWidth=8.27, paperHeight=11.69, printBackground=True)["data"]
        path.write_bytes(base64.b64decode(data))
        return path

    def leave(self) -> None:
        """Asks the browser to go."""
        self._session = ""
        self.call("Browser.close")
