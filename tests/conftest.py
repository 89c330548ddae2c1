"""What holds for all tests: nothing around them says how wide tables are."""

import os

# Workers of pytest-xdist are started with it.
os.environ.pop("COLUMNS", None)
