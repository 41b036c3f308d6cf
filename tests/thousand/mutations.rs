//! Calls that are a little or very wrong, made from right ones.

use serde_json::{Map, Value};

/// Something that no parameter of these tools takes, and that cannot be mended.
const INVALID_VALUE: &str = r#"{"neither": "this"}"#;

/// How deep the nested calls go.
const DEEP_NESTING: usize = 100_000;

/// A call that was changed.
#[derive(Debug, Default)]
pub(crate) struct Mutant {
    /// How it was changed.
    pub(crate) description: &'static str,
    pub(crate) text: String,
    pub(crate) verdict: Verdict,
    /// What a suggestion has to name.
    pub(crate) expected_suggestion: Option<String>,
}

/// What has to come of a changed call.
#[derive(Debug, Default)]
pub(crate) enum Verdict {
    /// It works, since there is only one way to read it.
    Accepted,
    /// It is refused, with a mistake at or below each of these places.
    Refused(Vec<String>),
    /// Either.
    #[default]
    Either,
}

/// The arguments of a call, each as the text of its value.
#[derive(Clone)]
struct Entries(Vec<(String, String)>);

impl Entries {
    fn text(&self) -> String {
        let entry = |(key, value): &(String, String)| format!("{}: {value}", Value::from(&**key));
        let entries: Vec<_> = self.0.iter().map(entry).collect();
        format!("{{{}}}", entries.join(", "))
    }

    fn with(&self, key: &str, value: impl Into<String>) -> Self {
        let mut changed = self.without(key);
        changed.0.push((key.to_owned(), value.into()));
        changed
    }

    fn without(&self, key: &str) -> Self {
        let mut changed = self.clone();
        changed.0.retain(|(other, _)| other != key);
        changed
    }
}

/// The input schema of a tool, as far as mistakes need it.
#[derive(Clone, Copy)]
struct Parameters<'s>(&'s Value);

impl<'s> Parameters<'s> {
    fn iter(self) -> impl Iterator<Item = (&'s str, &'s Value)> {
        let listed = self.0["properties"].as_object().into_iter().flatten();
        listed.map(|(name, property)| (name.as_str(), property))
    }

    fn is_required(self, name: &str) -> bool {
        let required = self.0["required"].as_array();
        required.is_some_and(|names| names.iter().any(|other| other == name))
    }
}

/// Makes all changes of a call that serde alone could tell from a right one.
pub(crate) fn mutants(schema: &Value, arguments: &Map<String, Value>) -> Vec<Mutant> {
    let parameters = Parameters(schema);
    let entries = arguments.iter();
    let right = Entries(
        entries
            .map(|(key, value)| (key.clone(), value.to_string()))
            .collect(),
    );
    let mut mutants = vec![everything_wrong(parameters, &right)];
    mutants.extend(strange_spellings(parameters, &right));
    mutants.extend(strange_keys(parameters, &right));
    for (name, property) in parameters.iter() {
        mutants.extend(wrong_values(name, property, &right));
        mutants.extend(absences(parameters, name, &right));
    }
    mutants.extend(broken_texts(&right));
    mutants
}

fn refused(
    how: &'static str,
    entries: &Entries,
    places: impl IntoIterator<Item = String>,
) -> Mutant {
    Mutant {
        description: how,
        text: entries.text(),
        verdict: Verdict::Refused(places.into_iter().collect()),
        ..Mutant::default()
    }
}

fn accepted(how: &'static str, text: String) -> Mutant {
    Mutant {
        description: how,
        text,
        verdict: Verdict::Accepted,
        ..Mutant::default()
    }
}

fn pointer(name: &str) -> String {
    format!("/{}", name.replace('~', "~0").replace('/', "~1"))
}

