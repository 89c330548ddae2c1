//! Tables of runs. The core keeps them: a sweep packs and stacks them without the interpreter, and only what is looked
//! at becomes objects of Python's.

use pyo3::exceptions::{PyKeyError, PyValueError};
use pyo3::prelude::*;
use pyo3::sync::PyOnceLock;
use pyo3::types::{PyBytes, PyDict, PyList, PyType};

use sojourn_measure::{Delays, DropRow, SHARES, Series, Stacked, Table};
use sojourn_scenario::Outcome;

/// The tables of a run, by name.
#[pyclass(frozen, module = "sojourn._core")]
pub(crate) struct Tables(pub(crate) Outcome);

#[pymethods]
impl Tables {
    /// The names of all tables.
    #[staticmethod]
    fn keys() -> [&'static str; 7] {
        [
            "links", "flows", "groups", "total", "drops", "delays", "series",
        ]
    }

    /// A table, made anew each time.
    fn __getitem__<'py>(&self, py: Python<'py>, name: &str) -> PyResult<Bound<'py, PyAny>> {
        let Outcome { tables, series } = &self.0;
        Ok(match name {
            "links" => columns(py, &tables.links)?.into_any(),
            "flows" => columns(py, &tables.flows)?.into_any(),
            "groups" => columns(py, &tables.groups)?.into_any(),
            "total" => columns(py, &tables.total)?.into_any(),
            "drops" => drops(py, &tables.drops)?.into_any(),
            "delays" => delays(py, &tables.delays)?.into_any(),
            "series" => {
                let series = series.iter().map(|series| series_dict(py, series));
                PyList::new(py, series.collect::<PyResult<Vec<_>>>()?)?.into_any()
            }
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

/// Stacks the tables of runs, each of which is given as `(point, replica, tables)`, but for delays and
/// series: a dict of columns for each table.
#[pyfunction]
pub(crate) fn stacked(
    py: Python<'_>,
    runs: Vec<(i64, i64, Py<Tables>)>,
) -> PyResult<Bound<'_, PyDict>> {
    let outcomes = runs.iter().map(|(.., tables)| &tables.get().0.tables);
    let outcomes: Vec<_> = outcomes.collect();
    let stacks = py.detach(|| {
        let tables: [fn(&sojourn_measure::Tables) -> &Table; 4] = [
            |of| &of.links,
            |of| &of.flows,
            |of| &of.groups,
            |of| &of.total,
        ];
        tables.map(|table| Stacked::of(&outcomes.iter().map(|of| table(of)).collect::<Vec<_>>()))
    });
    let kinds = [
        ("links", Some("link")),
        ("flows", Some("flow")),
        ("groups", Some("group")),
        ("total", None),
    ];
    // The point and the replica of each row, by the number of its run.
    let keys = |rows: &[usize]| -> PyResult<Bound<'_, PyDict>> {
        let dict = PyDict::new(py);
        let points: Vec<_> = rows.iter().map(|&run| runs[run].0).collect();
        let replicas: Vec<_> = rows.iter().map(|&run| runs[run].1).collect();
        dict.set_item("point", array(py, "q", &points, i64::to_ne_bytes)?)?;
        dict.set_item("replica", array(py, "q", &replicas, i64::to_ne_bytes)?)?;
        Ok(dict)
    };
    let all = PyDict::new(py);
    for (
        (name, entity),
        Stacked {
            runs,
            names,
            columns,
        },
    ) in kinds.into_iter().zip(stacks)
    {
        let dict = keys(&runs)?;
        if let Some(entity) = entity {
            dict.set_item(entity, names)?;
        }
        for (metric, values) in columns {
            dict.set_item(metric, doubles(py, &values)?)?;
        }
        all.set_item(name, dict)?;
    }
    let rows = outcomes.iter().enumerate();
    let rows = rows.flat_map(|(run, of)| of.drops.iter().map(move |row| (run, row)));
    let (of_runs, rows): (Vec<usize>, Vec<&DropRow>) = rows.unzip();
    let dict = keys(&of_runs)?;
    let rows = || rows.iter();
    dict.set_item(
        "link",
        rows().map(|row| row.link.as_str()).collect::<Vec<_>>(),
    )?;
    dict.set_item("kind", rows().map(|row| row.kind).collect::<Vec<_>>())?;
    dict.set_item(
        "reason",
        rows().map(|row| row.reason.name()).collect::<Vec<_>>(),
    )?;
    dict.set_item("packets", rows().map(|row| row.packets).collect::<Vec<_>>())?;
    all.set_item("drops", dict)?;
    Ok(all)
}

/// Numbers as an `array` of Python's own, of a type code: NumPy and polars, which read it where it lies, take longer to
/// import than a short run takes.
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

/// Delays as a dict: `entity` and `name` of each row, the quantiles of all rows one after the other,
/// and the shares that they belong to.
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

fn series_dict<'py>(py: Python<'py>, series: &Series) -> PyResult<Bound<'py, PyDict>> {
    let dict = PyDict::new(py);
    dict.set_item("entity", series.entity)?;
    dict.set_item("name", &series.name)?;
    dict.set_item("metric", &series.metric)?;
    dict.set_item("time_s", doubles(py, &series.times_s)?)?;
    dict.set_item("value", doubles(py, &series.values)?)?;
    Ok(dict)
}
