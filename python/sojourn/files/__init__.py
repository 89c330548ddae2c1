"""Files: written whole or not at all, known again later; Parquet and TOML."""
