//! The columns of the log, and the file that they go to.

use std::collections::HashMap;
use std::io::{self, Write};
use std::sync::Arc;

use parquet::basic::Compression;
use parquet::data_type::{ByteArray, ByteArrayType, DataType, DoubleType, Int32Type, Int64Type};
use parquet::errors::ParquetError;
use parquet::file::properties::WriterProperties;
use parquet::file::writer::{SerializedFileWriter, SerializedRowGroupWriter};
use parquet::schema::parser::parse_message_type;

use super::{Row, kind, way};

/// The columns, in the order in which they are written.
const SCHEMA: &str = "
message events {
    required double time_s;
    required binary event (utf8);
    required binary link (utf8);
    required binary flow (utf8);
    required int32 connection;
    required binary way (utf8);
    required int64 packet;
    required binary kind (utf8);
    required int64 number;
    required int32 size_bytes;
    required binary ecn (utf8);
    optional double sojourn_s;
    optional binary reason (utf8);
    required int64 queue_packets;
    required int64 queue_bytes;
    optional binary state (utf8);
    optional binary state_after (utf8);
}";

/// Words of the vocabulary, each made once.
#[derive(Default)]
pub(super) struct Texts(HashMap<&'static str, ByteArray>);

impl Texts {
    fn of(&mut self, word: &'static str) -> ByteArray {
        let made = self.0.entry(word).or_insert_with(|| ByteArray::from(word));
        made.clone()
    }
}

/// The values of a column; where some may be missing, a level for each row tells which.
#[derive(Default)]
struct Column<T> {
    values: Vec<T>,
    levels: Vec<i16>,
}

impl<T> Column<T> {
    fn push(&mut self, value: T) {
        self.values.push(value);
    }

    fn push_optional(&mut self, value: Option<T>) {
        self.levels.push(i16::from(value.is_some()));
        self.values.extend(value);
    }

    fn flush<D: DataType<T = T>>(&mut self, group: &mut Group<'_, impl Write + Send>) -> Done {
        let Some(mut column) = group.next_column()? else {
            return Err(ParquetError::General("a column too many".to_owned()));
        };
        let levels = (!self.levels.is_empty()).then_some(self.levels.as_slice());
        column
            .typed::<D>()
            .write_batch(&self.values, levels, None)?;
        column.close()?;
        self.values.clear();
        self.levels.clear();
        Ok(())
    }
}

type Group<'a, W> = SerializedRowGroupWriter<'a, W>;
type Done = Result<(), ParquetError>;

/// The file, and the rows that are not in it yet.
pub(super) struct Table<W: Write + Send> {
    file: SerializedFileWriter<W>,
    time_s: Column<f64>,
    event: Column<ByteArray>,
    link: Column<ByteArray>,
    flow: Column<ByteArray>,
    connection: Column<i32>,
    way: Column<ByteArray>,
    packet: Column<i64>,
    kind: Column<ByteArray>,
    number: Column<i64>,
    size_bytes: Column<i32>,
    ecn: Column<ByteArray>,
    sojourn_s: Column<f64>,
    reason: Column<ByteArray>,
    queue_packets: Column<i64>,
    queue_bytes: Column<i64>,
    state: Column<ByteArray>,
    state_after: Column<ByteArray>,
    state_bytes: usize,
}

impl<W: Write + Send> Table<W> {
    pub(super) fn new(out: W) -> Result<Self, ParquetError> {
        let schema = Arc::new(parse_message_type(SCHEMA)?);
        let properties = WriterProperties::builder()
            .set_compression(Compression::SNAPPY)
            .set_created_by("sojourn".to_owned())
            .build();
        Ok(Self {
            file: SerializedFileWriter::new(out, schema, Arc::new(properties))?,
            time_s: Column::default(),
            event: Column::default(),
            link: Column::default(),
            flow: Column::default(),
            connection: Column::default(),
            way: Column::default(),
            packet: Column::default(),
            kind: Column::default(),
            number: Column::default(),
            size_bytes: Column::default(),
            ecn: Column::default(),
            sojourn_s: Column::default(),
            reason: Column::default(),
            queue_packets: Column::default(),
            queue_bytes: Column::default(),
            state: Column::default(),
            state_after: Column::default(),
            state_bytes: 0,
        })
    }

    /// How many rows are not in the file yet.
    pub(super) fn rows(&self) -> usize {
        self.time_s.values.len()
    }

    /// How many bytes of inner variables these hold.
    pub(super) fn state_bytes(&self) -> usize {
        self.state_bytes
    }

    pub(super) fn push(&mut self, row: Row, link: &ByteArray, flow: &ByteArray, texts: &mut Texts) {
        let packet = &row.packet;
        self.time_s.push(row.time_s);
        self.event.push(texts.of(row.event));
        self.link.push(link.clone());
        self.flow.push(flow.clone());
        self.connection.push(packet.connection.cast_signed());
        self.way.push(texts.of(way(packet.direction())));
        self.packet.push(row.known.packet);
        self.kind.push(texts.of(kind(packet.kind())));
        self.number.push(row.known.number);
        self.size_bytes.push(i32::from(packet.size));
        self.ecn.push(texts.of(packet.ecn().word()));
        self.sojourn_s.push_optional(row.sojourn_s);
        let reason = row.reason.map(|reason| texts.of(reason.name()));
        self.reason.push_optional(reason);
        self.queue_packets.push(row.queue.0);
        self.queue_bytes.push(row.queue.1);
        let [before, after] = row.states.map_or([None, None], |both| both.map(Some));
        for text in [&before, &after].into_iter().flatten() {
            self.state_bytes += text.len();
        }
        self.state.push_optional(before);
        self.state_after.push_optional(after);
    }

    /// Writes the rows as a row group.
    pub(super) fn flush(&mut self) -> Done {
        let mut group = self.file.next_row_group()?;
        self.time_s.flush::<DoubleType>(&mut group)?;
        self.event.flush::<ByteArrayType>(&mut group)?;
        self.link.flush::<ByteArrayType>(&mut group)?;
        self.flow.flush::<ByteArrayType>(&mut group)?;
        self.connection.flush::<Int32Type>(&mut group)?;
        self.way.flush::<ByteArrayType>(&mut group)?;
        self.packet.flush::<Int64Type>(&mut group)?;
        self.kind.flush::<ByteArrayType>(&mut group)?;
        self.number.flush::<Int64Type>(&mut group)?;
        self.size_bytes.flush::<Int32Type>(&mut group)?;
        self.ecn.flush::<ByteArrayType>(&mut group)?;
        self.sojourn_s.flush::<DoubleType>(&mut group)?;
        self.reason.flush::<ByteArrayType>(&mut group)?;
        self.queue_packets.flush::<Int64Type>(&mut group)?;
        self.queue_bytes.flush::<Int64Type>(&mut group)?;
        self.state.flush::<ByteArrayType>(&mut group)?;
        self.state_after.flush::<ByteArrayType>(&mut group)?;
        group.close()?;
        self.state_bytes = 0;
        Ok(())
    }

    /// Writes what is left, and the footer.
    pub(super) fn close(mut self) -> Done {
        if self.rows() > 0 {
            self.flush()?;
        }
        self.file.close()?;
        Ok(())
    }
}

/// The error of the file itself, without the word that Parquet puts before what is not its own.
pub(super) fn io_error(error: ParquetError) -> io::Error {
    match error {
        ParquetError::External(own) => io::Error::other(own),
        error => error.into(),
    }
}
