//! The registries and the tables of a scenario file as data: help texts, the JSON Schema and the
//! reference pages are derived from here.

use serde_json::{Map, Value, json};
use sojourn_base::{Entry, Param, ParamSet, Preset};

use crate::keys;

/// A parameter as data.
fn param(param: &Param) -> Value {
    let mut presets = Map::new();
    for preset in Preset::ALL {
        let under = param.default_under(preset);
        if under != param.default {
            presets.insert(preset.name().to_owned(), under.into());
        }
    }
    json!({
        "name": param.name,
        "doc": words(param.doc),
        "allowed": param.allowed,
        "schema": serde_json::from_str::<Value>(param.schema).unwrap_or_default(),
        "default": param.default,
        "required": param.default.is_empty(),
        "presets": presets,
    })
}

/// A doc comment on one line.
fn words(doc: &str) -> String {
    doc.split_whitespace().collect::<Vec<_>>().join(" ")
}

fn params(params: &[Param]) -> Value {
    params.iter().map(param).collect()
}

/// The lines of a registry as data.
fn entries(registry: &[Entry]) -> Value {
    let entry = |entry: &Entry| {
        json!({
            "name": entry.name,
            "class": entry.class,
            "title": entry.title,
            "manual": entry.manual(),
            "params": params(entry.params),
        })
    };
    registry.iter().map(entry).collect()
}

/// Everything that can be listed.
pub fn document() -> Value {
    let tables: Map<String, Value> = tables()
        .into_iter()
        .map(|table| (table.name.to_owned(), params(table.params)))
        .collect();
    json!({
        "disciplines": entries(sojourn_queue::DISCIPLINES),
        "congestion_controls": entries(sojourn_transport::CONTROLLERS),
        "sources": entries(sojourn_traffic::SOURCES),
        "tables": tables,
    })
}

/// A table of a scenario file.
struct Described {
    name: &'static str,
    params: &'static [Param],
    /// Keys that hold tables or lists, and what they may hold.
    tables: Vec<(&'static str, Value)>,
    required: &'static [&'static str],
}

impl Described {
    /// A table without such keys.
    fn plain(name: &'static str, params: &'static [Param]) -> Self {
        Self {
            name,
            params,
            tables: Vec::new(),
            required: &[],
        }
    }
}

fn refer(table: &str) -> Value {
    json!({ "$ref": format!("#/$defs/{table}") })
}

/// What a link and a bottleneck have in common.
fn ways() -> Vec<(&'static str, Value)> {
    let list = json!({ "type": "array", "items": refer("change") });
    let changes = ("changes", json!({ "anyOf": [list, refer("steps")] }));
    let queues = ["queue", "reverse_queue"].map(|key| (key, refer("queue")));
    [vec![changes], wires(), queues.to_vec()].concat()
}

/// What these and a dumbbell's access links have in common.
fn wires() -> Vec<(&'static str, Value)> {
    let share = json!({ "type": "number", "minimum": 0, "maximum": 1 });
    let loss = json!({ "anyOf": [share, refer("loss")] });
    let jitter = json!({ "anyOf": [{ "type": "string" }, refer("jitter")] });
    vec![
        ("loss", loss.clone()),
        ("reverse_loss", loss),
        ("jitter", jitter.clone()),
        ("reverse_jitter", jitter),
    ]
}

fn tables() -> Vec<Described> {
    let times = json!({ "anyOf": [
        { "type": "string" },
        { "type": "array", "items": { "type": "string" } },
        {
            "type": "object",
            "properties": { "first": { "type": "string" }, "step": { "type": "string" } },
            "required": ["first", "step"],
            "additionalProperties": false,
        },
    ] });
    let list = |of: &str| json!({ "type": "array", "items": refer(of) });
    let follow = || {
        json!({ "anyOf": [
            { "type": "string" },
            { "type": "array", "items": { "type": "string" } },
        ] })
    };
    let numbers = json!({ "type": "array", "items": { "type": "integer", "minimum": 1 } });
    vec![
        Described {
            name: "scenario",
            params: keys::Top::PARAMS,
            tables: vec![
                ("link", list("link")),
                ("flow", list("flow")),
                ("dumbbell", refer("dumbbell")),
                ("design", refer("design")),
                ("vary", json!({ "type": "object" })),
            ],
            required: &[],
        },
        Described::plain("design", keys::Design::PARAMS),
        Described {
            name: "link",
            params: keys::Link::PARAMS,
            tables: [vec![("delay", times.clone())], ways()].concat(),
            required: &[],
        },
        Described::plain("change", keys::LinkChange::PARAMS),
        Described {
            name: "steps",
            params: keys::LinkSteps::PARAMS,
            tables: vec![
                ("rates", follow()),
                ("delays", follow()),
                ("opportunities", json!({ "type": "string" })),
            ],
            required: &[],
        },
        Described {
            name: "loss",
            params: keys::LinkLoss::PARAMS,
            tables: vec![("packets", numbers)],
            required: &[],
        },
        Described::plain("jitter", keys::LinkJitter::PARAMS),
        Described {
            name: "flow",
            params: keys::Flow::PARAMS,
            tables: vec![
                ("transport", refer("transport")),
                ("traffic", refer("traffic")),
                ("access", refer("access")),
                ("rtt", times),
            ],
            required: &["transport", "traffic"],
        },
        Described::plain("udp", keys::Transport::PARAMS),
        Described::plain("tcp", keys::TcpTransport::PARAMS),
        Described::plain("connection", sojourn_transport::TcpParams::PARAMS),
        Described {
            name: "dumbbell",
            params: keys::Dumbbell::PARAMS,
            tables: vec![
                ("bottleneck", refer("bottleneck")),
                ("access", refer("access")),
            ],
            required: &["bottleneck"],
        },
        Described {
            name: "bottleneck",
            params: keys::Bottleneck::PARAMS,
            tables: ways(),
            required: &[],
        },
        Described {
            name: "access",
            params: keys::Access::PARAMS,
            tables: wires(),
            required: &[],
        },
    ]
}

