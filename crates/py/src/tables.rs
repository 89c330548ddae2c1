//! Tables of runs. The core keeps them: a sweep packs and stacks them without the interpreter, and
//! only what is looked at becomes objects of Python's.

use pyo3::exceptions::{PyKeyError, PyValueError};
use pyo3::prelude::*;
use pyo3::sync::PyOnceLock;
use pyo3::types::{PyBytes, PyDict, PyList, PyType};

use sojourn_measure::{Concat, Delays, DropRow, SHARES, Series, Table, TransferRow};
use sojourn_scenario::Outcome;

/// The tables of a run, by name.
#[pyclass(frozen, module = "sojourn._core")]
pub(crate) struct Tables(pub(crate) Outcome);

#[pymethods]
impl Tables {
    /// The names of all tables.
    #[staticmethod]
    fn keys() -> [&'static str; 8] {
        [
            "links",
            "flows",
            "groups",
            "total",
            "drops",
            "delays",
            "series",
            "transfers",
        ]
    }

    /// A table, made anew each time.
    fn __getitem__<'py>(&self, py: Python<'py>, name: &str) -> PyResult<Bound<'py, PyAny>> {
        let Outcome {
            tables,
            series,
            transfers,
        } = &self.0;
        if let Some(table) = of_entities(name) {
            return Ok(columns(py, table(tables))?.into_any());
        }
        Ok(match name {
            "drops" => drops(py, &tables.drops)?.into_any(),
            "delays" => delays(py, &tables.delays)?.into_any(),
            "series" => {
                let series = series.iter().map(|series| series_dict(py, series));
                PyList::new(py, series.collect::<PyResult<Vec<_>>>()?)?.into_any()
            }
            "transfers" => transfers_dict(py, transfers, &tables.flows.names)?.into_any(),
            _ => return Err(PyKeyError::new_err(name.to_owned())),
        })
    }

    /// All of them as bytes, for a store.
    fn packed<'py>(&self, py: Python<'py>) -> Bound<'py, PyBytes> {
        PyBytes::new(py, &py.detach(|| self.0.packed()))
    }

    /// Those that were packed.
    #[staticmethod]
    fn unpacked(py: Python<'_>, payload: &[u8]) -> PyResult<Self> {
        py.detach(|| Outcome::unpacked(payload))
            .map(Self)
            .ok_or_else(|| PyValueError::new_err("these bytes are not the tables of a run"))
    }

    /// What goes to another process.
    fn __reduce__<'py>(
        slf: &Bound<'py, Self>,
    ) -> PyResult<(Bound<'py, PyAny>, (Bound<'py, PyBytes>,))> {
        let unpacked = slf.get_type().getattr("unpacked")?;
        Ok((unpacked, (slf.get().packed(slf.py()),)))
    }
}

/// Where the table of that name lies, if it has a row for each entity.
fn of_entities(name: &str) -> Option<fn(&sojourn_measure::Tables) -> &Table> {
    match name {
        "links" => Some(|of| &of.links),
        "flows" => Some(|of| &of.flows),
        "groups" => Some(|of| &of.groups),
        "total" => Some(|of| &of.total),
        _ => None,
    }
}

/// Runs that are stacked: the point, the replica and the tables of each.
type Runs = Vec<(i64, i64, Py<Tables>)>;

/// Stacks the tables of runs: those of `entities`, each with the name of the column that says what
/// a row is about, and the drops. A table is a dict of columns.
#[pyfunction]
pub(crate) fn stacked(
    py: Python<'_>,
    runs: Runs,
    entities: Vec<(String, Option<String>)>,
) -> PyResult<Bound<'_, PyDict>> {
    let all = PyDict::new(py);
    for (name, entity) in entities {
        let Some(table) = of_entities(&name) else {
            return Err(PyKeyError::new_err(name));
        };
        let tables = runs.iter().map(|(.., of)| table(&of.get().0.tables));
        let tables: Vec<_> = tables.collect();
        let stacked = py.detach(|| Concat::of(&tables));
        let dict = keys(py, &runs, &stacked.runs)?;
        if let Some(entity) = entity {
            dict.set_item(entity, stacked.names)?;
        }
        for (metric, values) in stacked.columns {
            dict.set_item(metric, doubles(py, &values)?)?;
        }
        all.set_item(name, dict)?;
    }
    all.set_item("drops", stacked_drops(py, &runs)?)?;
    Ok(all)
}

/// The point and the replica of each row, by the number of its run.
fn keys<'py>(py: Python<'py>, runs: &Runs, rows: &[usize]) -> PyResult<Bound<'py, PyDict>> {
    let dict = PyDict::new(py);
    let points: Vec<_> = rows.iter().map(|&run| runs[run].0).collect();
    let replicas: Vec<_> = rows.iter().map(|&run| runs[run].1).collect();
    dict.set_item("point", array(py, "q", &points, i64::to_ne_bytes)?)?;
    dict.set_item("replica", array(py, "q", &replicas, i64::to_ne_bytes)?)?;
    Ok(dict)
}

