//! The registries and the tables of a scenario file as data: help texts, the JSON Schema and the
//! reference pages are derived from here.

use serde_json::{Map, Value, json};
use sojourn_base::{Entry, Param, ParamSet, Preset};

use crate::keys::{self, NestedKey};

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
        "schema": parsed(param.schema),
        "default": param.default,
        "required": param.default.is_empty(),
        "presets": presets,
    })
}

/// A doc comment on one line.
fn words(doc: &str) -> String {
    doc.split_whitespace().collect::<Vec<_>>().join(" ")
}

/// A key that holds more than a scalar: as a parameter is, but its default is in Markdown.
fn nested(key: &NestedKey) -> Value {
    json!({
        "name": key.name,
        "doc": key.doc,
        "allowed": key.values.allowed.concat(),
        "schema": parsed(key.values.schema),
        "default": key.default,
        "required": key.default.is_empty(),
        "presets": {},
        "nested": true,
    })
}

/// A schema that is declared as text.
fn parsed(schema: &str) -> Value {
    serde_json::from_str(schema).unwrap_or_default()
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
    let all_keys = |table: Described| -> Value {
        let nested = table.nested.iter().map(nested);
        table.params.iter().map(param).chain(nested).collect()
    };
    let head = ("scenario".to_owned(), params(keys::Top::PARAMS));
    let others = tables().into_iter();
    let others = others.map(|table| (table.name.to_owned(), all_keys(table)));
    let tables: Map<String, Value> = core::iter::once(head).chain(others).collect();
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
    nested: &'static [NestedKey],
}

/// All of them but the head, in the order of the reference.
fn tables() -> Vec<Described> {
    let table = |name, params, nested| Described {
        name,
        params,
        nested,
    };
    vec![
        table("design", keys::Design::PARAMS, &[]),
        table("link", keys::Link::PARAMS, keys::LINK_NESTED),
        table("change", keys::LinkChange::PARAMS, &[]),
        table("steps", keys::LinkSteps::PARAMS, keys::STEPS_NESTED),
        table("loss", keys::LinkLoss::PARAMS, keys::LOSS_NESTED),
        table("jitter", keys::LinkJitter::PARAMS, &[]),
        table("flow", keys::Flow::PARAMS, keys::FLOW_NESTED),
        table("udp", keys::Transport::PARAMS, &[]),
        table("tcp", keys::TcpTransport::PARAMS, &[]),
        table("connection", sojourn_transport::TcpParams::PARAMS, &[]),
        table("dumbbell", keys::Dumbbell::PARAMS, keys::DUMBBELL_NESTED),
        table(
            "bottleneck",
            keys::Bottleneck::PARAMS,
            keys::BOTTLENECK_NESTED,
        ),
        table("access", keys::Access::PARAMS, keys::ACCESS_NESTED),
    ]
}

/// The schema of one declared table.
fn object(params: &[Param], nested: &[NestedKey]) -> Value {
    let mut properties = Map::new();
    let must = nested.iter().filter(|key| key.default.is_empty());
    let mut required: Vec<&str> = must.map(|key| key.name).collect();
    for param in params {
        let mut schema = parsed(param.schema);
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
    for key in nested {
        properties.insert(key.name.to_owned(), parsed(key.values.schema));
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
        let mut schema = object(params, &[]);
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
        let mut schema = object(&params, &[]);
        schema["properties"]["protocol"] = json!({ "const": "tcp" });
        schema["properties"]["congestion_control"] = json!({ "const": entry.name });
        schema
    };
    let mut udp = object(keys::Transport::PARAMS, &[]);
    udp["properties"]["protocol"] = json!({ "const": "udp" });
    let all = core::iter::once(udp).chain(sojourn_transport::CONTROLLERS.iter().map(tcp));
    json!({ "anyOf": all.collect::<Vec<_>>() })
}

/// The JSON Schema of scenario files.
pub fn schema() -> Value {
    let mut defs = Map::new();
    defs.insert("transport".to_owned(), transport());
    let mut head = object(keys::Top::PARAMS, &[]);
    for (name, section) in keys::SECTIONS {
        head["properties"][*name] = parsed(section);
    }
    defs.insert("scenario".to_owned(), head);
    for table in tables() {
        if matches!(table.name, "udp" | "tcp" | "connection") {
            continue;
        }
        defs.insert(table.name.to_owned(), object(table.params, table.nested));
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
