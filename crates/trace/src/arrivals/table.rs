//! Arrivals in a table: CSV with a header.
//!
//! ```text
//! time_s,size_B,flow,ecn
//! 0,1500,video,ect0
//! 0.0012,40,7,not
//! ```
//!
//! | column | what it is |
//! | --- | --- |
//! | `time_s` | seconds from the start (not since 1970), 0 or more, never less than in the line before; read exactly |
//! | `size_B` | bytes, framing excluded |
//! | `flow` | a number or a name (`07` is not `7`); without it all packets are of one flow |
//! | `ecn` | `not`, `ect0`, `ect1` or `ce`; `not` where it is missing or empty |
//!
//! Columns may stand in any order. Values may stand in quotes, but not go on over the end of a
//! line. Blanks around values, empty lines, and lines that begin with `#` are passed over.

use csv::{ErrorKind, Reader, ReaderBuilder, StringRecord, Trim};
use sojourn_base::decimal::Decimal;
use sojourn_base::time::{LONGEST_S, PS_PER_S};
use sojourn_base::{Ecn, Time};

use super::headers::hash;
use super::{Arrival, Fault, Place, Source};

const COLUMNS: [&str; 4] = ["time_s", "size_B", "flow", "ecn"];

/// Reads a table.
pub(super) struct Table {
    reader: Reader<Source>,
    record: StringRecord,
    /// Where each of the columns stands.
    columns: [Option<usize>; 4],
    /// How many there are.
    values: usize,
    packet: u64,
    last: Time,
}

impl Table {
    pub(super) fn new(source: Source) -> Result<Self, Fault> {
        let mut reader = ReaderBuilder::new()
            .trim(Trim::All)
            .comment(Some(b'#'))
            // Lengths are looked at here: what a stray quote does is no matter of length.
            .flexible(true)
            .from_reader(source);
        let header = reader.headers().map_err(fault_of)?;
        on_one_line(header)?;
        let columns = COLUMNS.map(|name| header.iter().position(|column| column == name));
        let is_known = |column: &&str| !COLUMNS.contains(column);
        let unknown = header.iter().find(is_known);
        let allowed = "a header of time_s,size_B and, where known, flow and ecn";
        if let Some(column) = unknown {
            return Err(Fault::Wrong(format!(
                "found the column {column:?}; allowed: {allowed}"
            )));
        }
        if columns[0].is_none() || columns[1].is_none() {
            let found: Vec<&str> = header.iter().collect();
            let found = found.join(",");
            return Err(Fault::Wrong(format!(
                "found the header {found:?}; allowed: {allowed}"
            )));
        }
        let values = header.len();
        Ok(Self {
            reader,
            values,
            record: StringRecord::new(),
            columns,
            packet: 0,
            last: Time::ZERO,
        })
    }

    pub(super) fn offset(&self) -> u64 {
        self.reader.position().byte()
    }

    pub(super) fn next(&mut self) -> Result<Option<Arrival>, (Place, Fault)> {
        self.packet += 1;
        match self.reader.read_record(&mut self.record) {
            Ok(false) => return Ok(None),
            Ok(true) => {}
            Err(error) => {
                let position = error.position().unwrap_or(self.reader.position());
                let place = self.place(position);
                return Err((place, fault_of(error)));
            }
        }
        let at = self.record.position().unwrap_or(self.reader.position());
        let place = self.place(at);
        on_one_line(&self.record).map_err(|fault| (place, fault))?;
        let arrival = self.read().map_err(|what| (place, Fault::Wrong(what)))?;
        self.last = arrival.time;
        Ok(Some(arrival))
    }

    /// Where the latest line stands.
    pub(super) fn latest(&self) -> Place {
        self.place(self.record.position().unwrap_or(self.reader.position()))
    }

    pub(super) fn flow_name(&self) -> String {
        let name = self.columns[2].and_then(|at| self.record.get(at));
        name.unwrap_or("all").to_owned()
    }

    fn place(&self, position: &csv::Position) -> Place {
        Place {
            packet: self.packet,
            line: Some(position.line()),
            offset: position.byte(),
        }
    }

