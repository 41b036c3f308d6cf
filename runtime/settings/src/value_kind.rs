//! The type of a setting, and the parsers for files, environment variables and flags.

use std::sync::Arc;

use serde_json::Value;
use toml::de::DeValue;

use crate::schema_field::SchemaField;
use helve_core::registry::nearest;
use helve_core::sandbox::Layer;
use helve_model::ModelName;
use helve_permission::DangerousPathSetting;
use helve_remote::SandboxChoice;

/// The value of a time limit that never ends.
const NONE: &str = "none";

#[derive(Debug, Clone)]
pub enum ValueKind {
    Text,
    /// An http or https URL.
    Url,
    Model,
    Models,
    TextList,
    Sandbox,
    Layers,
    DangerousPaths,
    OneOf(&'static [&'static str]),
    Integer {
        min: u64,
        most: u64,
    },
    /// A number from 0.
    Number {
        most: f64,
    },
    /// A number of seconds, or `none`.
    TimeLimit {
        most: f64,
    },
    Bool,
    /// A field of the settings of a pack.
    Field(Arc<SchemaField>),
}

/// The value of a setting.
#[derive(Debug, Clone, PartialEq)]
pub enum SettingValue {
    /// A text.
    Text(String),
    /// A list of texts.
    List(Vec<String>),
    /// A whole number.
    Integer(u64),
    /// A number.
    Number(f64),
    /// A truth value.
    Bool(bool),
    /// A value of a section that a pack declares.
    Json(Value),
}

