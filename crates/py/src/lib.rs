//! The Python module sojourn._core.
