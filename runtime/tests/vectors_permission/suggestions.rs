//! Which rules are offered with a question.

use helve_runtime::permission::{DangerousPaths, Policy, Rule};
use serde_json::Value;

use crate::vectors::{self, Tally};
use crate::world::{self, Recorded};

const DIFFERENCES: &[(&str, &str)] = &[];

/// Writes the folder itself one way: a relative path without a folder lies in the working folder.
fn plain(rules: &[Rule]) -> Vec<String> {
    let mut plain: Vec<String> = rules
        .iter()
        .map(|rule| rule.to_string().replace("(./**)", "(**)"))
        .collect();
    plain.sort();
    plain
}

fn expected(value: &Value) -> Vec<Rule> {
    let rules = value.as_array().cloned().unwrap_or_default();
    rules.iter().map(world::rule).collect()
}

#[test]
fn suggestions() {
    let Some(cases) = vectors::topic("suggestions") else {
        return;
    };
    let mut tally = Tally::new("suggestions");
    for case in &cases {
        let input = &case.input;
        if input["tool"]["class"] == "Bash" {
            continue;
        }
        // The question is what the tool suggests, so everything asks: an ask rule, and no place is dangerous.
        let name = input["tool"]["name"].as_str().expect("a name");
        let policy = Policy::default()
            .dangerous_paths(DangerousPaths::none())
            .rules(helve_runtime::permission::Rules::new().ask(Rule::tool(name)));
        let tool = Recorded::new(&input["tool"]);
        let arguments = input["tool_input"].to_string();
        let judgement = policy
            .judge(&tool, &world::context(input), &arguments)
            .expect("it fits");
        tally.compare(
            case,
            &plain(&judgement.suggestions),
            &plain(&expected(&case.expected)),
        );
    }
    tally.finish(DIFFERENCES);
}
