//! Parts of the API's answers, whatever their form: what is missing or of another type is empty.

use helve::capability::HttpResponse;
use serde_json::Value;

use crate::text::one_line;

/// The greatest length of a name of a user, in characters.
const MAX_LOGIN_CHARS: usize = 60;

/// Returns a text; empty if there is none.
pub(crate) fn text<'v>(value: &'v Value, pointer: &str) -> &'v str {
    value
        .pointer(pointer)
        .and_then(Value::as_str)
        .unwrap_or_default()
}

/// Returns a number.
pub(crate) fn number(value: &Value, pointer: &str) -> Option<u64> {
    value.pointer(pointer).and_then(Value::as_u64)
}

/// Returns a number; 0 if there is none.
pub(crate) fn count(value: &Value, pointer: &str) -> u64 {
    number(value, pointer).unwrap_or_default()
}

/// Returns a number with what it counts, such as `2 files`.
pub(crate) fn counted(value: &Value, pointer: &str, one: &str) -> String {
    match count(value, pointer) {
        1 => format!("1 {one}"),
        number => format!("{number} {one}s"),
    }
}

/// Reports whether a flag is set.
pub(crate) fn flag(value: &Value, pointer: &str) -> bool {
    value
        .pointer(pointer)
        .and_then(Value::as_bool)
        .unwrap_or_default()
}

/// Returns the items of a list; none if there is none.
pub(crate) fn items<'v>(value: &'v Value, pointer: &str) -> &'v [Value] {
    let found = value.pointer(pointer).and_then(Value::as_array);
    found.map_or(&[], Vec::as_slice)
}

/// Returns the name of a user; `ghost` for one whose account is gone.
pub(crate) fn login(value: &Value, pointer: &str) -> String {
    let login = value
        .pointer(pointer)
        .map_or("", |user| text(user, "/login"));
    match one_line(login, MAX_LOGIN_CHARS) {
        login if login.is_empty() => "ghost".to_owned(),
        login => login,
    }
}

/// Returns the name of the author of a text, with the association to the repository.
pub(crate) fn author(value: &Value) -> String {
    let login = login(value, "/user");
    match one_line(text(value, "/author_association"), 20) {
        association if association.is_empty() => login,
        association => format!("{login} ({association})"),
    }
}

/// Returns the id of a commit, if it is one.
pub(crate) fn sha<'v>(value: &'v Value, pointer: &str) -> Option<&'v str> {
    let sha = text(value, pointer);
    crate::endpoint::check_sha(sha).ok()
}

/// Returns the first digits of the id of a commit.
pub(crate) fn short_sha(value: &Value, pointer: &str) -> String {
    sha(value, pointer).map_or_else(|| "?".to_owned(), |sha| sha[..9].to_owned())
}

/// Returns the value of a header.
pub(crate) fn header<'r>(response: &'r HttpResponse, name: &str) -> Option<&'r str> {
    let mut headers = response.headers.iter();
    let found = headers.find(|(own, _)| own.eq_ignore_ascii_case(name));
    found.map(|(_, value)| value.as_str())
}
