"""The `red-fairness` study: RED against drop-tail with 2 to 32 TCP connections.

The publication names no authors in the copy we have: "a Comparison of two widely used queue
management mechanism RED and droptail", on ns-2, throughput and Jain's fairness index.
"""
