"""The key of a run: a hash of everything on which its result depends.

This is the point as the engine sees it, its seed, the replica, the content of the files that it
reads, what the Python classes that it names do, and the engine itself, as a hash of its source.
Names, titles, the number of replicas and the other points do not count: a changed scenario finds
the runs that the change does not affect.
"""

from __future__ import annotations

import hashlib

import orjson

from sojourn._core import ENGINE
from sojourn.own.classes import plain_name
from sojourn.scenario import Scenario
from sojourn.workers.tasks import Task

KEY_BYTES = 32
"""Length of a key: SHA-256."""


class Keys:
    """The keys of the runs of one scenario."""

    def __init__(self, scenario: Scenario) -> None:
        """Prepare for ``scenario``; its files and modules count as it read them."""
        self._scenario = scenario
        self._files = {
            name: hashlib.sha256(content).hexdigest() for name, content in scenario.files.items()
        }
        self._points: dict[tuple[int, str | None, str | None], str] = {}
        self._runs: dict[Task, bytes] = {}

    def of(self, task: Task) -> bytes:
        """The key of one run; it is asked for several times."""
        if task not in self._runs:
            text = f"{self._point(task)}/{task.replica}"
            self._runs[task] = hashlib.sha256(text.encode()).digest()
        return self._runs[task]

    def of_content(self) -> str:
        """A hash of all files and modules that it reads."""
        text = orjson.dumps([self._files, self._scenario.code], option=orjson.OPT_SORT_KEYS)
        return hashlib.sha256(text).hexdigest()

    def _point(self, task: Task) -> str:
        """The hash of everything but the replica."""
        which = (task.point, task.warmup, task.series)
        if which not in self._points:
            document = dict(self._scenario.identity(task.point))
            document["files"] = {name: self._files[name] for name in document["files"]}
            document.pop("code", None)
            for name in ("warmup", "series"):
                if (value := getattr(task, name)) is not None:
                    document[name] = value
            text = orjson.dumps([ENGINE, document], option=orjson.OPT_SORT_KEYS)
            self._points[which] = hashlib.sha256(self._told(text)).hexdigest()
        return self._points[which]

    def _told(self, text: bytes) -> bytes:
        """The same, with what each class does added to its name.

        Which of two classes of one name came first in a process says nothing about what they do.
        """
        for name, code in self._scenario.code.items():
            text = text.replace(orjson.dumps(name), orjson.dumps([plain_name(name), code]))
        return text
