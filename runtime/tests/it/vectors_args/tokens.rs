//! How many tokens a text has, about.

use helve_runtime::model::estimate_tokens;

use super::vectors::{Tally, load_topic};

const DIFFERENCES: &[(&str, &str)] = &[];

#[test]
fn tokens() {
    let Some(cases) = load_topic("tokens") else {
        return;
    };
    let mut tally = Tally::new("tokens");
    for case in &cases {
        let text = case.input["text"]
            .as_str()
            .or(case.input["content"].as_str());
        let text = text.expect("a text");
        let expected = case.expected.as_u64().expect("a number");
        tally.compare(case, &estimate_tokens(text), &expected);
    }
    tally.finish(DIFFERENCES);
}
