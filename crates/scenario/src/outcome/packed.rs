//! How what a run gives is packed for a store.
//!
//! It is a zlib stream (RFC 1950), all numbers in it little-endian:
//!
//! ```text
//! length of the text (4 bytes) | text | numbers (8 bytes each, IEEE 754)
//! ```
//!
//! The text is a JSON object of all tables. In it stands, in place of each array of numbers, where
//! that begins among the numbers behind the text and how many they are: `{"f8": 0, "n": 2}`.

use std::io::{Read, Write};

use flate2::Compression;
use flate2::read::ZlibDecoder;
use flate2::write::ZlibEncoder;
use serde_json::{Map, Value, json};
use sojourn_engine::FlowId;
use sojourn_measure::{Delays, DropRow, SHARES, Series, Table, Tables, TransferRow};
use sojourn_queue::Reason;

use super::Outcome;

impl Outcome {
    /// It as bytes, to the bit.
    pub fn packed(&self) -> Vec<u8> {
        let mut numbers = Numbers::default();
        let text = self.document(&mut numbers).to_string();
        let length = u32::try_from(text.len()).expect("names take less than 4 GB");
        let mut zlib = ZlibEncoder::new(Vec::new(), Compression::fast());
        let written = zlib
            .write_all(&length.to_le_bytes())
            .and_then(|()| zlib.write_all(text.as_bytes()))
            .and_then(|()| zlib.write_all(&numbers.0))
            .and_then(|()| zlib.finish());
        written.expect("memory takes every byte")
    }

    /// What [`packed`](Self::packed) packed; none where these are other bytes.
    pub fn unpacked(payload: &[u8]) -> Option<Self> {
        let mut content = Vec::new();
        ZlibDecoder::new(payload).read_to_end(&mut content).ok()?;
        let (length, rest) = content.split_first_chunk()?;
        let (text, numbers) = rest.split_at_checked(u32::from_le_bytes(*length) as usize)?;
        let mut document = Members(serde_json::from_slice(text).ok()?);
        let mut table = |name| read_table(document.take(name)?, numbers);
        Some(Self {
            tables: Tables {
                links: table("links")?,
                flows: table("flows")?,
                groups: table("groups")?,
                total: table("total")?,
                drops: read_each(document.take("drops")?, read_drops)?,
                delays: read_delays(Members::of(document.take("delays")?)?, numbers)?,
            },
            series: read_each(document.take("series")?, |each| {
                read_series(Members::of(each)?, numbers)
            })?,
            transfers: read_transfers(Members::of(document.take("transfers")?)?, numbers)?,
        })
    }

    /// The text of it; its numbers come behind those that are there.
    fn document(&self, numbers: &mut Numbers) -> Value {
        let Tables {
            links,
            flows,
            groups,
            total,
            drops,
            delays,
        } = &self.tables;
        let tables = [
            ("links", links),
            ("flows", flows),
            ("groups", groups),
            ("total", total),
        ];
        let tables = tables.into_iter();
        let mut document: Map<_, _> = tables
            .map(|(name, table)| (name.to_owned(), write_table(table, numbers)))
            .collect();
        let drops = drops.iter();
        let drops = drops.map(|row| json!([row.link, row.kind, row.reason.name(), row.packets]));
        document.insert("drops".to_owned(), drops.collect());
        document.insert("delays".to_owned(), write_delays(delays, numbers));
        let series = self.series.iter();
        let series = series.map(|series| write_series(series, numbers));
        document.insert("series".to_owned(), series.collect());
        let transfers = write_transfers(&self.transfers, numbers);
        document.insert("transfers".to_owned(), transfers);
        Value::Object(document)
    }
}

/// The numbers behind a text.
#[derive(Default)]
struct Numbers(Vec<u8>);

impl Numbers {
    /// Adds some; what stands for them in the text.
    fn refer<'a>(&mut self, values: impl IntoIterator<Item = &'a f64>) -> Value {
        let count = |numbers: &Self| numbers.0.len() / size_of::<f64>();
        let begin = count(self);
        for value in values {
            self.0.extend_from_slice(&value.to_le_bytes());
        }
        json!({"f8": begin, "n": count(self) - begin})
    }
}

