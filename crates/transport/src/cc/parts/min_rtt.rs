//! The least RTT.

use sojourn_base::Span;

/// The least RTT since the connection began or forgot it. It is zero before the first sample: a
/// round trip takes some time.
#[derive(Debug, Clone, Copy, Default)]
pub struct MinRtt(Span);

impl MinRtt {
    /// Takes a sample.
    pub fn sample(&mut self, rtt: Span) {
        if self.0 == Span::ZERO || rtt < self.0 {
            self.0 = rtt;
        }
    }

    /// The least; zero before the first sample.
    pub const fn get(self) -> Span {
        self.0
    }

    /// The same in seconds.
    pub fn as_s(self) -> f64 {
        self.0.as_s()
    }
}