/// Every parameter wrong in one of the ways there are, and a key too many: all of it has to be told at once.
fn everything_wrong(parameters: Parameters<'_>, right: &Entries) -> Mutant {
    let mut wrong = right.clone();
    let mut places = vec!["/superfluous".to_owned()];
    for (at, (name, property)) in parameters.iter().enumerate() {
        wrong = match out_of_bounds(property) {
            Some(value) if at % 3 == 0 => wrong.with(name, value),
            _ if at % 3 == 1 && parameters.is_required(name) => wrong.without(name),
            _ => wrong.with(name, INVALID_VALUE),
        };
        places.push(pointer(name));
    }
    refused("everything wrong", &wrong.with("superfluous", "1"), places)
}

/// The same call, written otherwise.
fn strange_spellings(parameters: Parameters<'_>, right: &Entries) -> Vec<Mutant> {
    let text = right.text();
    let mut mutants = vec![
        accepted(
            "spread out",
            format!("\r\n\t {} \n", text.replacen('{', "{\n", 1)),
        ),
        accepted("in a code fence", format!("```json\n{text}\n```")),
    ];
    if let Some((key, value)) = right.0.first() {
        let escaped: String = key
            .encode_utf16()
            .map(|unit| format!("\\u{unit:04x}"))
            .collect();
        let others = right.without(key).text();
        let rest = if right.0.len() > 1 { ", " } else { "" };
        let text = format!("{{\"{escaped}\": {value}{rest}{}", &others[1..]);
        mutants.push(accepted("an escaped key", text));
    }
    for (name, property) in parameters.iter() {
        let given = right.0.iter().find(|(key, _)| key == name);
        let numeric = property["type"] == "integer" || property["type"] == "number";
        if let (Some((_, number)), true) = (given, numeric) {
            let quoted = right.with(name, format!("\"{number}\""));
            mutants.push(accepted("a number in quotes", quoted.text()));
        }
    }
    mutants
}

fn strange_keys(parameters: Parameters<'_>, right: &Entries) -> Vec<Mutant> {
    let mut mutants = vec![
        refused(
            "an unknown key",
            &right.with("zzz~/", "null"),
            ["/zzz~0~1".to_owned()],
        ),
        refused("an empty key", &right.with("", "1"), ["/".to_owned()]),
    ];
    for (key, value) in &right.0 {
        let mut twice = right.clone();
        twice.0.push((key.clone(), value.clone()));
        mutants.push(refused("a key twice", &twice, [pointer(key)]));
        let misspelled = format!("{key}s");
        if parameters.iter().all(|(name, _)| name != misspelled) {
            let wrong = right.without(key).with(&misspelled, value.clone());
            mutants.push(Mutant {
                // Of one letter nobody can tell.
                expected_suggestion: (key.len() > 2).then(|| key.clone()),
                ..refused("a misspelled key", &wrong, [pointer(&misspelled)])
            });
        }
    }
    mutants
}