fn write_table(table: &Table, numbers: &mut Numbers) -> Value {
    let mut object = Map::new();
    object.insert("name".to_owned(), json!(table.names));
    for (metric, values) in &table.columns {
        object.insert(metric.to_string(), numbers.refer(values));
    }
    Value::Object(object)
}

fn write_delays(rows: &[Delays], numbers: &mut Numbers) -> Value {
    json!({
        "entity": rows.iter().map(|row| row.entity).collect::<Vec<_>>(),
        "name": rows.iter().map(|row| row.name.as_str()).collect::<Vec<_>>(),
        "share": numbers.refer(&SHARES),
        "delay_s": numbers.refer(rows.iter().flat_map(|row| &row.quantiles_s)),
    })
}

fn write_series(series: &Series, numbers: &mut Numbers) -> Value {
    json!({
        "entity": series.entity,
        "name": series.name,
        "metric": series.metric,
        "time_s": numbers.refer(&series.times_s),
        "value": numbers.refer(&series.values),
    })
}

/// Flows go by their numbers, each of which eight bytes hold exactly.
fn write_transfers(rows: &[TransferRow], numbers: &mut Numbers) -> Value {
    let mut column = |number: &dyn Fn(&TransferRow) -> f64| {
        let values: Vec<_> = rows.iter().map(number).collect();
        numbers.refer(&values)
    };
    let mut columns = Map::new();
    columns.insert("flow".to_owned(), column(&|row| f64::from(row.flow)));
    for (name, number) in TransferRow::NUMBERS {
        columns.insert(name.to_owned(), column(&number));
    }
    Value::Object(columns)
}

/// The members of an object, each to be taken once.
struct Members(Map<String, Value>);

impl Members {
    fn of(value: Value) -> Option<Self> {
        match value {
            Value::Object(members) => Some(Self(members)),
            _ => None,
        }
    }

    fn take(&mut self, name: &str) -> Option<Value> {
        self.0.get_mut(name).map(Value::take)
    }

    fn text(&mut self, name: &str) -> Option<String> {
        read_text(self.take(name)?)
    }

    fn numbers(&mut self, name: &str, numbers: &[u8]) -> Option<Vec<f64>> {
        read_numbers(&self.take(name)?, numbers)
    }
}

fn read_each<T>(array: Value, read: impl Fn(Value) -> Option<T>) -> Option<Vec<T>> {
    match array {
        Value::Array(each) => each.into_iter().map(read).collect(),
        _ => None,
    }
}

fn read_text(value: Value) -> Option<String> {
    match value {
        Value::String(text) => Some(text),
        _ => None,
    }
}

/// The array that a text refers to.
fn read_numbers(reference: &Value, numbers: &[u8]) -> Option<Vec<f64>> {
    let (values, _) = numbers.as_chunks();
    let place = |name| usize::try_from(reference.get(name)?.as_u64()?).ok();
    let begin = place("f8")?;
    let values = values.get(begin..begin.checked_add(place("n")?)?)?;
    Some(values.iter().copied().map(f64::from_le_bytes).collect())
}

fn read_table(value: Value, numbers: &[u8]) -> Option<Table> {
    let mut table = Table::default();
    for (name, value) in Members::of(value)?.0 {
        if name == "name" {
            table.names = read_each(value, read_text)?;
        } else {
            let values = read_numbers(&value, numbers)?;
            table.columns.push((name.into(), values));
        }
    }
    let rows = table.names.len();
    let is_whole = |(_, values): &(_, Vec<f64>)| values.len() == rows;
    table.columns.iter().all(is_whole).then_some(table)
}

