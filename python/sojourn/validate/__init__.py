"""Evidence, run again: our numbers beside those of ns-2, ns-3 and Linux.

A folder of ``evidence/`` is one body of evidence: scenario files, what a peer measured on the same
networks (``peer.csv``), and what is said of both (``evidence.toml``). Data flows one way:
:mod:`.evidence` reads a folder, :mod:`.cases` finds the point of a scenario that a measured row
belongs to, :mod:`.comparison` runs the points and compares, :mod:`.tolerance` judges, and
:mod:`.table` writes.
"""