    /// The values of the line just read.
    fn read(&self) -> Result<Arrival, String> {
        let (found, expected) = (self.record.len(), self.values);
        if found != expected {
            return Err(format!(
                "found {found} values; allowed: {expected}, as in the header"
            ));
        }
        let field = |column: usize| self.columns[column].and_then(|at| self.record.get(at));
        let wrong = |column: usize, allowed: &str| {
            let found: String = field(column).unwrap_or_default().chars().take(60).collect();
            format!("{}: found {found:?}; allowed: {allowed}", COLUMNS[column])
        };
        let ps = field(0)
            .and_then(Decimal::parse)
            .and_then(|time| time.nearest(PS_PER_S))
            .ok_or_else(|| {
                let ends = format!("at most {LONGEST_S} from the start, not since 1970");
                wrong(
                    0,
                    &format!("seconds of zero or more, such as 0.0125; {ends}"),
                )
            })?;
        let time = Time::from_ps(ps);
        if time < self.last {
            let allowed = format!("at least {} as in the line before", self.last);
            return Err(wrong(0, &allowed));
        }
        let size = field(1)
            .and_then(|size| size.parse::<u32>().ok())
            .filter(|&size| size > 0)
            .ok_or_else(|| wrong(1, "whole bytes above zero"))?;
        let flow = match field(2) {
            None => 0,
            Some(name) => match name.parse::<u64>() {
                Ok(number) if number.to_string() == name => number,
                _ => hash(&[name.as_bytes()]),
            },
        };
        let ecn = match field(3) {
            None | Some("") => Ecn::NotEct,
            Some(word) => Ecn::of_word(word).ok_or_else(|| wrong(3, "not, ect0, ect1, ce"))?,
        };
        Ok(Arrival {
            time,
            size,
            framing: 0,
            flow,
            source: 0,
            destination: 0,
            ecn,
            dscp: 0,
        })
    }
}

/// A quote that nothing closes makes one value of all that comes behind it.
fn on_one_line(record: &StringRecord) -> Result<(), Fault> {
    if record.iter().any(|value| value.contains(['\n', '\r'])) {
        let what = "found a value that goes on over the end of the line; allowed: values of one \
                    line, and quotes in pairs";
        return Err(Fault::Wrong(what.to_owned()));
    }
    Ok(())
}

fn fault_of(error: csv::Error) -> Fault {
    let shown = error.to_string();
    match error.into_kind() {
        ErrorKind::Io(error) => Fault::Io(error),
        ErrorKind::Utf8 { .. } => Fault::Wrong("found bytes that are no text".to_owned()),
        _ => Fault::Wrong(shown),
    }
}

#[cfg(test)]
mod tests {
    use super::super::Arrivals;
    use super::*;

    fn read(text: &'static str) -> Result<Vec<Arrival>, String> {
        let arrivals =
            Arrivals::read("t.csv", text.as_bytes()).map_err(|error| error.to_string())?;
        arrivals
            .map(|arrival| arrival.map_err(|error| error.to_string()))
            .collect()
    }

    #[test]
    fn a_table_is_read_exactly() {
        let arrivals = read(
            "# made by hand\nsize_B, time_s, ecn, flow\n1500,0.1,ect0,7\n\n40,1e-1,,video\n1,0.100000000001,ce,video\n",
        )
        .unwrap();
        let times: Vec<u64> = arrivals
            .iter()
            .map(|arrival| arrival.time.as_ps())
            .collect();
        assert_eq!(times, [100_000_000_000, 100_000_000_000, 100_000_000_001]);
        assert_eq!(arrivals[0].size, 1500);
        let ecn: Vec<Ecn> = arrivals.iter().map(|arrival| arrival.ecn).collect();
        assert_eq!(ecn, [Ecn::Ect0, Ecn::NotEct, Ecn::Ce]);
        assert_eq!(arrivals[0].flow, 7);
        assert_eq!(arrivals[1].flow, arrivals[2].flow);
    }

    #[test]
    fn flows_that_are_called_differently_are_different() {
        let arrivals = read("time_s,size_B,flow\n0,1,7\n0,1,07\n0,1,+7\n0,1,7\n").unwrap();
        let flows: Vec<u64> = arrivals.iter().map(|arrival| arrival.flow).collect();
        assert_eq!((flows[0], flows[3]), (7, 7));
        assert_ne!(flows[0], flows[1]);
        assert_ne!(flows[0], flows[2]);
        assert_ne!(flows[1], flows[2]);
    }

