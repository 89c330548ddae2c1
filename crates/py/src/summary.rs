//! Summaries of single runs as JSON texts: a sweep has a thousand numbers a point and more.

use pyo3::buffer::PyBuffer;
use pyo3::exceptions::PyValueError;
use pyo3::prelude::*;
use pyo3::types::PyBytes;

/// One metric of all rows.
struct Metric {
    /// What stands in front of each value.
    begin: String,
    values: Vec<f64>,
    /// An upper bound for each row, NaN where there is none.
    upper95: Option<Vec<f64>>,
}

impl Metric {
    fn new(py: Python<'_>, (name, values, upper95): Given) -> PyResult<Self> {
        let values = values.to_vec(py)?;
        // No JSON holds it, and to leave it out would hide a fault.
        if values.iter().any(|value| value.is_infinite()) {
            return Err(PyValueError::new_err(format!("{name} is infinite")));
        }
        Ok(Self {
            begin: format!("{}:{{\"mean\":", quoted(&name)),
            values,
            upper95: upper95.map(|bounds| bounds.to_vec(py)).transpose()?,
        })
    }

    /// What one run alone says of a row.
    fn write(&self, text: &mut Vec<u8>, row: usize) {
        let value = self.values[row];
        text.extend_from_slice(self.begin.as_bytes());
        number(text, value);
        text.extend_from_slice(b",\"ci95\":null,\"n\":");
        text.push(if value.is_nan() { b'0' } else { b'1' });
        let bound = self.upper95.as_ref().map_or(f64::NAN, |all| all[row]);
        if !bound.is_nan() {
            text.extend_from_slice(b",\"upper95\":");
            number(text, bound);
        }
        text.push(b'}');
    }
}

/// A metric's name, its values, and its upper bounds.
type Given = (String, PyBuffer<f64>, Option<PyBuffer<f64>>);

/// The rows of a table.
struct Rows<'a> {
    /// The point of each.
    points: Vec<i64>,
    /// What each is about; where there are none, a point has but one row.
    names: Option<Vec<String>>,
    metrics: Vec<Metric>,
    /// For each the text of further members of its object.
    more: Option<Vec<&'a [u8]>>,
}

impl Rows<'_> {
    fn have_one_length(&self) -> bool {
        let rows = self.points.len();
        let bounds = self.metrics.iter().filter_map(|m| m.upper95.as_ref());
        let columns = self.metrics.iter().map(|m| &m.values).chain(bounds);
        columns.map(Vec::len).all(|length| length == rows)
            && self.names.as_ref().is_none_or(|all| all.len() == rows)
            && self.more.as_ref().is_none_or(|all| all.len() == rows)
    }

    /// The object of each point.
    fn texts(&self) -> Vec<(i64, Vec<u8>)> {
        let mut order: Vec<usize> = (0..self.points.len()).collect();
        order.sort_by_key(|&row| self.points[row]);
        let by_point = order.chunk_by(|&one, &other| self.points[one] == self.points[other]);
        by_point
            .map(|rows| (self.points[rows[0]], self.point(rows)))
            .collect()
    }

    fn point(&self, rows: &[usize]) -> Vec<u8> {
        let mut text = Vec::new();
        let Some(names) = &self.names else {
            self.row(&mut text, rows[0]);
            return text;
        };
        let mut before = b'{';
        for &row in rows {
            text.push(before);
            before = b',';
            text.extend_from_slice(quoted(&names[row]).as_bytes());
            text.push(b':');
            self.row(&mut text, row);
        }
        text.push(b'}');
        text
    }

    fn row(&self, text: &mut Vec<u8>, row: usize) {
        let mut before = b'{';
        for metric in &self.metrics {
            text.push(before);
            before = b',';
            metric.write(text, row);
        }
        if let Some(more) = &self.more {
            text.push(before);
            text.extend_from_slice(more[row]);
        }
        text.push(b'}');
    }
}

/// For each point an object of its rows, by name, each with every metric as ``{"mean", "ci95",
/// "n"}`` and perhaps ``"upper95"``: what one run alone says, NaN being null.
#[pyfunction]
pub(crate) fn single_summaries<'py>(
    py: Python<'py>,
    points: Vec<i64>,
    names: Option<Vec<String>>,
    metrics: Vec<Given>,
    more: Option<Vec<Bound<'py, PyBytes>>>,
) -> PyResult<Vec<(i64, Bound<'py, PyBytes>)>> {
    let metrics = metrics.into_iter().map(|given| Metric::new(py, given));
    let rows = Rows {
        points,
        names,
        metrics: metrics.collect::<PyResult<_>>()?,
        more: more
            .as_ref()
            .map(|all| all.iter().map(PyBytesMethods::as_bytes).collect()),
    };
    if !rows.have_one_length() {
        return Err(PyValueError::new_err("columns of different lengths"));
    }
    let texts = py.detach(|| rows.texts()).into_iter();
    Ok(texts
        .map(|(point, text)| (point, PyBytes::new(py, &text)))
        .collect())
}

/// A name as JSON has it.
fn quoted(name: &str) -> String {
    serde_json::Value::from(name).to_string()
}

/// A number, so that to read it gives the same one.
fn number(text: &mut Vec<u8>, value: f64) {
    serde_json::to_writer(text, &value).expect("a text in memory takes every number");
}