fn stacked_drops<'py>(py: Python<'py>, runs: &Runs) -> PyResult<Bound<'py, PyDict>> {
    let each = runs.iter().enumerate().flat_map(|(run, (.., of))| {
        let rows = of.get().0.tables.drops.iter();
        rows.map(move |row| (run, row))
    });
    let (of_runs, rows): (Vec<usize>, Vec<&DropRow>) = each.unzip();
    let dict = keys(py, runs, &of_runs)?;
    let links: Vec<_> = rows.iter().map(|row| row.link.as_str()).collect();
    let kinds: Vec<_> = rows.iter().map(|row| row.kind).collect();
    let reasons: Vec<_> = rows.iter().map(|row| row.reason.name()).collect();
    let packets: Vec<_> = rows.iter().map(|row| row.packets).collect();
    dict.set_item("link", links)?;
    dict.set_item("kind", kinds)?;
    dict.set_item("reason", reasons)?;
    dict.set_item("packets", packets)?;
    Ok(dict)
}

/// Numbers as an `array` of Python's own, of a type code: NumPy and polars, which read it where it
/// lies, take longer to import than a short run takes.
fn array<'py, T: Copy, const N: usize>(
    py: Python<'py>,
    code: &str,
    values: &[T],
    to_bytes: fn(T) -> [u8; N],
) -> PyResult<Bound<'py, PyAny>> {
    static ARRAY: PyOnceLock<Py<PyType>> = PyOnceLock::new();
    let bytes = PyBytes::new_with(py, values.len() * N, |bytes| {
        for (place, value) in bytes.chunks_exact_mut(N).zip(values) {
            place.copy_from_slice(&to_bytes(*value));
        }
        Ok(())
    })?;
    // A run has a hundred of them: to look it up for each takes longer than to make it.
    ARRAY.import(py, "array", "array")?.call1((code, bytes))
}

/// An array of doubles.
pub(crate) fn doubles<'py>(py: Python<'py>, values: &[f64]) -> PyResult<Bound<'py, PyAny>> {
    array(py, "d", values, f64::to_ne_bytes)
}

/// A table as a dict: `name` and an array of doubles for each metric.
pub(crate) fn columns<'py>(py: Python<'py>, table: &Table) -> PyResult<Bound<'py, PyDict>> {
    let dict = PyDict::new(py);
    dict.set_item("name", &table.names)?;
    for (metric, values) in &table.columns {
        dict.set_item(&**metric, doubles(py, values)?)?;
    }
    Ok(dict)
}

/// Drops and marks as tuples: `link`, `kind`, `reason`, `packets`.
fn drops<'py>(py: Python<'py>, rows: &[DropRow]) -> PyResult<Bound<'py, PyList>> {
    let rows = rows.iter();
    PyList::new(
        py,
        rows.map(|row| (&row.link, row.kind, row.reason.name(), row.packets))
            .collect::<Vec<_>>(),
    )
}

/// Delays as a dict: `entity` and `name` of each row, the quantiles of all rows one after the
/// other, and the shares that they belong to.
fn delays<'py>(py: Python<'py>, rows: &[Delays]) -> PyResult<Bound<'py, PyDict>> {
    let dict = PyDict::new(py);
    let entities: Vec<_> = rows.iter().map(|row| row.entity).collect();
    let names: Vec<_> = rows.iter().map(|row| &row.name).collect();
    let quantiles = rows.iter().flat_map(|row| &row.quantiles_s);
    let quantiles: Vec<f64> = quantiles.copied().collect();
    dict.set_item("entity", entities)?;
    dict.set_item("name", names)?;
    dict.set_item("share", doubles(py, &SHARES)?)?;
    dict.set_item("delay_s", doubles(py, &quantiles)?)?;
    Ok(dict)
}

/// Transfers as a dict: the numbers of their flows among `flows`, the names of these, and an array
/// of doubles for each further column. Without a transfer there are no names.
fn transfers_dict<'py>(
    py: Python<'py>,
    rows: &[TransferRow],
    flows: &[String],
) -> PyResult<Bound<'py, PyDict>> {
    let dict = PyDict::new(py);
    let numbers: Vec<_> = rows.iter().map(|row| i64::from(row.flow)).collect();
    dict.set_item("flow", array(py, "q", &numbers, i64::to_ne_bytes)?)?;
    dict.set_item("flows", if rows.is_empty() { &[] } else { flows })?;
    for (name, number) in TransferRow::NUMBERS {
        let values: Vec<_> = rows.iter().map(number).collect();
        dict.set_item(name, doubles(py, &values)?)?;
    }
    Ok(dict)
}

fn series_dict<'py>(py: Python<'py>, series: &Series) -> PyResult<Bound<'py, PyDict>> {
    let dict = PyDict::new(py);
    dict.set_item("entity", series.entity)?;
    dict.set_item("name", &series.name)?;
    dict.set_item("metric", &series.metric)?;
    dict.set_item("time_s", doubles(py, &series.times_s)?)?;
    dict.set_item("value", doubles(py, &series.values)?)?;
    Ok(dict)
}
