//! What has to be better than elsewhere.

use helve_runtime::tool::{ToolError, ToolOutput};
use helve_runtime::transcript::Cost;

use super::vectors::load_topic;
use super::{pipeline, read, spec, texts};

#[test]
fn cutting_loses_nothing_but_text() {
    let Some(cases) = load_topic("known_defects") else {
        return;
    };
    let case = |line: usize| &cases[line - 1].input;
    let trimmed = case(25);
    let mut tool = spec("t");
    tool.max_result_chars = trimmed["maxResultChars"].as_u64().map(|most| most as usize);
    let output = ToolOutput::plain("x".repeat(trimmed["valueLen"].as_u64().unwrap() as usize))
        .with_structured(&trimmed["structured"])
        .unwrap()
        .with_cost(Cost::from_micros(10_000));
    let reading = read(&pipeline(), &tool, 1, Ok(output.clone()));
    assert_eq!(texts(&reading)[0].len(), 20);
    assert_eq!(reading.structured_content(), Some(r#"{"k":1}"#));
    assert_eq!(reading.outcome.cost, Cost::from_micros(10_000));
    let capped = output.truncated(20);
    assert_eq!(capped.structured_content(), Some(r#"{"k":1}"#));
    assert_eq!(capped.cost(), Some(Cost::from_micros(10_000)));

    let (long, budget) = (
        case(26)["error_len"].as_u64().unwrap(),
        case(26)["budget"].as_u64().unwrap(),
    );
    let error = ToolError::failed("e".repeat(long as usize));
    let reading = read(
        &pipeline().budget(budget as usize),
        &spec("t"),
        1,
        Err(error),
    );
    let shown = texts(&reading)[0].matches('e').count();
    assert!(shown <= budget as usize + 10, "{:?}", texts(&reading));

    // What was asked for by its range comes as it was asked for, as long as it fits: nothing shortens it by its content.
    let lines = case(24)["lines"].as_u64().unwrap();
    let text: String = (1..=lines)
        .map(|line| format!("{line:6}\tline\n"))
        .collect();
    let reading = read(
        &pipeline(),
        &spec("read_file"),
        1,
        Ok(ToolOutput::plain(text.clone())),
    );
    assert_eq!(texts(&reading), [text]);
    println!("known_defects: 3 of 3 of results hold");
}
