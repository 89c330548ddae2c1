//! Summaries of single runs as JSON texts: a sweep has a thousand numbers a point and more.

use pyo3::buffer::PyBuffer;
use pyo3::exceptions::PyValueError;
use pyo3::prelude::*;
use pyo3::types::PyBytes;

/// One metric of all rows: what stands in front of each value, the values, and for some rows an
/// upper bound.
struct Metric {
    begin: String,
    values: Vec<f64>,
    upper95: Option<Vec<f64>>,
}

/// A metric's name, its values, and its upper bounds, NaN where there is none.
type Given = (String, PyBuffer<f64>, Option<PyBuffer<f64>>);

/// For each row an object with every metric of it as ``{"mean", "ci95", "n"}`` and perhaps
/// ``"upper95"``: what one run alone says, NaN being null.
#[pyfunction]
pub(crate) fn single_summaries(
    py: Python<'_>,
    metrics: Vec<Given>,
) -> PyResult<Vec<Bound<'_, PyBytes>>> {
    let metrics: Vec<Metric> = metrics
        .into_iter()
        .map(|(name, values, upper95)| {
            Ok(Metric {
                begin: format!("{}:{{\"mean\":", serde_json::Value::from(name)),
                values: values.to_vec(py)?,
                upper95: upper95.map(|bounds| bounds.to_vec(py)).transpose()?,
            })
        })
        .collect::<PyResult<_>>()?;
    let rows = metrics.first().map_or(0, |metric| metric.values.len());
    let lengths = metrics.iter().flat_map(|metric| {
        let bounds = metric.upper95.iter().map(Vec::len);
        bounds.chain([metric.values.len()])
    });
    if lengths.into_iter().any(|length| length != rows) {
        return Err(PyValueError::new_err("columns of different lengths"));
    }
    let (text, ends) = py.detach(|| write(&metrics, rows));
    let begins = [0].into_iter().chain(ends.iter().copied());
    Ok(begins
        .zip(&ends)
        .map(|(begin, &end)| PyBytes::new(py, &text[begin..end]))
        .collect())
}

/// The texts of all rows, one behind the other, and where each ends.
fn write(metrics: &[Metric], rows: usize) -> (Vec<u8>, Vec<usize>) {
    let mut text = Vec::new();
    let mut ends = Vec::with_capacity(rows);
    for row in 0..rows {
        let mut before = b'{';
        for metric in metrics {
            let value = metric.values[row];
            text.push(before);
            before = b',';
            text.extend_from_slice(metric.begin.as_bytes());
            number(&mut text, value);
            text.extend_from_slice(b",\"ci95\":null,\"n\":");
            text.push(if value.is_nan() { b'0' } else { b'1' });
            let bound = metric.upper95.as_ref().map_or(f64::NAN, |all| all[row]);
            if !bound.is_nan() {
                text.extend_from_slice(b",\"upper95\":");
                number(&mut text, bound);
            }
            text.push(b'}');
        }
        text.push(b'}');
        ends.push(text.len());
    }
    (text, ends)
}

/// A number, so that to read it gives the same one.
fn number(text: &mut Vec<u8>, value: f64) {
    serde_json::to_writer(text, &value).expect("a text in memory takes every number");
}
