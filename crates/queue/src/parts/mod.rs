//! Parts that several disciplines are made of.

pub mod bands;
pub mod checks;
pub mod child;
pub mod cobalt_law;
pub mod codel_law;
pub mod departure_rate;
pub mod ds_field;
pub mod earliest_wait;
pub mod ecn;
pub mod fifo;
pub mod flow_queue;
pub mod gate;
pub mod hash;
pub mod inner;
pub mod inv_sqrt;
pub mod linux_red;
pub mod longest;
pub mod mistakes;
pub mod pi_law;
pub mod pie_law;
pub mod probe_names;
pub mod red_adapt;
pub mod red_law;
pub mod room;

pub use checks::{check_period, places};
pub use fifo::Fifo;
pub use room::Room;
