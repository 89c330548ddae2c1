"""The `eqm` study: EQM against RED, SFQ and REM under rising UDP load.

A. Nauman and M. J. Arshad, "Performance Evaluation and Comparison of EQM with RED, SFQ, and REM,
TCP Congestion Control Algorithms Using NS-2", ISSN 2047-3338.

The algorithm called EQM in that publication is not public; the `eqm` discipline is a
reconstruction, and every table and figure says so.
"""
