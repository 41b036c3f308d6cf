//! What the model reads of a failed call.

use helve_runtime::tool::ToolError;

use super::vectors::{Tally, load_topic};
use super::{pipeline, read, spec, texts};

const DIFFERENCES: &[(&str, &str)] = &[];

#[test]
fn the_model_reads_what_went_wrong() {
    let Some(cases) = load_topic("tool_error") else {
        return;
    };
    let mut tally = Tally::new("tool_error");
    for case in &cases {
        // Errors are words for the model: what a tool adds to its message is part of them.
        let message = case.input["message"].as_str().unwrap();
        let extra = case.input["extra"].as_object().unwrap();
        let words = match extra.is_empty() {
            true => message.to_owned(),
            false => format!("{message}\n{}", case.input["extra"]),
        };
        let reading = read(&pipeline(), &spec("t"), 1, Err(ToolError::failed(words)));
        let text = texts(&reading).join("\n");
        let told = text.contains(case.expected["error"].as_str().unwrap())
            && extra
                .values()
                .all(|value| text.contains(&value.to_string()));
        let failed = case.expected["success"] == false;
        tally.compare(case, &(reading.outcome.is_error, told), &(failed, true));
    }
    tally.finish(DIFFERENCES);
}
