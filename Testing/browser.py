"""Chromium without a window, driven through a pipe by its DevTools protocol; needs nothing but the standard library."""

from __future__ import annotations

import base64
import json
import os
import shutil
import subprocess
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

NAMES = ("chromium", "chromium-browser", "google-chrome")
FLAGS = (
    *("--headless", "--no-sandbox", "--disable-gpu", "--disable-quic", "--no-first-run", "--disable-dev-shm-usage"),
    *("--disable-background-networking", "--disable-component-update", "--disable-sync", "--hide-scrollbars"),
)
KEYS = {"Escape": 27, "Enter": 13, "ArrowUp": 38, "ArrowDown": 40, "Tab": 9}


def chromium() -> str | None:
    """The browser's program, None where there is none."""
    return next((path for name in NAMES if (path := shutil.which(name))), None)


class BrowserPage:
    """One page; `messages` are what it wrote to the console or did not catch, `requests` the addresses it asked for."""

    def __init__(self, process: subprocess.Popen[bytes], write: int, read: int) -> None:
        self._process, self._write, self._read = process, write, read
        self._rest, self._number, self._session = b"", 0, ""
        self.messages: list[str] = []
        self.requests: list[str] = []
        self._loaded = False
        target = self.call("Target.createTarget", url="about:blank")["targetId"]
        self._session = self.call("Target.attachToTarget", targetId=target, flatten=True)["sessionId"]
        for domain in ("Page", "Runtime", "Network", "Log"):
            self.call(f"{domain}.enable")

    def call(self, method: str, **parameters: Any) -> dict[str, Any]:
        """What the browser answers to a command of the protocol."""
        self._number += 1
        message: dict[str, Any] = {"id": self._number, "method": method, "params": parameters}
        if self._session:
            message["sessionId"] = self._session
        os.write(self._write, json.dumps(message).encode() + b"\0")
        while True:
            answer = self._next()
            if answer.get("id") == self._number:
                assert "error" not in answer, answer["error"]
                return dict(answer["result"])

    def _next(self) -> dict[str, Any]:
        while b"\0" not in self._rest:
            part = os.read(self._read, 1 << 20)
            assert part, "the browser has ended"
            self._rest += part
        text, self._rest = self._rest.split(b"\0", 1)
        message: dict[str, Any] = json.loads(text)
        self._note(message.get("method", ""), message.get("params", {}))
        return message

    def _note(self, method: str, news: dict[str, Any]) -> None:
        if method == "Page.loadEventFired":
            self._loaded = True
        elif method == "Network.requestWillBeSent":
            self.requests.append(news["request"]["url"])
        elif method == "Runtime.consoleAPICalled":
            self.messages.append(" ".join(str(item.get("value")) for item in news["args"]))
        elif method == "Runtime.exceptionThrown":
            details = news["exceptionDetails"]
            self.messages.append(details.get("exception", {}).get("description") or details["text"])
        elif method == "Log.entryAdded":
            self.messages.append(news["entry"]["text"])
        elif method == "Page.javascriptDialogOpening":
            self.messages.append(f"dialog: {news['message']}")
            self.call("Page.handleJavaScriptDialog", accept=True)

    def open(self, path: Path, *, width: int = 1400, height: int = 900) -> None:
        """Loads a file in a window of this size; the size of a phone also brings its pixels and touch."""
        self.call(
            "Emulation.setDeviceMetricsOverride",
            width=width,
            height=height,
            deviceScaleFactor=1,
            mobile=width < 500,
        )
        self._loaded = False
        self.call("Page.navigate", url=path.as_uri())
        while not self._loaded:
            self._next()

    def value(self, expression: str) -> Any:
        """What an expression is, awaited where it is a promise."""
        answer = self.call("Runtime.evaluate", expression=expression, awaitPromise=True, returnByValue=True)
        assert "exceptionDetails" not in answer, answer
        return answer["result"].get("value")

    def wait_until(self, condition: str) -> None:
        """Waits, at most ten seconds, until an expression is true; the browser looks, so that nothing sleeps here."""
        self.value(
            "new Promise((done, failed) => { const end = Date.now() + 10000; const look = () => { "
            f"if ({condition}) done(); else if (Date.now() > end) failed(new Error('never true')); "
            "else setTimeout(look, 20); }; look(); })"
        )

    def click(self, selector: str) -> None:
        """Presses the mouse in the middle of the first element of a selector."""
        x, y = self.value(
            f"(() => {{ const found = document.querySelector({json.dumps(selector)}); "
            "found.scrollIntoView({block: 'center'}); const box = found.getBoundingClientRect(); "
            "return [box.x + box.width / 2, box.y + box.height / 2]; })()"
        )
        for kind in ("mouseMoved", "mousePressed", "mouseReleased"):
            button = {} if kind == "mouseMoved" else {"button": "left", "clickCount": 1}
            self.call("Input.dispatchMouseEvent", type=kind, x=x, y=y, **button)

    def wheel(self, selector: str, down: int) -> None:
        """Turns the mouse wheel over an element."""
        x, y = self.value(
            f"(() => {{ const box = document.querySelector({json.dumps(selector)}).getBoundingClientRect(); "
            "return [box.x + box.width / 2, box.y + box.height / 2]; })()"
        )
        self.call("Input.dispatchMouseEvent", type="mouseWheel", x=x, y=y, deltaX=0, deltaY=down)

    def press(self, *keys: str) -> None:
        """Types letters, or keys by their names."""
        for key in keys:
            code = {"windowsVirtualKeyCode": KEYS[key], "code": key} if key in KEYS else {"text": key}
            self.call("Input.dispatchKeyEvent", type="keyDown", key=key, **code)
            self.call("Input.dispatchKeyEvent", type="keyUp", key=key, **code)

    def choose(self, selector: str, value: str) -> None:
        """Chooses an entry of a list, or writes a number, as a person would."""
        self.value(
            f"(() => {{ const found = document.querySelector({json.dumps(selector)}); "
            f"found.value = {json.dumps(value)}; "
            "for (const kind of ['input', 'change']) found.dispatchEvent(new Event(kind, {bubbles: true})); })()"
        )

    def screenshot(self, path: Path, *, whole: bool = False) -> None:
        answer = self.call("Page.captureScreenshot", format="png", captureBeyondViewport=whole)
        path.write_bytes(base64.b64decode(answer["data"]))

    def pdf(self) -> bytes:
        return base64.b64decode(self.call("Page.printToPDF", preferCSSPageSize=True, printBackground=True)["data"])


@contextmanager
def browser(folder: Path) -> Iterator[BrowserPage]:
    """Chromium with a new profile in `folder`; downloads go to `folder/downloads`."""
    program = chromium()
    assert program is not None
    command_read, command_write = os.pipe()
    answer_read, answer_write = os.pipe()

    def at_three_and_four() -> None:  # where the browser looks for the pipe
        one, other = os.dup(command_read), os.dup(answer_write)  # lest 3 or 4 is one of the ends
        os.dup2(one, 3)
        os.dup2(other, 4)

    process = subprocess.Popen(
        [program, *FLAGS, "--remote-debugging-pipe", f"--user-data-dir={folder / 'profile'}"],
        stdin=subprocess.DEVNULL,
        stdout=subprocess.DEVNULL,
        stderr=subprocess.DEVNULL,
        pass_fds=(3, 4),
        preexec_fn=at_three_and_four,
    )
    os.close(command_read)
    os.close(answer_write)
    try:
        page = BrowserPage(process, command_write, answer_read)
        page.call("Browser.setDownloadBehavior", behavior="allow", downloadPath=str(folder / "downloads"))
        yield page
    finally:
        process.terminate()
        process.wait(timeout=20)
        os.close(command_write)
        os.close(answer_read)
