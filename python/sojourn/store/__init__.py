"""Finished runs, kept by key in the folder of an experiment: a kill loses none of them."""
