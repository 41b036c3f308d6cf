//! The flags of `call TOOL`, from the tool's schema: typed, with help, and back into JSON text.

use clap::builder::{
    BoolValueParser, PossibleValuesParser, StringValueParser, TypedValueParser as _,
};
use clap::{Arg, ArgAction, ArgMatches, Command, value_parser};
use serde_json::{Map, Value};

use super::schema_shape::SchemaShapes;
use helve_core::tool::ToolSpec;

/// The positional argument that replaces all flags.
const JSON_ARGUMENT: &str = "ARGUMENTS";

/// The type of a flag's value.
enum FlagKind {
    Text,
    OneOf(Vec<String>),
    Integer,
    Number,
    Flag,
    Json,
}

/// Creates the command that parses the arguments of a call; `caller` is the command before the name of the tool.
pub(super) fn command(spec: &ToolSpec, caller: &str) -> Command {
    let schema = spec.input_schema.value();
    let required = |name: &str| {
        schema["required"]
            .as_array()
            .is_some_and(|names| names.iter().any(|known| known == name))
    };
    let shapes = SchemaShapes::new(schema);
    let flags = properties(schema).map(|(name, property)| {
        let flag = flag(name, property, required(name));
        match kind(property) {
            (FlagKind::Json, _) => flag.long_help(json_help(name, property, &shapes)),
            _ => flag,
        }
    });
    let json = Arg::new(JSON_ARGUMENT)
        .help("All arguments as a JSON object instead of flags; `-` reads it from standard input")
        .exclusive(true);
    let name = &spec.name;
    let about = spec.description.lines().next().unwrap_or_default();
    Command::new(name.to_string())
        .bin_name(format!("{caller} {name}"))
        .override_usage(format!(
            "{caller} {name} [FLAGS]\n       {caller} {name} JSON"
        ))
        .about(about.to_owned())
        .long_about(spec.description.to_string())
        .arg(json)
        .args(flags)
}

fn properties(schema: &Value) -> impl Iterator<Item = (&String, &Value)> {
    schema["properties"].as_object().into_iter().flatten()
}

fn flag(name: &str, property: &Value, required: bool) -> Arg {
    let (kind, is_list) = kind(property);
    let long = name.replace('_', "-");
    let mut arg = Arg::new(name.to_owned())
        .long(long.clone())
        .help(help(property))
        .required(required);
    if long != name {
        arg = arg.alias(name.to_owned());
    }
    arg = match kind {
        FlagKind::Text => arg
            .value_parser(StringValueParser::new().map(Value::from))
            .value_name("TEXT")
            .allow_hyphen_values(true),
        FlagKind::OneOf(words) => {
            arg.value_parser(PossibleValuesParser::new(words).map(Value::from))
        }
        FlagKind::Integer => arg
            .value_parser(value_parser!(i64).map(Value::from))
            .value_name("INTEGER")
            .allow_negative_numbers(true),
        FlagKind::Number => arg
            .value_parser(|text: &str| text.parse::<f64>().map(Value::from))
            .value_name("NUMBER")
            .allow_negative_numbers(true),
        FlagKind::Flag => arg
            .value_parser(BoolValueParser::new().map(Value::from))
            .num_args(0..=1)
            .default_missing_value("true")
            .value_name("BOOL"),
        FlagKind::Json => arg.value_parser(json).value_name("JSON"),
    };
    if is_list {
        arg.action(ArgAction::Append)
            .help(format!("{} (can be repeated)", help(property)))
    } else {
        arg
    }
}

fn help(property: &Value) -> String {
    let text = property["description"].as_str().unwrap_or_default();
    match property.get("default") {
        Some(default) => format!("{text} [default: {default}]"),
        None => text.to_owned(),
    }
}

/// Describes a flag that takes JSON, with the shape of the value and an example.
fn json_help(name: &str, property: &Value, shapes: &SchemaShapes<'_>) -> String {
    let (help, shape) = (help(property), shapes.shape(property));
    let (long, example) = (name.replace('_', "-"), shapes.example(property));
    let example = example.to_string().replace('\'', "'\\''");
    let text = format!("{help}\n\nShape: {shape}\nExample: --{long} '{example}'");
    text.trim_start().to_owned()
}

