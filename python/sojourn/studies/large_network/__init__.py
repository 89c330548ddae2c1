"""The `large-network` study: drop-tail, PFIFO, RED, ARED and CoDel, many to one and many to many.

M. M. Hamdi, S. A. Rashid, M. Ismail, M. A. Altahrawi, M. F. Mansor, M. K. AbuFoul, "Performance
Evaluation of Active Queue Management Algorithms in Large Network" (ns-3).
"""
