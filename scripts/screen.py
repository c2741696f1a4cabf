"""A screen that nobody sits at, for programs with windows: Xvfb, driven by xdotool.

Used by clients.py. Needs Debian's packages xvfb, xdotool and imagemagick.
"""

from __future__ import annotations

import os
import subprocess
import time
from pathlib import Path
from typing import Callable

# The programs that this file runs.
PROGRAMS = ("Xvfb", "xdotool", "import")
SIZE = "1280x960"
# Seconds between two looks at what a program does.
GLANCE = 0.2


class Screen:
    """A running X server. Use it as a context manager; `environment` is for the programs on it."""

    def __init__(self) -> None:
        read, write = os.pipe()
        self.process = subprocess.Popen(
            ["Xvfb", "-displayfd", str(write), "-screen", "0", f"{SIZE}x24", "-nolisten", "tcp"],
            pass_fds=(write,),
            stderr=subprocess.DEVNULL,
        )
        os.close(write)
        with os.fdopen(read) as told:
            number = told.readline().strip()
        if not number:
            raise RuntimeError("Xvfb doesn't start")
        self.environment = {**os.environ, "DISPLAY": f":{number}"}

    def __enter__(self) -> Screen:
        return self

    def __exit__(self, *_: object) -> None:
        self.process.terminate()
        self.process.wait()

    def _run(self, *words: str, timeout: float = 30) -> str:
        done = subprocess.run(
            words,
            env=self.environment,
            stdout=subprocess.PIPE,
            stderr=subprocess.DEVNULL,
            text=True,
            timeout=timeout,
        )
        return done.stdout

    def keys(self, *keys: str) -> None:
        """Presses keys, named as X names them, such as `ctrl+n` or `Return`."""
        self._run("xdotool", "key", "--delay", "100", *keys)

    def wait_for_window(self, title: str, timeout: float) -> bool:
        """Waits for a window with this in its title, and gives it the keyboard."""
        found: list[str] = []

        def look() -> bool:
            found[:] = self._run("xdotool", "search", "--onlyvisible", "--name", title).split()
            return bool(found)

        if not wait(look, timeout):
            return False
        self._run("xdotool", "windowfocus", "--sync", found[-1])
        return True

    def picture(self, path: Path) -> None:
        """Writes what the screen shows as a PNG."""
        self._run("import", "-window", "root", str(path))


def wait(ready: Callable[[], bool], timeout: float) -> bool:
    """Waits until `ready`; returns whether it was in time."""
    deadline = time.monotonic() + timeout
    while not ready():
        if time.monotonic() > deadline:
            return False
        time.sleep(GLANCE)
    return True