/// Returns the type of a property, and whether the property is a list.
fn kind(property: &Value) -> (FlagKind, bool) {
    match property["type"].as_str() {
        Some("array") => match kind(&property["items"]) {
            (FlagKind::Flag | FlagKind::Json, _) | (_, true) => (FlagKind::Json, false),
            (inner, false) => (inner, true),
        },
        Some("string") => match property["enum"].as_array() {
            Some(words) => {
                let words = words.iter().filter_map(Value::as_str).map(str::to_owned);
                (FlagKind::OneOf(words.collect()), false)
            }
            None => (FlagKind::Text, false),
        },
        Some("integer") => (FlagKind::Integer, false),
        Some("number") => (FlagKind::Number, false),
        Some("boolean") => (FlagKind::Flag, false),
        _ => (FlagKind::Json, false),
    }
}

fn json(text: &str) -> Result<Value, String> {
    serde_json::from_str(text).map_err(|error| format!("not JSON: {error}"))
}

/// Returns the JSON text of a call: from the flags, or from standard input.
///
/// Standard input is read on a thread for blocking work, since the runtime serves the MCP servers meanwhile.
pub(super) async fn arguments(spec: &ToolSpec, matches: &ArgMatches) -> std::io::Result<String> {
    match matches.get_one::<String>(JSON_ARGUMENT).map(String::as_str) {
        Some("-") => {
            let read = || std::io::read_to_string(std::io::stdin());
            tokio::task::spawn_blocking(read).await?
        }
        Some(text) => Ok(text.to_owned()),
        None => {
            let given = properties(spec.input_schema.value()).filter_map(|(name, property)| {
                value(name, property, matches).map(|value| (name.clone(), value))
            });
            Ok(Value::Object(given.collect::<Map<_, _>>()).to_string())
        }
    }
}

fn value(name: &str, property: &Value, matches: &ArgMatches) -> Option<Value> {
    let (_, is_list) = kind(property);
    let values: Vec<Value> = matches.get_many(name)?.cloned().collect();
    if is_list {
        Some(values.into())
    } else {
        values.into_iter().next_back()
    }
}

#[cfg(test)]
mod tests {
    use helve_core::schema::CanonicalSchema;
    use serde_json::json;

    use super::*;

    #[test]
    fn the_help_shows_the_shape_of_json() {
        let schema = json!({
            "type": "object",
            "properties": {
                "stay_for": {
                    "type": "object",
                    "description": "Where to stay.",
                    "properties": {
                        "city": { "type": "string", "examples": ["Land's End"] },
                        "nights": { "type": "integer", "minimum": 2 },
                        "rooms": { "type": "array", "items": { "enum": ["single", "double"] } },
                    },
                    "required": ["city", "rooms"],
                },
            },
            "required": ["stay_for"],
        });
        let schema = CanonicalSchema::from_part(schema);
        let spec = ToolSpec::new("book", "Books a room.", schema);
        let help = command(&spec, "x call").render_long_help().to_string();
        insta::assert_snapshot!(help, @r#"
        Books a room.

        Usage: x call book [FLAGS]
               x call book JSON

        Arguments:
          [ARGUMENTS]
                  All arguments as a JSON object instead of flags; `-` reads it from standard input

        Options:
              --stay-for <JSON>
                  Where to stay.
                  
                  Shape: {"city": TEXT, "nights"?: INTEGER, "rooms": ["single"|"double", …]}
                  Example: --stay-for '{"city":"Land'\''s End","rooms":["single"]}'

          -h, --help
                  Print help (see a summary with '-h')
        "#);
        let flag = r#"--stay-for={"city": "Land's End", "rooms": ["single"]}"#;
        let given = command(&spec, "x call").try_get_matches_from(["book", flag]);
        assert!(given.is_ok(), "{given:?}");
    }
}