impl ValueKind {
    /// Parses the value of a file. A text with a `${VARIABLE}` is validated when it is used.
    pub fn parse_toml(&self, value: &DeValue<'_>) -> Result<SettingValue, String> {
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
                    other => Err(format!("{} in the list", wrong(other))),
                };
                let texts: Vec<String> = items.iter().map(text).collect::<Result<_, _>>()?;
                texts
                    .iter()
                    .try_for_each(|text| self.validate_template(text))?;
                Ok(SettingValue::List(texts))
            }
            (Self::Integer { min: least, most }, DeValue::Integer(number)) => {
                match u64::from_str_radix(number.as_str(), number.radix()).ok() {
                    Some(number) if (*least..=*most).contains(&number) => {
                        Ok(SettingValue::Integer(number))
                    }
                    _ => Err(wrong(value)),
                }
            }
            (Self::Number { .. } | Self::TimeLimit { .. }, DeValue::Integer(number)) => self
                .parse_number(number.as_str())
                .map(SettingValue::Number)
                .ok_or_else(|| wrong(value)),
            (Self::Number { .. } | Self::TimeLimit { .. }, DeValue::Float(number)) => self
                .parse_number(number.as_str())
                .map(SettingValue::Number)
                .ok_or_else(|| wrong(value)),
            (Self::TimeLimit { .. }, DeValue::String(text)) if text == NONE => {
                Ok(SettingValue::Text(NONE.to_owned()))
            }
            (Self::Bool, DeValue::Boolean(value)) => Ok(SettingValue::Bool(*value)),
            _ => Err(wrong(value)),
        }
    }

    pub fn parse_text(&self, text: &str) -> Result<SettingValue, String> {
        let text = text.trim();
        let wrong = || format!("expected {}, got {text:?}", self.describe());
        match self {
            Self::Text | Self::Url | Self::Model | Self::Sandbox | Self::OneOf(_) => {
                self.validate(text)?;
                Ok(SettingValue::Text(text.to_owned()))
            }
            _ if self.is_list() => {
                let texts = text.split(',').map(str::trim);
                let texts = texts.filter(|text| !text.is_empty());
                let texts: Vec<String> = texts.map(str::to_owned).collect();
                texts.iter().try_for_each(|text| self.validate(text))?;
                Ok(SettingValue::List(texts))
            }
            Self::Integer { min: least, most } => {
                let number = text.parse().ok();
                let number = number.filter(|number| (*least..=*most).contains(number));
                number.map(SettingValue::Integer).ok_or_else(wrong)
            }
            Self::TimeLimit { .. } if text == NONE => Ok(SettingValue::Text(NONE.to_owned())),
            Self::Number { .. } | Self::TimeLimit { .. } => self
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

    fn validate_template(&self, text: &str) -> Result<(), String> {
        if super::variables::names(text)?.is_empty() {
            let text = super::variables::expand(text, |_| None).unwrap_or_default();
            return self.validate(&text);
        }
        Ok(())
    }

    /// Validates an expanded text.
    pub fn validate(&self, text: &str) -> Result<(), String> {
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
                None => Err(format!(
                    "unknown layer {text:?}; expected one of {}",
                    layers()
                )),
            },
            Self::DangerousPaths => match text.parse::<DangerousPathSetting>() {
                Ok(_) => Ok(()),
                Err(error) => Err(error.to_string()),
            },
            Self::Url if !is_http_url(text) => Err(format!(
                "expected a URL such as `https://host/v1`, got {text:?}"
            )),
            Self::OneOf(words) if !words.contains(&text) => {
                let meant = match nearest(text, words.iter().copied()) {
                    Some(near) => format!("; did you mean {near:?}?"),
                    None => String::new(),
                };
                Err(format!("expected {}, got {text:?}{meant}", self.describe()))
            }
            _ if text.contains(['\n', '\r', '\0']) => Err("expected a single line".to_owned()),
            _ => Ok(()),
        }
    }

    fn parse_number(&self, text: &str) -> Option<f64> {
        let (Self::Number { most } | Self::TimeLimit { most }) = self else {
            return None;
        };
        let number: f64 = text.replace('_', "").parse().ok()?;
        (0.0..=*most).contains(&number).then_some(number)
    }

    pub fn is_list(&self) -> bool {
        matches!(
            self,
            Self::Models | Self::TextList | Self::Layers | Self::DangerousPaths
        )
    }

    pub fn value_name(&self) -> &'static str {
        match self {
            Self::Text | Self::TextList | Self::Layers | Self::DangerousPaths => "STRING",
            Self::Sandbox => "SANDBOX",
            Self::Url => "URL",
            Self::Model | Self::Models => "PROVIDER/MODEL",

            Self::Integer { .. } | Self::Number { .. } | Self::TimeLimit { .. } => "NUMBER",
            Self::Bool => "BOOL",
            Self::OneOf(_) | Self::Field(_) => "VALUE",
        }
    }

    pub fn describe(&self) -> String {
        match self {
            Self::Text => "a string".to_owned(),
            Self::Url => "a URL".to_owned(),
            Self::Model => "a model, as `provider/model`".to_owned(),
            Self::Models => "a list of models, each as `provider/model`".to_owned(),
            Self::TextList => "a list of strings".to_owned(),
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
            Self::Integer { min, most } if *most > u64::from(u32::MAX) => {
                format!("an integer of at least {min}")
            }
            Self::Integer { min, most } => format!("an integer from {min} to {most}"),
            Self::Number { most } => format!("a number from 0 to {most}"),
            Self::TimeLimit { most } => format!("a number from 0 to {most}, or {NONE:?}"),
            Self::Bool => "true or false".to_owned(),
            Self::Field(field) => field.expected(),
        }
    }
}

fn layers() -> String {
    Layer::ALL.map(Layer::name).join(", ")
}

/// Reports whether a text is an http or https URL. The client validates the rest of the URL.
fn is_http_url(text: &str) -> bool {
    let rest = ["http://", "https://"]
        .iter()
        .find_map(|scheme| text.strip_prefix(scheme));
    let host = rest.and_then(|rest| rest.split(['/', '?', '#']).next());
    host.is_some_and(|host| !host.is_empty()) && !text.contains(char::is_whitespace)
}

fn describe_toml(value: &DeValue<'_>) -> String {
    match value {
        DeValue::String(text) => {
            format!(
                "the string {:?}",
                helve_terminal::sanitize::first_line(text, 40)
            )
        }
        DeValue::Integer(number) => format!("the number {number}"),
        DeValue::Float(number) => format!("the number {number}"),
        DeValue::Boolean(value) => value.to_string(),
        DeValue::Datetime(_) => "a date".to_owned(),
        DeValue::Array(_) => "a list".to_owned(),
        DeValue::Table(_) => "a table".to_owned(),
    }
}
