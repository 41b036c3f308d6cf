//! What a setting may be, and how it is read out of a file, a variable or a flag.

use std::sync::Arc;

use serde_json::Value;
use toml::de::{DeInteger, DeValue};

use crate::model::ModelName;
use crate::permission::DangerousPathSetting;
use crate::registry::nearest;
use crate::sandbox::{Layer, SandboxChoice};
use crate::schema::SchemaField;

/// What a setting may be.
#[derive(Debug, Clone)]
pub(in crate::cli) enum ValueKind {
    /// A text.
    Text,
    /// An address.
    Url,
    /// The name of a model.
    Model,
    /// Names of models.
    Models,
    /// Texts.
    TextList,
    /// Which sandbox commands run in.
    Sandbox,
    /// Names of a sandbox's layers.
    Layers,
    /// Patterns of dangerous paths.
    DangerousPaths,
    /// One of these words.
    OneOf(&'static [&'static str]),
    /// A whole number.
    Integer {
        /// The least.
        min: u64,
        /// The most.
        most: u64,
    },
    /// A number from 0.
    Number {
        /// The most.
        most: f64,
    },
    /// Yes or no.
    Bool,
    /// A field of the settings of a pack.
    Field(Arc<SchemaField>),
}

/// What was said.
#[derive(Debug, Clone, PartialEq)]
pub(in crate::cli) enum SettingValue {
    Text(String),
    List(Vec<String>),
    Integer(u64),
    Number(f64),
    Bool(bool),
    /// The value of a field of the settings of a pack.
    Json(Value),
}

