"""Figures: one look for all, one file per family of figures."""
