//! Scenario files: the schema, its reader and its errors; builds an engine.