fn read_drops(row: Value) -> Option<DropRow> {
    let Value::Array(mut row) = row else {
        return None;
    };
    let [link, kind, reason, packets] = row.get_mut(..)?.as_mut_array()?;
    let reason = reason.as_str()?;
    Some(DropRow {
        link: read_text(link.take())?,
        kind: kind_named(kind.as_str()?)?,
        reason: Reason::ALL.into_iter().find(|of| of.name() == reason)?,
        packets: packets.as_u64()?,
    })
}

fn read_delays(mut rows: Members, numbers: &[u8]) -> Option<Vec<Delays>> {
    if rows.numbers("share", numbers)? != SHARES {
        return None;
    }
    let entities = read_each(rows.take("entity")?, read_text)?;
    let names = read_each(rows.take("name")?, read_text)?;
    let quantiles_s = rows.numbers("delay_s", numbers)?;
    let quantiles_s = quantiles_s.chunks_exact(SHARES.len());
    if [entities.len(), quantiles_s.len()] != [names.len(); 2] {
        return None;
    }
    let rows = entities.into_iter().zip(names).zip(quantiles_s);
    rows.map(|((entity, name), quantiles_s)| {
        Some(Delays {
            entity: kind_named(&entity)?,
            name,
            quantiles_s: quantiles_s.to_vec(),
        })
    })
    .collect()
}

fn read_series(mut series: Members, numbers: &[u8]) -> Option<Series> {
    Some(Series {
        entity: kind_named(&series.text("entity")?)?,
        name: series.text("name")?,
        metric: series.text("metric")?,
        times_s: series.numbers("time_s", numbers)?,
        values: series.numbers("value", numbers)?,
    })
}

fn read_transfers(mut columns: Members, numbers: &[u8]) -> Option<Vec<TransferRow>> {
    let flows = columns.numbers("flow", numbers)?;
    let [Some(began_s), Some(size_bytes), Some(fct_s), Some(slowdown)] =
        TransferRow::NUMBERS.map(|(name, _)| columns.numbers(name, numbers))
    else {
        return None;
    };
    let each = flows.iter().enumerate();
    each.map(|(row, &flow)| {
        Some(TransferRow {
            flow: flow as FlowId,
            began_s: *began_s.get(row)?,
            size_bytes: *size_bytes.get(row)?,
            fct_s: *fct_s.get(row)?,
            slowdown: *slowdown.get(row)?,
        })
    })
    .collect()
}

/// A kind of entities, or of what a queue does to packets.
fn kind_named(name: &str) -> Option<&'static str> {
    let kinds = ["link", "flow", "group", "total", "drop", "mark"];
    kinds.into_iter().find(|&kind| kind == name)
}

