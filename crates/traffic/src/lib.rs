//! Traffic sources: one file each, pure state machines.
