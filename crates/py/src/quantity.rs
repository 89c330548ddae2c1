//! Quantities as scenario files write them, read for classes in Python.

use pyo3::exceptions::PyValueError;
use pyo3::prelude::*;
use sojourn_base::{
    Bytes, Fault, Length, Limit, Probability, Quantity, Rate, Scalar, Span, Threshold, Whole,
};

/// A value of Python before its unit is read.
#[derive(FromPyObject)]
pub(crate) enum Given {
    Flag(bool),
    Integer(i64),
    Real(f64),
    Text(String),
}

impl Given {
    fn scalar(&self) -> Scalar<'_> {
        match self {
            Self::Flag(flag) => Scalar::Flag(*flag),
            Self::Integer(number) => Scalar::Integer(*number),
            Self::Real(number) => Scalar::Real(*number),
            Self::Text(text) => Scalar::Text(text),
        }
    }
}

fn packets(scalar: Scalar<'_>) -> Result<f64, Fault> {
    const ALLOWED: &str = "a number of packets such as \"5 packets\"";
    match Threshold::read(scalar) {
        Ok(Threshold(Length::Packets(packets))) => Ok(packets),
        _ => Err(Fault::new(scalar, ALLOWED)),
    }
}

fn number(scalar: Scalar<'_>) -> Result<f64, Fault> {
    match scalar {
        Scalar::Integer(number) => Ok(number as f64),
        Scalar::Real(number) if number.is_finite() => Ok(number),
        other => Err(Fault::new(other, "a number without a unit")),
    }
}

/// Reads a value of a kind; gives it in base units: seconds, bytes, bit/s, packets.
#[pyfunction]
pub(crate) fn read_quantity(py: Python<'_>, kind: &str, value: Given) -> PyResult<Py<PyAny>> {
    let scalar = value.scalar();
    let real = |read: Result<f64, Fault>| -> PyResult<Py<PyAny>> {
        Ok(read
            .map_err(refused)?
            .into_pyobject(py)?
            .into_any()
            .unbind())
    };
    let whole = |read: Result<u64, Fault>| -> PyResult<Py<PyAny>> {
        Ok(read
            .map_err(refused)?
            .into_pyobject(py)?
            .into_any()
            .unbind())
    };
    match kind {
        "time" => real(Span::read(scalar).map(Span::as_s)),
        "rate" => real(Rate::read(scalar).map(|rate| rate.bps() as f64)),
        "probability" => real(Probability::read(scalar).map(|p| p.0)),
        "packets" => real(packets(scalar)),
        "number" => real(number(scalar)),
        "size" => whole(Bytes::read(scalar).map(Bytes::get)),
        "whole" => whole(Whole::read(scalar).map(|whole| whole.0)),
        "flag" => {
            let flag = bool::read(scalar).map_err(refused)?;
            Ok(flag.into_pyobject(py)?.to_owned().into_any().unbind())
        }
        "limit" => {
            Limit::read(scalar).map_err(refused)?;
            let Given::Text(text) = &value else {
                return Err(PyValueError::new_err("a limit is a text"));
            };
            Ok(text.into_pyobject(py)?.into_any().unbind())
        }
        _ => Err(PyValueError::new_err(format!("there is no kind {kind:?}"))),
    }
}

fn refused(fault: Fault) -> PyErr {
    PyValueError::new_err(fault.to_string())
}