#[cfg(test)]
#[allow(clippy::unwrap_used)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    fn zipped(text: &str, numbers: &[f64]) -> Vec<u8> {
        let mut zlib = ZlibEncoder::new(Vec::new(), Compression::best());
        zlib.write_all(&(text.len() as u32).to_le_bytes()).unwrap();
        zlib.write_all(text.as_bytes()).unwrap();
        for number in numbers {
            zlib.write_all(&number.to_le_bytes()).unwrap();
        }
        zlib.finish().unwrap()
    }

    /// One of all that there may be, with a name and numbers of any kind.
    fn outcome(name: &str, values: &[f64]) -> Outcome {
        let table = Table {
            names: vec![name.to_owned(); values.len()],
            columns: vec![
                ("loss_ratio".into(), values.to_vec()),
                ("delay_mean_s".into(), values.iter().map(|x| -x).collect()),
            ],
        };
        Outcome {
            tables: Tables {
                links: table.clone(),
                flows: table,
                drops: vec![DropRow {
                    link: name.to_owned(),
                    kind: "mark",
                    reason: Reason::CeThreshold,
                    packets: u64::MAX,
                }],
                delays: vec![Delays {
                    entity: "link",
                    name: name.to_owned(),
                    quantiles_s: SHARES.map(|share| share / 3.0).to_vec(),
                }],
                ..Tables::default()
            },
            series: vec![Series {
                entity: "flow",
                name: name.to_owned(),
                metric: "cwnd_packets".to_owned(),
                times_s: values.to_vec(),
                values: values.to_vec(),
            }],
            transfers: values
                .iter()
                .map(|&value| TransferRow {
                    flow: 7,
                    began_s: value,
                    size_bytes: -value,
                    fct_s: value,
                    slowdown: -value,
                })
                .collect(),
        }
    }

    /// All of it, bit by bit: no NaN equals itself.
    fn bits_of(outcome: &Outcome) -> (String, Vec<u8>) {
        let mut numbers = Numbers::default();
        let text = outcome.document(&mut numbers).to_string();
        (text, numbers.0)
    }

    proptest! {
        #[test]
        fn what_is_unpacked_is_what_was_packed(name in ".*", bits in prop::collection::vec(any::<u64>(), 0..9)) {
            let values: Vec<f64> = bits.into_iter().map(f64::from_bits).collect();
            let given = outcome(&name, &values);
            let again = Outcome::unpacked(&given.packed()).unwrap();
            prop_assert_eq!(bits_of(&again), bits_of(&given));
        }
    }

    const NOTHING: &str = r#""links": {"name": []}, "flows": {"name": []}, "groups": {"name": []},
        "delays": {"entity": [], "name": [], "share": {"f8": 3, "n": 27}, "delay_s": {"f8": 0, "n": 0}},
        "transfers": {"flow": {"f8": 0, "n": 1}, "began_s": {"f8": 0, "n": 1},
            "size_bytes": {"f8": 1, "n": 1}, "fct_s": {"f8": 0, "n": 1}, "slowdown": {"f8": 0, "n": 1}}"#;

    /// One row of which the metric is number 1, and the shares of delays behind it.
    fn read(total: &str, rest: &str) -> Option<Outcome> {
        let text = format!("{{ {NOTHING}, \"total\": {total}, {rest} }}");
        Outcome::unpacked(&zipped(&text, &[&[0.0, 0.1, 5e-324], &SHARES[..]].concat()))
    }

    #[test]
    fn a_text_may_be_written_in_other_ways() {
        let total = r#"{"name": [""], "fct_s": {"n": 1, "f8": 1}}"#;
        let rest = r#""drops": [["\u00e9", "drop", "forced", 3]], "series": []"#;
        let Outcome {
            tables: found,
            transfers,
            ..
        } = read(total, rest).unwrap();
        assert_eq!(transfers[0].size_bytes, 0.1);
        assert_eq!(found.total.columns, [("fct_s".into(), vec![0.1])]);
        let row = &found.drops[0];
        assert_eq!(
            (row.link.as_str(), row.reason, row.packets),
            ("é", Reason::Forced, 3)
        );
    }

    #[test]
    fn other_bytes_are_no_outcome() {
        let whole = outcome("a", &[1.0]).packed();
        for end in 0..whole.len() {
            // Behind all that is said stands only the checksum of it.
            assert!(
                end + 4 >= whole.len() || Outcome::unpacked(&whole[..end]).is_none(),
                "{end}"
            );
        }
        for (total, rest) in [
            ("{}", r#""series": []"#),
            (
                r#"{"name": ["a"], "x": {"f8": 0, "n": 2}}"#,
                r#""drops": [], "series": []"#,
            ),
            (
                r#"{"name": ["a"], "x": {"f8": 30, "n": 1}}"#,
                r#""drops": [], "series": []"#,
            ),
            (r#"{"name": [3]}"#, r#""drops": [], "series": []"#),
            (
                "{}",
                r#""drops": [["a", "drop", "no reason", 3]], "series": []"#,
            ),
            ("{}", r#""drops": [["a", "drop", "forced"]], "series": []"#),
            (
                "{}",
                r#""drops": [], "series": [], "transfers": {"flow": {"f8": 0, "n": 1}}"#,
            ),
        ] {
            assert_eq!(read(total, rest), None, "{total} {rest}");
        }
        assert!(read("{}", r#""drops": [], "series": []"#).is_some());
    }
}
