//! Forms of the app's own tools, such as the questions of the agent: each field at once, without asking whether to answer.

use serde_json::{Map, Value};

use super::elicitation::{DECLINE_INPUT, print_field, print_note};
use super::form::Field;
use super::input::Lines;
use super::prompt::prompt_line;
use crate::output;
use crate::screen::{Line, Size, theme};
use helve_core::capability::ElicitationResult;

/// What happens after a field.
enum FieldAnswer {
    Values(Vec<(String, Value)>),
    Declined,
    /// The input has ended.
    Closed,
}

/// Asks for the fields one after the other. An empty answer skips a field.
pub(super) async fn fill_in(
    lines: &mut Lines<'_>,
    message: &str,
    fields: Vec<Field>,
) -> ElicitationResult {
    let fields = Field::merge_others(fields);
    let width = Size::of_stdout().columns;
    let mut head = vec![Line::new()];
    let title = Line::styled("? ", theme::QUESTION).with(message, theme::STRONG);
    head.extend(title.wrap_hanging(width, 2));
    output::lines(&head);
    let mut answer = Map::new();
    for field in &fields {
        let is_message = field.title.as_deref() == Some(message);
        match ask_field(lines, field, is_message, width).await {
            FieldAnswer::Values(values) => answer.extend(values),
            FieldAnswer::Declined => return ElicitationResult::Decline,
            FieldAnswer::Closed => return ElicitationResult::Cancel,
        }
    }
    ElicitationResult::Accept(answer)
}

async fn ask_field(
    lines: &mut Lines<'_>,
    field: &Field,
    is_message: bool,
    width: usize,
) -> FieldAnswer {
    #[cfg(all(unix, feature = "chat"))]
    if field.is_choice() && crate::screen::can_redraw() {
        print_title(field, is_message, width);
        if let Some(answer) = choose(lines, field, width).await {
            return answer;
        }
    }
    if is_message {
        print_choices(field, width);
    } else {
        print_field(field, width);
    }
    type_answer(lines, field, width).await
}

/// Prints the title of a field, unless it was printed as the message.
#[cfg(all(unix, feature = "chat"))]
fn print_title(field: &Field, is_message: bool, width: usize) {
    if is_message {
        return;
    }
    let title = field.title.as_ref().unwrap_or(&field.name);
    let title = Line::styled("  ", theme::PLAIN).with(title, theme::STRONG);
    output::lines(&title.wrap_hanging(width, 4));
}

fn print_choices(field: &Field, width: usize) {
    let choices = field.choices();
    let lines = choices.iter().enumerate().flat_map(|(index, choice)| {
        let line = Line::styled(&format!("    {} ", index + 1), theme::NAME);
        line.with(choice, theme::PLAIN).wrap_hanging(width, 6)
    });
    output::lines(&lines.collect::<Vec<_>>());
}

#[cfg(all(unix, feature = "chat"))]
async fn choose(lines: &mut Lines<'_>, field: &Field, width: usize) -> Option<FieldAnswer> {
    use super::choice::{ChoiceList, Chosen};

    let choices = field.choices();
    let list = ChoiceList::new(choices.clone(), field.takes_many(), field.other.is_some());
    Some(match list.ask(lines).await? {
        Chosen::Answer(places, text) => {
            let texts = places.iter().filter_map(|place| choices.get(*place));
            let texts: Vec<&str> = texts.chain(&text).map(String::as_str).collect();
            print_answer(&texts.join(", "), width);
            let value = field.value_of(&places);
            let value = value.map(|value| (field.name.clone(), value));
            let other = field.other.clone().zip(text.map(Value::from));
            FieldAnswer::Values(value.into_iter().chain(other).collect())
        }
        Chosen::Skipped => {
            print_answer("(skipped)", width);
            FieldAnswer::Values(Vec::new())
        }
        Chosen::Declined => {
            print_answer("(declined)", width);
            FieldAnswer::Declined
        }
        Chosen::Closed => FieldAnswer::Closed,
    })
}

#[cfg(all(unix, feature = "chat"))]
fn print_answer(text: &str, width: usize) {
    let line = Line::styled("  > ", theme::QUESTION).with(text, theme::PLAIN);
    output::lines(&line.wrap_hanging(width, 4));
}

async fn type_answer(lines: &mut Lines<'_>, field: &Field, width: usize) -> FieldAnswer {
    print_note(
        &format!("  Enter alone skips the question, {DECLINE_INPUT} declines to answer."),
        width,
    );
    loop {
        let Some(line) = prompt_line(lines).await else {
            return FieldAnswer::Closed;
        };
        let text = line.trim();
        if text == DECLINE_INPUT {
            return FieldAnswer::Declined;
        }
        match (field.parse(text), &field.other) {
            (Ok(value), _) => {
                let value = value.map(|value| (field.name.clone(), value));
                return FieldAnswer::Values(value.into_iter().collect());
            }
            (Err(_), Some(other)) => {
                return FieldAnswer::Values(vec![(other.clone(), text.into())]);
            }
            (Err(why), None) => print_note(&format!("Invalid answer: {why}."), width),
        }
    }
}
