"""Files: written whole or not at all, known again later, and tables as TOML."""
