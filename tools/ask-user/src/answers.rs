//! The answers, as the model reads them.

use std::collections::BTreeMap;

use serde_json::{Map, Value};

use super::question::AskedQuestion;

/// How the questions were answered.
#[helve::data]
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
#[serde(rename_all = "snake_case")]
pub enum AnswerStatus {
    /// The user answered.
    Answered,
    /// The user declined to answer.
    Declined,
    /// The user did not answer in time; the answers are the defaults of the questions.
    TimedOut,
    /// Nobody can be asked.
    NobodyThere,
}

/// The answers to the questions of a call.
///
/// A process that answers for the user posts the same form; it needs the status, and the answers by the ids of the
/// questions.
#[helve::data]
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Answers {
    /// How the questions were answered.
    pub status: AnswerStatus,
    /// The answers, by the ids of the questions: chosen options, or text.
    #[serde(default)]
    pub answers: BTreeMap<String, Vec<String>>,
    /// The questions that were skipped.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub skipped: Vec<String>,
    /// What follows from the status.
    #[serde(default, skip_serializing_if = "String::is_empty")]
    pub note: String,
}

impl Answers {
    /// Reads the values of the form.
    pub(crate) fn from_form(questions: &[AskedQuestion], values: &Map<String, Value>) -> Self {
        let mut answers = BTreeMap::new();
        let mut skipped = Vec::new();
        for question in questions {
            let other = format!("{}_other", question.id);
            let given = [values.get(&question.id), values.get(&other)];
            let given: Vec<String> = given.into_iter().flatten().flat_map(texts).collect();
            if given.is_empty() {
                skipped.push(question.id.clone());
            } else {
                answers.insert(question.id.clone(), given);
            }
        }
        let note = match skipped.is_empty() {
            true => "",
            false => "The user skipped some questions: do not take a default for an answer.",
        };
        Self {
            status: AnswerStatus::Answered,
            answers,
            skipped,
            note: note.to_owned(),
        }
    }

    pub(crate) fn declined() -> Self {
        let note = "The user declined to answer. Do not ask the same again; go on without, or end with what you need.";
        Self::without(AnswerStatus::Declined, note.to_owned())
    }

    pub(crate) fn nobody_there(reason: &str) -> Self {
        let note = format!(
            "Nobody is there to answer ({reason}). Nothing was decided: end with the open questions, or go on where none \
             of them matters."
        );
        Self::without(AnswerStatus::NobodyThere, note)
    }

    pub(crate) fn timed_out(questions: &[AskedQuestion]) -> Self {
        let (given, skipped): (Vec<_>, Vec<_>) = questions
            .iter()
            .partition(|question| !question.default.is_empty());
        let note = match given.is_empty() {
            true => "The user did not answer in time, and there are no defaults.",
            false => {
                "The user did not answer in time. The answers are your defaults, and not decisions of the user: say which \
                 you used."
            }
        };
        let answers = given.into_iter();
        let answers = answers.map(|question| (question.id.clone(), question.default.clone()));
        Self {
            status: AnswerStatus::TimedOut,
            answers: answers.collect(),
            skipped: skipped
                .into_iter()
                .map(|question| question.id.clone())
                .collect(),
            note: note.to_owned(),
        }
    }

    fn without(status: AnswerStatus, note: String) -> Self {
        Self {
            status,
            answers: BTreeMap::new(),
            skipped: Vec::new(),
            note,
        }
    }
}

/// Returns the texts of a value of a form.
fn texts(value: &Value) -> Vec<String> {
    let values = match value {
        Value::Array(values) => &values[..],
        value => std::slice::from_ref(value),
    };
    let texts = values.iter().filter_map(Value::as_str);
    let texts = texts.filter(|text| !text.trim().is_empty());
    texts.map(str::to_owned).collect()
}
