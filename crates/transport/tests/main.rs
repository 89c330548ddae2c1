//! The tests of connections and of congestion controls, as one program, which is built sooner than
//! seven.

mod bench;
mod controllers;
mod echoes;
mod hostile;
mod laws;
mod linux;
mod ns2;
mod ns3;
mod peers_ways;
mod rate;
mod recoveries;
mod reordering;
mod sequences;
mod throughput;
mod undo;
