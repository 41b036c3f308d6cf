//! The share of each call, and calls that are not for the agent.

use helve_runtime::Toolset;
use helve_runtime::tool::{ToolError, ToolOutput};

use super::vectors::{Tally, load_topic};
use super::{pipeline, read, spec, texts};

const DIFFERENCES: &[(&str, &str)] = &[];

#[test]
fn shares_are_as_large_as_elsewhere() {
    let Some(cases) = load_topic("execute_parallel") else {
        return;
    };
    let mut tally = Tally::new("execute_parallel");
    for case in &cases {
        let (call, tool) = (&case.input["calls"][0], &case.input["tools"][0]);
        let name = call["name"].as_str().unwrap();
        let mut spec = spec(name);
        spec.max_result_chars = tool["maxResultChars"].as_u64().map(|most| most as usize);
        let budget = case.input["ctx"]["resultBudgetChars"].as_u64();
        let pipeline = budget.map_or(pipeline(), |budget| pipeline().budget(budget as usize));
        // A server whose tools are not granted is a toolset without them.
        let granted = case.input["filterOpts"]["allowedMcpServers"].is_null();
        let result = if granted {
            Ok(ToolOutput::plain(
                "x".repeat(tool["valueLen"].as_u64().unwrap_or(2) as usize),
            ))
        } else {
            assert!(Toolset::empty().get(name).is_none());
            Err(ToolError::NotAvailable("it is not granted".into()))
        };
        let reading = read(&pipeline, &spec, cases_of(case), result);
        let expected = &case.expected[0]["result"];
        let shown = expected["value"]
            .as_str()
            .map(|value| value.split("\n[truncated").next().unwrap());
        let total = expected["value"]
            .as_str()
            .is_some_and(|value| value.contains("5 chars total"));
        let texts = texts(&reading);
        let notice = texts
            .last()
            .is_some_and(|notice| notice.contains("5 characters"));
        let content = if notice && texts.len() == 1 {
            ""
        } else {
            texts[0]
        };
        tally.compare(
            case,
            &(
                !reading.outcome.is_error,
                (!reading.outcome.is_error).then_some(content),
                notice,
            ),
            &(expected["ok"].as_bool().unwrap(), shown, total),
        );
    }
    tally.finish(DIFFERENCES);
}

fn cases_of(case: &super::vectors::Case) -> usize {
    case.input["calls"].as_array().map_or(1, Vec::len)
}
