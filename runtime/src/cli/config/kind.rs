//! What a setting may be, and how it is read out of a file, a variable or a flag.

use toml::de::{DeInteger, DeValue};

use crate::model::ModelName;
use crate::permission::AddedPath;
use crate::registry::nearest;
use crate::sandbox::{Layer, SandboxChoice};

/// What a setting may be.
#[derive(Debug, Clone, Copy)]
pub(in crate::cli) enum Kind {
    /// A text.
    Text,
    /// An address.
    Url,
    /// The name of a model.
    Model,
    /// Names of models.
    Models,
    /// Texts.
    Texts,
    /// Which sandbox commands run in.
    Sandbox,
    /// Names of a sandbox's layers.
    Layers,
    /// Patterns of dangerous paths.
    DangerousPaths,
    /// One of these words.
    Word(&'static [&'static str]),
    /// A whole number.
    Whole {
        /// The least.
        least: u64,
        /// The most.
        most: u64,
    },
    /// A number from 0.
    Number {
        /// The most.
        most: f64,
    },
    /// Yes or no.
    Switch,
}

/// What was said.
#[derive(Debug, Clone, PartialEq)]
pub(in crate::cli) enum Value {
    Text(String),
    List(Vec<String>),
    Whole(u64),
    Number(f64),
    Switch(bool),
}

