//! The questions as a form, which the terminal and MCP clients show.

use helve::capability::Elicitation;
use serde_json::{Map, Value, json};

use super::question::{AskedQuestion, QuestionKind};

/// The maximum length of an answer that is typed, in characters.
const MAX_ANSWER_CHARS: usize = 2_000;

/// Makes the form. An answer that is no option is in a field of its own: the id of the question, and `_other`.
pub(crate) fn elicitation(questions: &[AskedQuestion]) -> Elicitation {
    let mut fields = Map::new();
    for question in questions {
        fields.insert(question.id.clone(), field(question));
        if question.kind != QuestionKind::Text && question.other {
            let title = format!("Another answer: {}", question.text);
            let other = json!({ "type": "string", "title": title, "maxLength": MAX_ANSWER_CHARS });
            fields.insert(format!("{}_other", question.id), other);
        }
    }
    let message = match questions {
        [question] => question.text.clone(),
        questions => format!("The agent has {} questions.", questions.len()),
    };
    let schema = json!({ "type": "object", "properties": fields });
    Elicitation::form(message, schema).with_key("ask_user")
}

fn field(question: &AskedQuestion) -> Value {
    let (title, options) = (&question.text, &question.options);
    match question.kind {
        QuestionKind::One => json!({ "type": "string", "title": title, "enum": options }),
        QuestionKind::Many => {
            let items = json!({ "type": "string", "enum": options });
            json!({ "type": "array", "title": title, "items": items })
        }
        QuestionKind::Text => {
            json!({ "type": "string", "title": title, "maxLength": MAX_ANSWER_CHARS })
        }
    }
}