/// The schema of one declared table.
fn object(params: &[Param], tables: &[(&str, Value)], also_required: &[&str]) -> Value {
    let mut properties = Map::new();
    let mut required: Vec<&str> = also_required.to_vec();
    for param in params {
        let mut schema: Value = serde_json::from_str(param.schema).unwrap_or_default();
        if matches!(param.default, "auto" | "none") {
            schema = json!({ "anyOf": [{ "const": param.default }, schema] });
        }
        schema["description"] = words(param.doc).into();
        if param.default.is_empty() {
            required.push(param.name);
        } else {
            schema["default"] = param.default.into();
        }
        properties.insert(param.name.to_owned(), schema);
    }
    for (name, schema) in tables {
        properties.insert((*name).to_owned(), schema.clone());
    }
    json!({
        "type": "object",
        "properties": properties,
        "required": required,
        "additionalProperties": false,
    })
}

/// The schema of a table whose word `word` says which parameters it has.
fn choice(word: &str, default: Option<&str>, entries: &[(&str, &[Param])]) -> Value {
    let one = |(name, params): &(&str, &[Param])| {
        let mut schema = object(params, &[], &[]);
        schema["properties"][word] = json!({ "const": name });
        schema["properties"]["preset"] = json!({ "enum": Preset::ALL.map(Preset::name) });
        if default != Some(name)
            && let Some(required) = schema["required"].as_array_mut()
        {
            required.push(word.into());
        }
        schema
    };
    json!({ "anyOf": entries.iter().map(one).collect::<Vec<_>>() })
}

/// The schema of a transport table: UDP's keys, or those of TCP, its connections and one of its
/// congestion controls.
fn transport() -> Value {
    let tcp = |entry: &Entry| {
        let params: Vec<Param> = [
            keys::TcpTransport::PARAMS,
            sojourn_transport::TcpParams::PARAMS,
            entry.params,
        ]
        .concat();
        let mut schema = object(&params, &[], &[]);
        schema["properties"]["protocol"] = json!({ "const": "tcp" });
        schema["properties"]["congestion_control"] = json!({ "const": entry.name });
        schema
    };
    let mut udp = object(keys::Transport::PARAMS, &[], &[]);
    udp["properties"]["protocol"] = json!({ "const": "udp" });
    let all = core::iter::once(udp).chain(sojourn_transport::CONTROLLERS.iter().map(tcp));
    json!({ "anyOf": all.collect::<Vec<_>>() })
}

/// The JSON Schema of scenario files.
pub fn schema() -> Value {
    let mut defs = Map::new();
    defs.insert("transport".to_owned(), transport());
    for table in tables() {
        if matches!(table.name, "udp" | "tcp" | "connection") {
            continue;
        }
        defs.insert(
            table.name.to_owned(),
            object(table.params, &table.tables, table.required),
        );
    }
    let disciplines: Vec<_> = sojourn_queue::DISCIPLINES
        .iter()
        .map(|entry| (entry.name, entry.params))
        .collect();
    defs.insert(
        "queue".to_owned(),
        choice("discipline", Some("droptail"), &disciplines),
    );
    let sources: Vec<_> = sojourn_traffic::SOURCES
        .iter()
        .map(|entry| (entry.name, entry.params))
        .collect();
    defs.insert("traffic".to_owned(), choice("source", None, &sources));
    json!({
        "$schema": "https://json-schema.org/draft/2020-12/schema",
        "title": "Sojourn scenario",
        "$ref": "#/$defs/scenario",
        "$defs": defs,
    })
}
