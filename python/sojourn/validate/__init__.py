"""Evidence, run again: laws, theory, and our numbers beside those of ns-2, ns-3 and Linux.

A folder of ``evidence/`` is one body of evidence, and of one of two kinds.

A discipline's own has ``checks.toml``: :mod:`.properties` reads it, :mod:`.play` plays each check
through the driver, :mod:`.measures` measures, :mod:`.theory` says what is to be expected. Where
there is a ``sequences.toml``, :mod:`.sequences` plays and judges it, operation by operation.
:mod:`.laws` adds the laws that all keep, and :mod:`.own` runs all of that.

A peer's has scenario files, what it measured on the same networks (``peer.csv``), and what is
said of both (``evidence.toml``): :mod:`.evidence` reads it, :mod:`.cases` finds the point of a
scenario that a measured row belongs to, :mod:`.comparison` runs the points and compares, and
:mod:`.tolerance` judges.

Both end as lines of one table: :mod:`.finding`, written by :mod:`.table`.
"""
