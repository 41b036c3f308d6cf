//! What is taken out of untrusted text, and what is flagged in it.

use helve_runtime::results::{ResultInput, ResultPipeline};
use helve_runtime::tool::ToolOutput;
use helve_runtime::transcript::{SessionId, ToolCall};
use helve_runtime::untrusted::{
    REMOVED_TOKEN, find_flags, neutralize, strip_escapes, strip_tokens, wrap,
};
use serde_json::Value;

use super::vectors::{Case, Tally, load_topic};

const FAMILY: &str = "`<|assistant|>` and `<|endoftext|>` are tokens of Phi, Zephyr and GPT-2: helve removes every `<|name|>`";

const DIFFERENCES: &[(&str, &str)] = &[
    ("untrusted_sanitise:51", FAMILY),
    ("untrusted_sanitise:57", FAMILY),
    ("untrusted_sanitise:61", FAMILY),
];

/// What the reference asks a second set of patterns; helve has one.
const SECOND_SET: [&str; 4] = [
    "maintenance-mode",
    "memory-write",
    "exfiltrate-encoded",
    "exfiltrate",
];

#[test]
fn the_same_is_taken_out_and_flagged() {
    let Some(cases) = load_topic("untrusted_sanitise") else {
        return;
    };
    let mut tally = Tally::new("untrusted_sanitise");
    for case in &cases {
        let function = case.function.rsplit(':').next().unwrap();
        let argument = |name: &str| match &case.input["args"][0] {
            Value::String(text) if name != "toolName" => text.clone(),
            Value::Object(object) => object
                .get(name)
                .and_then(Value::as_str)
                .unwrap_or_default()
                .to_owned(),
            _ => case.input[name].as_str().unwrap_or_default().to_owned(),
        };
        let content = argument(if function == "stripAnsiEscapes" {
            "input"
        } else {
            "content"
        });
        match function {
            "stripAnsiEscapes" => tally.compare(
                case,
                &&*strip_escapes(&content),
                &case.expected.as_str().unwrap(),
            ),
            "sanitizeTemplateTokens" => {
                let expected = marked(case.expected["content"].as_str().unwrap());
                tally.compare(case, &strip_tokens(&content).into_owned(), &expected);
            }
            "sanitize" | "escapeBodyTags" => {
                tally.compare(
                    case,
                    &neutralize(&marked(&content)).into_owned(),
                    &marked(case.expected.as_str().unwrap()),
                );
            }
            "encodeAttr" => {
                let expected = format!(
                    "<untrusted source=\"{}\" tool=\"t\">",
                    case.expected.as_str().unwrap()
                );
                let wrapped = wrap("x", "t", &content);
                tally.compare(case, &wrapped.lines().next().unwrap(), &&*expected);
            }
            "wrapUntrusted" => wrapped(
                &mut tally,
                case,
                &content,
                &argument("toolName"),
                &argument("source"),
            ),
            "shortPatternCheck" | "c2PatternCheck" => {
                let second = function == "c2PatternCheck";
                let found = find_flags(&content)
                    .iter()
                    .any(|flag| SECOND_SET.contains(&&*flag.rule) == second);
                tally.compare(
                    case,
                    &found,
                    &case.expected["containsInstructions"].as_bool().unwrap(),
                );
            }
            "describeSource" => source(&mut tally, case),
            other => panic!("{other}"),
        }
    }
    tally.finish(DIFFERENCES);
}

fn marked(text: &str) -> String {
    text.replace("[STRIPPED-TEMPLATE-TOKEN]", REMOVED_TOKEN)
}

fn wrapped(tally: &mut Tally, case: &Case, content: &str, tool: &str, source: &str) {
    let source = if source.is_empty() { "unknown" } else { source };
    let expected = marked(case.expected["content"].as_str().unwrap());
    tally.compare(case, &wrap(content, tool, source), &expected);
}

/// Reads a result of an untrusted tool that was called with the recorded arguments.
fn source(tally: &mut Tally, case: &Case) {
    let (name, arguments) = (
        case.input["args"][0].as_str().unwrap(),
        case.input["args"][1].to_string(),
    );
    let mut spec = super::spec(name);
    spec.untrusted_output = true;
    let (session, address) = (SessionId::new("s"), "t1/1.0".parse().unwrap());
    let call = ToolCall::new("c", name, &*arguments);
    let input = ResultInput::new(&session, &address, &call).spec(&spec);
    let runtime = tokio::runtime::Builder::new_current_thread()
        .build()
        .unwrap();
    let reading =
        runtime.block_on(ResultPipeline::new().process(input, Ok(ToolOutput::plain("x"))));
    let label = reading.label();
    let found = label.sources().first().map(|source| &*source.name);
    let expected = case.expected.as_str().unwrap_or("unknown");
    tally.compare(case, &found, &Some(expected));
}
