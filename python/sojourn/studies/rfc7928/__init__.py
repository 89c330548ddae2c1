"""The study `rfc7928`: disciplines characterised as the IETF's guidelines ask for.

N. Kuhn, P. Natarajan, N. Khademi, D. Ros, "Characterization Guidelines for Active Queue Management
(AQM)", RFC 7928, 2016: single senders of several kinds, unequal round-trip times, bursts, levels of
congestion, capacities that vary, traffic mixes, both directions, two queues in a row, ECN, packet
sizes. Each against drop-tail, with the metrics that its section asks for.
"""
