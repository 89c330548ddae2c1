"""The `ece6110` study: RED against drop-tail at two bottlenecks in a row.

A report on laboratory 2, "Comparison of Random Early Detection (RED) vs. Drop Tail Queuing", of the
course ECE 6110, "CAD for Communication Networks": ns-3, TCP Tahoe and UDP on/off sources. The
authors themselves suspect a fault in their simulation.
"""
