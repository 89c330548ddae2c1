"""Experiments: many runs, kept in a folder, resumed after whatever happened.

| module | holds |
| --- | --- |
| `procedure` | which runs a scenario asks for: pilots, replicas, more replicas |
| `pilot` | `warmup = "auto"` |
| `precision` | `precision = "5%"` |
| `compared` | which points are compared with each other |
| `identity` | the key of a run: a hash of all that its result depends on |
| `record`, `journal`, `store` | finished runs on disk |
| `bench` | carries runs out: in memory, or into a store |
| `cluster` | the same on a Dask cluster |
| `share` | the part of an experiment that one machine does: `--shard i/n` |
| `folder` | the folder of an experiment: tables, scenario, checksums |
| `sweep`, `merge` | the commands |
"""
