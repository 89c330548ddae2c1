//! Measurement: time-weighted means, quantile sketches, time series.
