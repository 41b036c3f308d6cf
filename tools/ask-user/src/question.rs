//! The questions, as the model asks them.

use std::collections::BTreeSet;

/// What an answer is.
#[helve::data]
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
#[serde(rename_all = "snake_case")]
pub enum QuestionKind {
    /// One of the options.
    One,
    /// Any number of the options.
    Many,
    /// Text.
    Text,
}

/// A question to the user.
#[helve::data]
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct AskedQuestion {
    /// The name of the answer.
    #[arg(
        min_len = 1,
        max_len = 40,
        pattern = "^[a-z][a-z0-9_]*$",
        example = "database"
    )]
    pub id: String,
    /// The question, as the user reads it.
    #[arg(min_len = 1, max_len = 300, example = "Which database?")]
    pub text: String,
    /// What the answer is: `one` of the options, `many` of them, or `text`.
    pub kind: QuestionKind,
    /// Two to four answers to choose from, the best one first; none for `text`.
    #[arg(default, max_len = 4)]
    pub options: Vec<String>,
    /// Whether the user may type another answer than the options.
    #[arg(default = true)]
    pub other: bool,
    /// What is assumed if the user does not answer in time: options, or a text.
    #[arg(default, max_len = 4)]
    pub default: Vec<String>,
}

/// The maximum length of an option and of a default, in characters.
const MAX_OPTION_CHARS: usize = 120;

/// What a form must not ask for: what is typed there is shown to the model, and stays in the journal.
const SECRETS: [&str; 14] = [
    "password",
    "passphrase",
    "passcode",
    "api key",
    "api_key",
    "api-key",
    "apikey",
    "access token",
    "secret key",
    "private key",
    "credit card",
    "card number",
    "one-time code",
    "recovery code",
];

/// Checks what the schema does not express; the error is text for the model.
pub(crate) fn check(questions: &[AskedQuestion]) -> Result<(), String> {
    let mut ids = BTreeSet::new();
    for question in questions {
        let id = &question.id;
        if !ids.insert(&**id) {
            return Err(format!("two questions have the id `{id}`"));
        }
        // The form has another answer to a question under such a name.
        if id.ends_with("_other") {
            return Err(format!(
                "the id `{id}` ends with `_other`; choose another id"
            ));
        }
        question
            .check()
            .map_err(|why| format!("the question `{id}` {why}"))?;
    }
    Ok(())
}

impl AskedQuestion {
    fn check(&self) -> Result<(), String> {
        let distinct: BTreeSet<&String> = self.options.iter().collect();
        let is_blank = |text: &String| text.trim().is_empty();
        let is_long = |text: &String| text.chars().nth(MAX_OPTION_CHARS).is_some();
        if self.kind == QuestionKind::Text {
            if !self.options.is_empty() {
                return Err("is of the kind `text` and has options".to_owned());
            }
            if self.default.len() > 1 {
                return Err("has more than one default".to_owned());
            }
            return self.check_secrets();
        }
        if !(2..=4).contains(&self.options.len()) {
            return Err("needs two to four options".to_owned());
        }
        if distinct.len() < self.options.len() {
            return Err("has an option twice".to_owned());
        }
        if self.options.iter().any(is_blank) || self.options.iter().any(is_long) {
            return Err(format!(
                "has an option that is empty or longer than {MAX_OPTION_CHARS} characters"
            ));
        }
        if self.kind == QuestionKind::One && self.default.len() > 1 {
            return Err("has more than one default".to_owned());
        }
        match self.default.iter().find(|value| !distinct.contains(value)) {
            Some(unknown) => Err(format!("has the default `{unknown}`, which is no option")),
            None => Ok(()),
        }
    }

    fn check_secrets(&self) -> Result<(), String> {
        let text = format!("{} {}", self.id.replace('_', " "), self.text).to_lowercase();
        match SECRETS.iter().find(|secret| text.contains(*secret)) {
            Some(secret) => Err(format!(
                "asks for a secret ({secret}): what the user types is shown to you and is stored; ask the user to set it \
                 where the program reads it, such as an environment variable, or ask with options"
            )),
            None => Ok(()),
        }
    }
}
