"""The key of a run: a hash of all that its result depends on.

These are the point as the engine sees it, its seed, the replica, the content of the files that it
reads, and the engine itself, which is a hash of its source. Names, titles, the number of replicas
and the other points do not count: a changed scenario finds again what it did not change.
"""

from __future__ import annotations

import hashlib

import orjson

from sojourn._core import ENGINE
from sojourn.scenario import Scenario
from sojourn.tasks import Task

KEY_BYTES = 32
"""Length of a key: SHA-256."""


class Keys:
    """The keys of the runs of one scenario."""

    def __init__(self, scenario: Scenario) -> None:
        """Prepare for ``scenario``; each file that it reads is read once."""
        self._scenario = scenario
        self._files: dict[str, str] = {}
        self._points: dict[tuple[int, str | None, str | None], str] = {}
        self._runs: dict[Task, bytes] = {}

    def of(self, task: Task) -> bytes:
        """The key of one run; it is asked for several times."""
        if task not in self._runs:
            text = f"{self._point(task)}/{task.replica}"
            self._runs[task] = hashlib.sha256(text.encode()).digest()
        return self._runs[task]

    def _point(self, task: Task) -> str:
        """The hash of everything but the replica."""
        which = (task.point, task.warmup, task.series)
        if which not in self._points:
            document = dict(self._scenario.identity(task.point))
            document["files"] = {name: self._file(name) for name in document["files"]}
            for name in ("warmup", "series"):
                if (value := getattr(task, name)) is not None:
                    document[name] = value
            text = orjson.dumps([ENGINE, document], option=orjson.OPT_SORT_KEYS)
            self._points[which] = hashlib.sha256(text).hexdigest()
        return self._points[which]

    def _file(self, name: str) -> str:
        if name not in self._files:
            content = (self._scenario.folder / name).read_bytes()
            self._files[name] = hashlib.sha256(content).hexdigest()
        return self._files[name]
