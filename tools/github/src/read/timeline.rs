//! What happened to an issue.

use serde_json::Value;

use super::{MAX_TITLE_CHARS, name, row};
use crate::lockdown::{Lockdown, WITHHELD};
use crate::text::{day, one_line};
use crate::value::{login, number, short_sha, text};

/// Renders an event: what happened, who did it, when, and what it is about.
pub(super) fn event_row(event: &Value, lockdown: Lockdown) -> String {
    let kind = one_line(text(event, "/event"), 40).replace('_', " ");
    let actor = ["/actor", "/user"]
        .into_iter()
        .find(|pointer| event.pointer(pointer).is_some_and(Value::is_object))
        .map(|pointer| login(event, pointer));
    let moment = ["/created_at", "/submitted_at", "/author/date"]
        .map(|pointer| text(event, pointer))
        .into_iter()
        .find(|moment| !moment.is_empty());
    row([
        &*kind,
        &*actor.unwrap_or_default(),
        day(moment.unwrap_or_default()),
        &*detail(event, lockdown),
    ])
}

fn detail(event: &Value, lockdown: Lockdown) -> String {
    match text(event, "/event") {
        "labeled" | "unlabeled" => name(event, "/label/name"),
        "assigned" | "unassigned" => login(event, "/assignee"),
        "milestoned" | "demilestoned" if lockdown.is_on() => String::new(),
        "milestoned" | "demilestoned" => name(event, "/milestone/title"),
        // Titles and messages may be of anybody.
        "renamed" | "committed" | "cross-referenced" if lockdown.is_on() => WITHHELD.to_owned(),
        "renamed" => format!(
            "{} → {}",
            name(event, "/rename/from"),
            name(event, "/rename/to")
        ),
        "committed" => format!(
            "{} {}",
            short_sha(event, "/sha"),
            one_line(text(event, "/message"), MAX_TITLE_CHARS)
        ),
        "cross-referenced" => {
            let number = number(event, "/source/issue/number").unwrap_or_default();
            let repository = name(event, "/source/issue/repository/full_name");
            let title = one_line(text(event, "/source/issue/title"), MAX_TITLE_CHARS);
            format!("{repository}#{number} {title}")
        }
        "reviewed" => one_line(text(event, "/state"), 30).to_ascii_lowercase(),
        "closed" => one_line(text(event, "/state_reason"), 30),
        "merged" | "referenced" | "head_ref_force_pushed" => short_sha(event, "/commit_id"),
        _ => String::new(),
    }
}
