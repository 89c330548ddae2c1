"""Finished runs, kept by key in the folder of an experiment: being killed loses none of them."""