impl ValueKind {
    /// Reads the value of a file. A text with a `${VARIABLE}` in it is judged when it is used.
    pub(super) fn parse_toml(&self, value: &DeValue<'_>) -> Result<SettingValue, String> {
        let wrong = |value: &DeValue<'_>| {
            format!("expected {}, got {}", self.describe(), describe_toml(value))
        };
        match (self, value) {
            (
                Self::Text | Self::Url | Self::Model | Self::Sandbox | Self::OneOf(_),
                DeValue::String(text),
            ) => {
                self.validate_template(text)?;
                Ok(SettingValue::Text(text.clone().into_owned()))
            }
            (_, DeValue::Array(items)) if self.is_list() => {
                let text = |item: &toml::Spanned<DeValue<'_>>| match item.get_ref() {
                    DeValue::String(text) => Ok(text.clone().into_owned()),
                    other => Err(format!("{} among them", wrong(other))),
                };
                let texts: Vec<String> = items.iter().map(text).collect::<Result<_, _>>()?;
                texts
                    .iter()
                    .try_for_each(|text| self.validate_template(text))?;
                Ok(SettingValue::List(texts))
            }
            (Self::Integer { min: least, most }, DeValue::Integer(number)) => {
                match parse_integer(number) {
                    Some(number) if (*least..=*most).contains(&number) => {
                        Ok(SettingValue::Integer(number))
                    }
                    _ => Err(wrong(value)),
                }
            }
            (Self::Number { .. }, DeValue::Integer(number)) => self
                .parse_number(number.as_str())
                .map(SettingValue::Number)
                .ok_or_else(|| wrong(value)),
            (Self::Number { .. }, DeValue::Float(number)) => self
                .parse_number(number.as_str())
                .map(SettingValue::Number)
                .ok_or_else(|| wrong(value)),
            (Self::Bool, DeValue::Boolean(value)) => Ok(SettingValue::Bool(*value)),
            _ => Err(wrong(value)),
        }
    }

    /// Reads the text of a variable or a flag.
    pub(super) fn parse_text(&self, text: &str) -> Result<SettingValue, String> {
        let text = text.trim();
        let wrong = || format!("expected {}, got {text:?}", self.describe());
        match self {
            Self::Text | Self::Url | Self::Model | Self::Sandbox | Self::OneOf(_) => {
                self.validate(text)?;
                Ok(SettingValue::Text(text.to_owned()))
            }
            _ if self.is_list() => {
                let texts = text
                    .split(',')
                    .map(str::trim)
                    .filter(|text| !text.is_empty());
                let texts: Vec<String> = texts.map(str::to_owned).collect();
                texts.iter().try_for_each(|text| self.validate(text))?;
                Ok(SettingValue::List(texts))
            }
            Self::Integer { min: least, most } => {
                let number = text
                    .parse()
                    .ok()
                    .filter(|number| (*least..=*most).contains(number));
                number.map(SettingValue::Integer).ok_or_else(wrong)
            }
            Self::Number { .. } => self
                .parse_number(text)
                .map(SettingValue::Number)
                .ok_or_else(wrong),
            Self::Bool => match text.to_ascii_lowercase().as_str() {
                "1" | "true" | "on" | "yes" => Ok(SettingValue::Bool(true)),
                "0" | "false" | "off" | "no" => Ok(SettingValue::Bool(false)),
                _ => Err(wrong()),
            },
            _ => Err(wrong()),
        }
    }

    /// Judges a text of a file, as far as that can be done before its variables are known.
    fn validate_template(&self, text: &str) -> Result<(), String> {
        if super::variables::names(text)?.is_empty() {
            let text = super::variables::expand(text, |_| None).unwrap_or_default();
            return self.validate(&text);
        }
        Ok(())
    }

    /// Judges a text that is whole.
    pub(super) fn validate(&self, text: &str) -> Result<(), String> {
        match self {
            Self::Model | Self::Models => match text.parse::<ModelName>() {
                Ok(_) => Ok(()),
                Err(error) => Err(error.to_string()),
            },
            Self::Sandbox => match text.parse::<SandboxChoice>() {
                Ok(_) => Ok(()),
                Err(error) => Err(error.to_string()),
            },
            Self::Layers => match Layer::from_name(text) {
                Some(_) => Ok(()),
                None => Err(format!("there is no layer {text:?}: {}", layers())),
            },
            Self::DangerousPaths => match text.parse::<DangerousPathSetting>() {
                Ok(_) => Ok(()),
                Err(error) => Err(error.to_string()),
            },
            Self::Url if !is_http_url(text) => Err(format!(
                "expected an address such as `https://host/v1`, got {text:?}"
            )),
            Self::OneOf(words) if !words.contains(&text) => {
                let meant = match nearest(text, words.iter().copied()) {
                    Some(near) => format!("; did you mean {near:?}?"),
                    None => String::new(),
                };
                Err(format!("expected {}, got {text:?}{meant}", self.describe()))
            }
            _ if text.contains(['\n', '\r', '\0']) => {
                Err("expected a text of one line, got several".to_owned())
            }
            _ => Ok(()),
        }
    }

    fn parse_number(&self, text: &str) -> Option<f64> {
        let Self::Number { most } = self else {
            return None;
        };
        let number: f64 = text.replace('_', "").parse().ok()?;
        (0.0..=*most).contains(&number).then_some(number)
    }

    /// Reports whether several may be said.
    pub(super) fn is_list(&self) -> bool {
        matches!(
            self,
            Self::Models | Self::TextList | Self::Layers | Self::DangerousPaths
        )
    }

    /// Returns the word for its value in a help.
    pub(super) fn value_name(&self) -> &'static str {
        match self {
            Self::Text | Self::TextList | Self::Layers | Self::DangerousPaths => "TEXT",
            Self::Sandbox => "SANDBOX",
            Self::Url => "URL",
            Self::Model | Self::Models => "PROVIDER/MODEL",
            Self::OneOf(_) => "WORD",
            Self::Integer { .. } | Self::Number { .. } => "N",
            Self::Bool => "BOOL",
            Self::Field(_) => "VALUE",
        }
    }

    /// Says what it may be.
    pub(in crate::cli) fn describe(&self) -> String {
        match self {
            Self::Text => "a text".to_owned(),
            Self::Url => "an address".to_owned(),
            Self::Model => "a model, as `provider/model`".to_owned(),
            Self::Models => "a list of models, each as `provider/model`".to_owned(),
            Self::TextList => "a list of texts".to_owned(),
            Self::Sandbox => {
                "`local`, `passthrough`, `docker:IMAGE` or `ssh:[USER@]HOST[:PORT][/FOLDER]`"
                    .to_owned()
            }
            Self::DangerousPaths => format!(
                "a list of paths, each as `{}`",
                DangerousPathSetting::SYNTAX
            ),
            Self::Layers => format!("a list of layers: {}", layers()),
            Self::OneOf(words) => {
                let words: Vec<String> = words.iter().map(|word| format!("{word:?}")).collect();
                format!("one of {}", words.join(", "))
            }
            Self::Integer { min: least, most } if *most > u64::from(u32::MAX) => {
                format!("a whole number from {least}")
            }
            Self::Integer { min: least, most } => format!("a whole number from {least} to {most}"),
            Self::Number { most } => format!("a number from 0 to {most}"),
            Self::Bool => "true or false".to_owned(),
            Self::Field(field) => field.expected(),
        }
    }
}

/// Lists the layers of a sandbox.
fn layers() -> String {
    Layer::ALL.map(Layer::name).join(", ")
}

/// Reports whether a text is an address of the web; who connects judges the rest of it.
fn is_http_url(text: &str) -> bool {
    let rest = ["http://", "https://"]
        .iter()
        .find_map(|scheme| text.strip_prefix(scheme));
    let host = rest.and_then(|rest| rest.split(['/', '?', '#']).next());
    host.is_some_and(|host| !host.is_empty()) && !text.contains(char::is_whitespace)
}

fn parse_integer(number: &DeInteger<'_>) -> Option<u64> {
    u64::from_str_radix(number.as_str(), number.radix()).ok()
}

/// Says what a value of a file is.
fn describe_toml(value: &DeValue<'_>) -> String {
    match value {
        DeValue::String(text) => {
            format!("the text {:?}", crate::cli::sanitize::first_line(text, 40))
        }
        DeValue::Integer(number) => format!("the number {number}"),
        DeValue::Float(number) => format!("the number {number}"),
        DeValue::Boolean(value) => value.to_string(),
        DeValue::Datetime(_) => "a date".to_owned(),
        DeValue::Array(_) => "a list".to_owned(),
        DeValue::Table(_) => "a table".to_owned(),
    }
}
