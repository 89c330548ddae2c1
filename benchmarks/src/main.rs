//! Runs every point of a scenario file once and prints what its bottleneck carried: the program
//! that `benchmarks/run.py` times and that callgrind counts instructions of. A release is trained
//! by it too.

use std::hash::{DefaultHasher, Hash, Hasher};
use std::path::Path;
use std::process::ExitCode;
use std::sync::atomic::{AtomicBool, AtomicU64};

use sojourn_measure::tables::Tables;
use sojourn_memory::{ALLOCATOR, Allocator};
use sojourn_scenario::{Options, Scenario};

#[global_allocator]
static MEMORY: Allocator = ALLOCATOR;

fn main() -> ExitCode {
    let mut arguments = std::env::args().skip(1);
    let Some(file) = arguments.next() else {
        eprintln!("usage: sojourn-case FILE [key=value]...");
        return ExitCode::from(2);
    };
    let overrides: Vec<(String, String)> = arguments
        .filter_map(|pair| {
            let (key, value) = pair.split_once('=')?;
            Some((key.to_owned(), value.to_owned()))
        })
        .collect();
    match run(&file, &overrides) {
        Ok(()) => ExitCode::SUCCESS,
        Err(message) => {
            eprintln!("error: {message}");
            ExitCode::FAILURE
        }
    }
}

fn run(file: &str, overrides: &[(String, String)]) -> Result<(), String> {
    let text = std::fs::read_to_string(file).map_err(|error| format!("{file}: {error}"))?;
    let folder = Path::new(file).parent().unwrap_or(Path::new("."));
    let scenario =
        Scenario::load(&text, file, folder, overrides).map_err(|error| error.to_string())?;
    for point in 0..scenario.points() {
        println!("{}", carried(&scenario, point)?);
    }
    Ok(())
}

/// What the bottleneck carries at a point.
fn carried(scenario: &Scenario, point: usize) -> Result<String, String> {
    let options = Options {
        cancel: &AtomicBool::new(false),
        permille: &AtomicU64::new(0),
        trace: None,
        warmup: None,
        series: None,
    };
    let outcome = scenario
        .run(point, 0, &options)
        .map_err(|error| error.to_string())?;
    let links = &outcome.tables.links;
    let row = links.names.iter().position(|name| name == "bottleneck");
    let value = |metric: &str| {
        let column = links.columns.iter().find(|(name, _)| *name == metric);
        row.zip(column)
            .map_or(f64::NAN, |(row, (_, values))| values[row])
    };
    let total = &outcome.tables.total;
    let goodput = total
        .columns
        .iter()
        .find(|(name, _)| *name == "goodput_bps");
    let goodput = goodput.map_or(f64::NAN, |(_, values)| values[0]);
    Ok(format!(
        "packets {} arrivals {} utilization {:.6} goodput_bps {goodput:.0} loss_ratio {:.6} digest {:016x}",
        value("departures_packets"),
        value("arrivals_packets"),
        value("utilization"),
        value("loss_ratio"),
        digest(&outcome.tables),
    ))
}

/// A hash of all tables. Of the numbers as they stand: to write those of many flows as text costs
/// more than to take them.
fn digest(tables: &Tables) -> u64 {
    let mut hash = DefaultHasher::new();
    let mut add = |name: &str, values: &[f64]| {
        name.hash(&mut hash);
        for value in values {
            value.to_bits().hash(&mut hash);
        }
    };
    for table in [&tables.links, &tables.flows, &tables.groups, &tables.total] {
        table.names.iter().for_each(|name| add(name, &[]));
        for (metric, values) in &table.columns {
            add(metric, values);
        }
    }
    for row in &tables.drops {
        add(&row.link, &[row.reason as u64 as f64, row.packets as f64]);
        add(row.kind, &[]);
    }
    for delays in &tables.delays {
        add(&delays.name, &delays.quantiles_s);
    }
    hash.finish()
}
