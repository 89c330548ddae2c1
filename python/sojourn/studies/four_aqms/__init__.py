"""The `four-aqms` study: RED, BLUE, REM and SFQ under six TCP and two CBR senders.

S. Kochher and G. Singh, "Comparison of Various Queuing Techniques to Select Best Solution for
Eradicating Congestion in Networks".
"""