/// One value that cannot be right.
fn wrong_values(name: &str, property: &Value, right: &Entries) -> Vec<Mutant> {
    let wrong = |how, value: &str| refused(how, &right.with(name, value), [pointer(name)]);
    let mut mutants = vec![
        wrong("a wrong type", INVALID_VALUE),
        wrong("a huge number", "1e999"),
        wrong("a long number", &"9".repeat(400)),
        wrong("a lone surrogate", r#""\ud800""#),
    ];
    if let Some(value) = out_of_bounds(property) {
        mutants.push(wrong("out of bounds", &value));
    }
    if property.get("enum").is_some() {
        mutants.push(wrong("a wrong variant", r#""Nord""#));
    }
    for (how, value) in [
        ("a NUL", "\"\\u0000\""),
        ("a negative zero", "-0"),
        ("a fraction", "5.0"),
        ("an empty object", "{}"),
        ("an empty list", "[]"),
        ("an empty text", "\"\""),
        ("a text that is JSON", r#""{\"a\": [1]}""#),
        (
            "nested nulls",
            r#"[null, {"kind": null, "type": null, "data": null}]"#,
        ),
        (
            "a bad variant",
            r#"{"kind": "circel", "type": "Start", "Mov": 1}"#,
        ),
        (
            "a variant of another shape",
            r#"{"kind": "rectangle", "Move": [1], "Say": null}"#,
        ),
    ] {
        mutants.push(Mutant {
            description: how,
            text: right.with(name, value).text(),
            verdict: Verdict::Either,
            ..Mutant::default()
        });
    }
    mutants
}

fn absences(parameters: Parameters<'_>, name: &str, right: &Entries) -> Vec<Mutant> {
    let (absent, null) = (right.without(name), right.with(name, "null"));
    if parameters.is_required(name) {
        vec![
            refused("a required key dropped", &absent, [pointer(name)]),
            refused("null for a required key", &null, [pointer(name)]),
        ]
    } else {
        vec![
            accepted("an optional key dropped", absent.text()),
            accepted("null for an optional key", null.text()),
        ]
    }
}

/// Writes a value of the right type that a bound of the schema forbids.
fn out_of_bounds(property: &Value) -> Option<String> {
    let numeric = property["type"] == "integer" || property["type"] == "number";
    if numeric && let Some(least) = property["minimum"].as_f64() {
        return Some(format!("{}", least - 1.0));
    }
    if numeric && let Some(most) = property["maximum"].as_f64() {
        return Some(format!("{}", most + 1.0));
    }
    if property["type"] == "string" && property.get("pattern").is_some() {
        return Some("\"?\"".to_owned());
    }
    let most = property["maxLength"].as_u64();
    if let Some(most) = most.and_then(|most| usize::try_from(most).ok()) {
        return Some(format!("\"{}\"", "ä".repeat(most + 1)));
    }
    (property["minItems"].as_u64()? > 0).then(|| "[]".to_owned())
}

/// Texts that are no JSON object any more.
fn broken_texts(right: &Entries) -> Vec<Mutant> {
    let text = right.text();
    let broken = |how, text: String| Mutant {
        description: how,
        text,
        verdict: Verdict::Refused(vec![String::new()]),
        ..Mutant::default()
    };
    let mut mutants: Vec<_> = text
        .char_indices()
        .map(|(end, _)| end)
        .filter(|end| *end > 0)
        .step_by((text.len() / 8).max(1))
        .map(|end| broken("truncated", text[..end].to_owned()))
        .collect();
    // Words around a call are read past; a second block could be another call.
    for garbage in ["}", "{}", "[1]", " and {", "\0]"] {
        mutants.push(broken("garbage behind", format!("{text}{garbage}")));
    }
    mutants.push(broken("in a list", format!("[{text}]")));
    // Single quotes are repaired, so that the key in them is what is wrong.
    mutants.push(Mutant {
        verdict: Verdict::Refused(vec!["/a".to_owned()]),
        ..broken("single quotes", text.replacen('{', "{'a': 1, ", 1))
    });
    mutants.push(broken("a comma too many", text.replacen('{', "{,", 1)));
    mutants
}

/// Calls so deep that whoever follows them by recursion runs out of stack.
pub(crate) fn deeply_nested_calls(schema: &Value) -> Vec<Mutant> {
    let (open, close) = ("[".repeat(DEEP_NESTING), "]".repeat(DEEP_NESTING));
    let objects = r#"{"children": [{"left": "#.repeat(DEEP_NESTING / 10);
    let mut texts = vec![
        open.clone(),
        format!("{open}{close}"),
        objects.clone(),
        format!("{{\"zzz\": {open}{close}}}"),
    ];
    for (name, _) in Parameters(schema).iter().take(2) {
        texts.push(format!("{{\"{name}\": {open}{close}}}"));
        texts.push(format!("{{\"{name}\": {objects}"));
    }
    let deep = |text| Mutant {
        description: "an abyss",
        text,
        verdict: Verdict::Refused(Vec::new()),
        ..Mutant::default()
    };
    texts.into_iter().map(deep).collect()
}
