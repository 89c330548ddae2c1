"""Experiments: many runs, kept in a folder, resumed after whatever happened.

| module | holds |
| --- | --- |
| `procedure` | which runs a scenario asks for: pilots, replicas, more replicas |
| `pilot` | `warmup = "auto"` |
| `precision` | `precision = "5%"` |
| `cases` | which points are compared with each other |
| `executor`, `store_executor` | what executes runs and keeps their tables: in memory, in a store |
| `partial_tables` | tables of some points, made while others run |
| `cluster` | runs on a Dask cluster |
| `share` | the part of an experiment that one machine does: `--shard i/n` |
| `folder` | the folder of an experiment: tables, scenario, checksums |
| `sweep`, `merge` | the commands |
| `space`, `trying` | open ranges of a scenario, and runs at places in them |
| `sensitivity`, `tune` | which of them matter; which settings are best |
"""
