//! The packet-level engine: event calendar, links, routes, ledger, run loop.