    #[test]
    fn two_columns_are_enough() {
        assert_eq!(read("time_s,size_B\n0,1\n").unwrap().len(), 1);
        assert_eq!(read("time_s,size_B\n").unwrap().len(), 0);
    }

    #[test]
    fn a_time_below_half_a_picosecond_is_the_start() {
        let arrivals = read("time_s,size_B\n1e-13,1\n0.0000000000004,1\n6e-13,1\n").unwrap();
        let times: Vec<u64> = arrivals
            .iter()
            .map(|arrival| arrival.time.as_ps())
            .collect();
        assert_eq!(times, [0, 0, 1]);
        let negative = read("time_s,size_B\n-1e-13,1\n").unwrap_err();
        assert!(negative.contains("found \"-1e-13\""), "{negative}");
    }

    /// Whether it stands at the end of its line or not, and whether another one follows.
    #[test]
    fn a_stray_quote_does_not_swallow_lines() {
        let says = "found a value that goes on over the end of the line; allowed: values of one \
                    line, and quotes in pairs";
        for text in [
            "time_s,size_B,flow\n0,1,a\n1,1,\"b\n2,1,c\n3,1,d\n",
            "time_s,size_B,flow\n0,1,a\n1,1,\"b\n2,1,c\n3,1,\"d\n",
            "time_s,size_B,flow\n0,1,a\n1,\"1,b\r\n2,1,c\r\n3,1,d\r\n",
        ] {
            let expected = format!("t.csv: packet 2 (line 3, byte 25): {says}");
            assert_eq!(read(text).unwrap_err(), expected, "{text}");
        }
        let header = read("time_s,size_B,\"flow\n0,1,a\n").unwrap_err();
        assert_eq!(header, format!("t.csv: {says}"));
        let quoted = read("time_s,size_B,flow\n0,1,\"a, b\"\n1,1,\"a, b\"\n").unwrap();
        assert_eq!(quoted[0].flow, quoted[1].flow);
    }

    #[test]
    fn errors_name_packet_line_and_byte() {
        let cases = [
            (
                "time_s,size_B\n0,1\n1,x\n",
                "t.csv: packet 2 (line 3, byte 18): size_B: found \"x\"; allowed: whole bytes above zero",
            ),
            (
                "time_s,size_B\n0,0\n",
                "t.csv: packet 1 (line 2, byte 14): size_B: found \"0\"; allowed: whole bytes above zero",
            ),
            (
                "time_s,size_B\n-1,1\n",
                "t.csv: packet 1 (line 2, byte 14): time_s: found \"-1\"; allowed: seconds of zero or more, such as 0.0125; at most 18446744 from the start, not since 1970",
            ),
            (
                "time_s,size_B\n1700000000.5,1\n",
                "t.csv: packet 1 (line 2, byte 14): time_s: found \"1700000000.5\"; allowed: seconds of zero or more, such as 0.0125; at most 18446744 from the start, not since 1970",
            ),
            (
                "time_s,size_B\n2,1\n1,1\n",
                "t.csv: packet 2 (line 3, byte 18): time_s: found \"1\"; allowed: at least 2 s as in the line before",
            ),
            (
                "time_s,size_B\n0,1,2\n",
                "t.csv: packet 1 (line 2, byte 14): found 3 values; allowed: 2, as in the header",
            ),
            (
                "time_s,size_B,ecn\n0,1,no\n",
                "t.csv: packet 1 (line 2, byte 18): ecn: found \"no\"; allowed: not, ect0, ect1, ce",
            ),
            (
                "time_s,size_b\n0,1\n",
                "t.csv: found the column \"size_b\"; allowed: a header of time_s,size_B and, where known, flow and ecn",
            ),
            (
                "time_s\n0\n",
                "t.csv: found the header \"time_s\"; allowed: a header of time_s,size_B and, where known, flow and ecn",
            ),
        ];
        for (text, message) in cases {
            assert_eq!(read(text).unwrap_err(), message);
        }
    }
}
