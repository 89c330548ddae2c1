"""Reports: one self-contained HTML page per study, with its figures and tables as files."""
