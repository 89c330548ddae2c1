//! One kind of table of many runs as one.

use crate::Table;

/// Rows of many runs, run by run.
#[derive(Debug, Clone, PartialEq)]
pub struct Concat<'a> {
    /// The number of the run of each row.
    pub runs: Vec<usize>,
    /// The entity of each row.
    pub names: Vec<&'a str>,
    /// The metrics of all runs, in the order in which they first come. What a run does not measure
    /// is NaN.
    pub columns: Vec<(&'a str, Vec<f64>)>,
}

impl<'a> Concat<'a> {
    /// Puts the tables of one kind of many runs behind each other.
    pub fn of(tables: &[&'a Table]) -> Self {
        let rows = tables.iter().map(|table| table.names.len()).sum();
        let (mut runs, mut names) = (Vec::with_capacity(rows), Vec::with_capacity(rows));
        let mut columns: Vec<(&str, Vec<f64>)> = Vec::new();
        for (run, table) in tables.iter().enumerate() {
            let before = names.len();
            names.extend(table.names.iter().map(String::as_str));
            runs.resize(names.len(), run);
            for (number, (metric, values)) in table.columns.iter().enumerate() {
                // Nearly all runs have the same.
                let is_it = |(name, _): &(&str, _)| name == metric;
                let place = if columns.get(number).is_some_and(is_it) {
                    number
                } else if let Some(place) = columns.iter().position(is_it) {
                    place
                } else {
                    columns.push((metric, Vec::with_capacity(rows)));
                    columns.len() - 1
                };
                let column = &mut columns[place].1;
                column.resize(before, f64::NAN);
                column.extend_from_slice(values);
            }
        }
        for (_, column) in &mut columns {
            column.resize(names.len(), f64::NAN);
        }
        Self {
            runs,
            names,
            columns,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn table(names: &[&str], columns: &[(&'static str, &[f64])]) -> Table {
        let columns = columns
            .iter()
            .map(|&(metric, values)| (metric.into(), values.to_vec()));
        Table {
            names: names.iter().map(ToString::to_string).collect(),
            columns: columns.collect(),
        }
    }

    #[test]
    fn what_a_run_does_not_measure_is_undefined_there() {
        let tables = [
            table(&["a"], &[("x", &[1.0])]),
            table(&["a", "b"], &[("y", &[2.0, 3.0]), ("x", &[4.0, 5.0])]),
            table(&[], &[]),
            table(&["c"], &[("y", &[6.0])]),
        ];
        let all = Concat::of(&tables.each_ref());
        assert_eq!(all.runs, [0, 1, 1, 3]);
        assert_eq!(all.names, ["a", "a", "b", "c"]);
        let defined = |value: f64| (!value.is_nan()).then_some(value);
        let columns = all.columns.iter();
        let columns: Vec<(&str, Vec<Option<f64>>)> = columns
            .map(|(metric, values)| (*metric, values.iter().copied().map(defined).collect()))
            .collect();
        assert_eq!(
            columns,
            [
                ("x", vec![Some(1.0), Some(4.0), Some(5.0), None]),
                ("y", vec![None, Some(2.0), Some(3.0), Some(6.0)]),
            ]
        );
    }

    #[test]
    fn of_no_run_there_is_nothing() {
        let all = Concat::of(&[]);
        assert!(all.names.is_empty() && all.columns.is_empty());
    }
}