impl Kind {
    /// Reads the value of a file. A text with a `${VARIABLE}` in it is judged when it is used.
    pub(super) fn read(self, value: &DeValue<'_>) -> Result<Value, String> {
        let wrong =
            |value: &DeValue<'_>| format!("expected {}, got {}", self.describe(), describe(value));
        match (self, value) {
            (
                Self::Text | Self::Url | Self::Model | Self::Sandbox | Self::Word(_),
                DeValue::String(text),
            ) => {
                self.check(text)?;
                Ok(Value::Text(text.clone().into_owned()))
            }
            (_, DeValue::Array(items)) if self.is_list() => {
                let text = |item: &toml::Spanned<DeValue<'_>>| match item.get_ref() {
                    DeValue::String(text) => Ok(text.clone().into_owned()),
                    other => Err(format!("{} among them", wrong(other))),
                };
                let texts: Vec<String> = items.iter().map(text).collect::<Result<_, _>>()?;
                texts.iter().try_for_each(|text| self.check(text))?;
                Ok(Value::List(texts))
            }
            (Self::Whole { least, most }, DeValue::Integer(number)) => match whole(number) {
                Some(number) if (least..=most).contains(&number) => Ok(Value::Whole(number)),
                _ => Err(wrong(value)),
            },
            (Self::Number { .. }, DeValue::Integer(number)) => self
                .number(number.as_str())
                .map(Value::Number)
                .ok_or_else(|| wrong(value)),
            (Self::Number { .. }, DeValue::Float(number)) => self
                .number(number.as_str())
                .map(Value::Number)
                .ok_or_else(|| wrong(value)),
            (Self::Switch, DeValue::Boolean(value)) => Ok(Value::Switch(*value)),
            _ => Err(wrong(value)),
        }
    }

    /// Reads the text of a variable or a flag.
    pub(super) fn parse(self, text: &str) -> Result<Value, String> {
        let text = text.trim();
        let wrong = || format!("expected {}, got {text:?}", self.describe());
        match self {
            Self::Text | Self::Url | Self::Model | Self::Sandbox | Self::Word(_) => {
                self.judge(text)?;
                Ok(Value::Text(text.to_owned()))
            }
            _ if self.is_list() => {
                let texts = text
                    .split(',')
                    .map(str::trim)
                    .filter(|text| !text.is_empty());
                let texts: Vec<String> = texts.map(str::to_owned).collect();
                texts.iter().try_for_each(|text| self.judge(text))?;
                Ok(Value::List(texts))
            }
            Self::Whole { least, most } => {
                let number = text
                    .parse()
                    .ok()
                    .filter(|number| (least..=most).contains(number));
                number.map(Value::Whole).ok_or_else(wrong)
            }
            Self::Number { .. } => self.number(text).map(Value::Number).ok_or_else(wrong),
            Self::Switch => match text.to_ascii_lowercase().as_str() {
                "1" | "true" | "on" | "yes" => Ok(Value::Switch(true)),
                "0" | "false" | "off" | "no" => Ok(Value::Switch(false)),
                _ => Err(wrong()),
            },
            _ => Err(wrong()),
        }
    }

    /// Judges a text of a file, as far as that can be done before its variables are known.
    fn check(self, text: &str) -> Result<(), String> {
        if super::variables::names(text)?.is_empty() {
            let text = super::variables::expand(text, |_| None).unwrap_or_default();
            return self.judge(&text);
        }
        Ok(())
    }

    /// Judges a text that is whole.
    pub(super) fn judge(self, text: &str) -> Result<(), String> {
        match self {
            Self::Model | Self::Models => match text.parse::<ModelName>() {
                Ok(_) => Ok(()),
                Err(error) => Err(error.to_string()),
            },
            Self::Sandbox => match text.parse::<SandboxChoice>() {
                Ok(_) => Ok(()),
                Err(error) => Err(error.to_string()),
            },
            Self::Layers => match Layer::of_name(text) {
                Some(_) => Ok(()),
                None => Err(format!("there is no layer {text:?}: {}", layers())),
            },
            Self::DangerousPaths => match text.parse::<AddedPath>() {
                Ok(_) => Ok(()),
                Err(error) => Err(error.to_string()),
            },
            Self::Url if !is_address(text) => Err(format!(
                "expected an address such as `https://host/v1`, got {text:?}"
            )),
            Self::Word(words) if !words.contains(&text) => {
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

    fn number(self, text: &str) -> Option<f64> {
        let Self::Number { most } = self else {
            return None;
        };
        let number: f64 = text.replace('_', "").parse().ok()?;
        (0.0..=most).contains(&number).then_some(number)
    }

    /// Reports whether several may be said.
    pub(super) fn is_list(self) -> bool {
        matches!(
            self,
            Self::Models | Self::Texts | Self::Layers | Self::DangerousPaths
        )
    }

    /// Returns the word for its value in a help.
    pub(super) fn word(self) -> &'static str {
        match self {
            Self::Text | Self::Texts | Self::Layers | Self::DangerousPaths => "TEXT",
            Self::Sandbox => "SANDBOX",
            Self::Url => "URL",
            Self::Model | Self::Models => "PROVIDER/MODEL",
            Self::Word(_) => "WORD",
            Self::Whole { .. } | Self::Number { .. } => "N",
            Self::Switch => "BOOL",
        }
    }

    /// Says what it may be.
    pub(in crate::cli) fn describe(self) -> String {
        match self {
            Self::Text => "a text".to_owned(),
            Self::Url => "an address".to_owned(),
            Self::Model => "a model, as `provider/model`".to_owned(),
            Self::Models => "a list of models, each as `provider/model`".to_owned(),
            Self::Texts => "a list of texts".to_owned(),
            Self::Sandbox => {
                "`local`, `passthrough`, `docker:IMAGE` or `ssh:[USER@]HOST[:PORT][/FOLDER]`"
                    .to_owned()
            }
            Self::DangerousPaths => format!("a list of paths, each as `{}`", AddedPath::SYNTAX),
            Self::Layers => format!("a list of layers: {}", layers()),
            Self::Word(words) => {
                let words: Vec<String> = words.iter().map(|word| format!("{word:?}")).collect();
                format!("one of {}", words.join(", "))
            }
            Self::Whole { least, most } if most > u64::from(u32::MAX) => {
                format!("a whole number from {least}")
            }
            Self::Whole { least, most } => format!("a whole number from {least} to {most}"),
            Self::Number { most } => format!("a number from 0 to {most}"),
            Self::Switch => "true or false".to_owned(),
        }
    }
}

/// Lists the layers of a sandbox.
fn layers() -> String {
    Layer::ALL.map(Layer::name).join(", ")
}

/// Reports whether a text is an address of the web; who connects judges the rest of it.
fn is_address(text: &str) -> bool {
    let rest = ["http://", "https://"]
        .iter()
        .find_map(|scheme| text.strip_prefix(scheme));
    let host = rest.and_then(|rest| rest.split(['/', '?', '#']).next());
    host.is_some_and(|host| !host.is_empty()) && !text.contains(char::is_whitespace)
}

fn whole(number: &DeInteger<'_>) -> Option<u64> {
    u64::from_str_radix(number.as_str(), number.radix()).ok()
}

/// Says what a value of a file is.
fn describe(value: &DeValue<'_>) -> String {
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
