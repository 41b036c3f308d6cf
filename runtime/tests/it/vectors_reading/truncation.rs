//! What is cut, how much of it is shown, and what becomes of it as it grows old.

use std::time::Duration;

use helve_runtime::results::{Pruning, PruningLevel, next_poll_delay};
use helve_runtime::tool::{ToolContext, ToolOutput};
use helve_runtime::transcript::{Content, ContentBlock, Message, ToolCallResult};
use serde_json::Value;

use super::vectors::{Case, Tally, load_topic};
use super::{pipeline, read, spec, texts};

const COMPACTION: &str = "it drops what the user said: in helve that is compaction, a step of the turn with a purpose of its own";

const DIFFERENCES: &[(&str, &str)] = &[
    ("truncation:5", COMPACTION),
    ("truncation:7", COMPACTION),
    (
        "truncation:16",
        "helve's budgets are in characters, which need no guess at tokens: five are kept of ten",
    ),
];

#[test]
fn results_are_cut_alike() {
    let Some(cases) = load_topic("truncation") else {
        return;
    };
    let mut tally = Tally::new("truncation");
    for case in &cases {
        match case.function.rsplit(':').next().unwrap() {
            "Agent._split_tool_result_for_compression" => split(&mut tally, case),
            "ContextGuard.compact" => compact(&mut tally, case),
            "_suggest_next_block_ms" => {
                let running = Duration::from_millis(case.input["running_ms"].as_u64().unwrap());
                let look = next_poll_delay(running).as_millis() as u64;
                tally.compare(case, &look, &case.expected.as_u64().unwrap());
            }
            "_truncate_result" => in_tokens(&mut tally, case),
            "_truncate_tail_for_reminder" => end(&mut tally, case),
            "bucketKeepChars" => {
                let number = |place: usize, name: &str| {
                    let number = [&case.input["args"][place], &case.input[name]];
                    number.into_iter().find_map(Value::as_i64).unwrap()
                };
                let (rank, all) = (number(0, "rank"), number(1, "total"));
                let kept =
                    Pruning::trim_length(usize::try_from(rank).unwrap_or(usize::MAX), all as usize);
                tally.compare(case, &(kept as u64), &case.expected.as_u64().unwrap());
            }
            "capIngestedResult" => {
                let content = case.input["content"]
                    .as_str()
                    .or(case.input["args"][0].as_str())
                    .unwrap();
                let budget = case.input["budgetChars"]
                    .as_u64()
                    .or(case.input["args"][1].as_u64())
                    .unwrap();
                let reading = read(
                    &pipeline().budget(budget as usize),
                    &spec("t"),
                    1,
                    Ok(ToolOutput::plain(content)),
                );
                let shown = case
                    .expected
                    .as_str()
                    .unwrap()
                    .split("\n[truncated")
                    .next()
                    .unwrap();
                tally.compare(case, &texts(&reading)[0], &shown);
            }
            "extractSpillPath" => {
                // Where the whole can be read stays through any pruning; where it cannot, nothing is said of it.
                let aged = aged(case.input["args"][0].as_str().unwrap(), 0.9).unwrap_or_default();
                tally.compare(
                    case,
                    &aged.contains("read_result"),
                    &!case.expected.is_null(),
                );
            }
            "preserveSpillPath" => {
                let (before, after) = (&case.input["args"][0], &case.input["args"][1]);
                let aged = aged(before.as_str().unwrap(), 0.9);
                let pointed = aged.is_some_and(|aged| aged.contains("read_result"));
                tally.compare(case, &pointed, &(case.expected != *after));
            }
            "levelForRatio" => {
                let fill = case.input["ratio"]
                    .as_f64()
                    .or(case.input["args"][0].as_f64())
                    .unwrap();
                tally.compare(case, &PruningLevel::at_fill(fill), &level(&case.expected));
            }
            "maxLevel" => {
                let levels = [level(&case.input["args"][0]), level(&case.input["args"][1])];
                let mut pruning = Pruning::default();
                for level in levels {
                    pruning.raise(fill_of(level));
                }
                tally.compare(case, &pruning.level(), &level(&case.expected));
            }
            "softTrimContent" => trimmed(&mut tally, case),
            "get_max_tool_result_tokens" => {
                // A setting that is no number leaves the default.
                let setting = case.input["SAGE_MAX_TOOL_RESULT_TOKENS"].as_str().unwrap();
                let pipeline = setting
                    .parse()
                    .map_or(pipeline(), |budget| pipeline().budget(budget));
                tally.compare(
                    case,
                    &pipeline.share(1),
                    &ToolContext::DEFAULT_RESULT_BUDGET,
                );
            }
            other => panic!("{other}"),
        }
    }
    tally.finish(DIFFERENCES);
}

fn level(word: &Value) -> PruningLevel {
    match word.as_str().unwrap() {
        "none" => PruningLevel::Whole,
        "soft" => PruningLevel::Trimmed,
        "hard" => PruningLevel::Cleared,
        other => panic!("{other}"),
    }
}

fn fill_of(age: PruningLevel) -> f64 {
    match age {
        PruningLevel::Whole => 0.1,
        PruningLevel::Trimmed => 0.4,
        PruningLevel::Cleared => 0.6,
    }
}

fn split(tally: &mut Tally, case: &Case) {
    let texts_of = |list: &Value| -> Vec<String> {
        let list = list.as_array().unwrap().iter();
        list.map(|block| block["text"].as_str().unwrap().to_owned())
            .collect()
    };
    let blocks = texts_of(&case.input["tool_result"]["output"])
        .into_iter()
        .map(ContentBlock::text);
    let limit = case.input["limit"].as_u64().unwrap() as usize;
    let reading = read(
        &pipeline().budget(limit),
        &spec("t"),
        1,
        Ok(ToolOutput::blocks(blocks.collect())),
    );
    let shown: Vec<String> = texts(&reading).into_iter().map(str::to_owned).collect();
    let expected = texts_of(&case.expected["reserved"]["output"]);
    tally.compare(
        case,
        &(shown, reading.spilled.is_some()),
        &(expected, !case.expected["offload"].is_null()),
    );
}

/// A guard of a conversation's length: which results are shortened, and which messages go.
fn compact(tally: &mut Tally, case: &Case) {
    let list = case.input["messages"].as_array().unwrap();
    let expected = case.expected.as_array().unwrap();
    if expected.len() < list.len() {
        tally.differ(case, "nothing goes");
        return;
    }
    let role = |message: &Value| message["role"].as_str().unwrap().to_owned();
    let text = |message: &Value| message["content"].as_str().unwrap().to_owned();
    // Its limit of one result, which is 2,000 characters.
    let (mut messages, mut whole) = (Vec::new(), Vec::new());
    for message in list {
        if role(message) == "tool" {
            let reading = read(
                &pipeline(),
                &limited(2_000),
                1,
                Ok(ToolOutput::plain(text(message))),
            );
            whole.push(texts(&reading)[0] == text(message));
            messages.push(result(&texts(&reading).join("\n").repeat(10)));
        } else {
            messages.push(Message::user(text(message)));
        }
    }
    let before = messages.clone();
    let mut pruning = Pruning::default();
    pruning.raise(1.0);
    pruning.apply(&mut messages);
    let shortened: Vec<bool> = (0..list.len())
        .map(|at| messages[at] != before[at])
        .collect();
    let mut whole = whole.into_iter();
    let found: Vec<bool> = list
        .iter()
        .zip(shortened)
        .map(|(message, aged)| aged || (role(message) == "tool" && !whole.next().unwrap()))
        .collect();
    let recorded: Vec<bool> = list
        .iter()
        .zip(expected)
        .map(|(before, after)| before != after)
        .collect();
    tally.compare(case, &found, &recorded);
}

fn limited(most: usize) -> helve_runtime::tool::ToolSpec {
    let mut spec = spec("t");
    spec.max_result_chars = Some(most);
    spec
}

fn in_tokens(tally: &mut Tally, case: &Case) {
    let text = case.input["result"].as_str().unwrap();
    let tokens =
        case.input["max_tokens"].as_f64().unwrap() / case.input["token_ratio"].as_f64().unwrap();
    let reading = read(
        &pipeline(),
        &limited(tokens as usize),
        1,
        Ok(ToolOutput::plain(text)),
    );
    let expected = case
        .expected
        .as_str()
        .unwrap()
        .split("\n\n[Result truncated]")
        .next()
        .unwrap();
    tally.compare(case, &texts(&reading)[0], &expected);
}

/// The end of what a tool put out, which an error shows.
fn end(tally: &mut Tally, case: &Case) {
    let (text, expected) = (
        case.input["text"].as_str().unwrap(),
        case.expected.as_str().unwrap(),
    );
    let most = case.input["max_bytes"].as_u64().unwrap() as usize;
    let kept = expected
        .strip_prefix("...<truncated>...\n")
        .unwrap_or(expected);
    let output = ToolOutput::plain(text);
    let shown = output.tail(most);
    let cut = shown.lines().next() != text.lines().next();
    let end = shown
        .strip_prefix("[… the beginning is omitted …]\n")
        .unwrap_or(&shown);
    // The recorded end leaves its first line out even where it is whole.
    let holds = text.ends_with(end) && end.ends_with(kept) && end.len() <= most;
    tally.compare(case, &(holds, cut), &(true, kept != expected));
}

fn trimmed(tally: &mut Tally, case: &Case) {
    // The lengths that helve keeps are its own; what is compared is what is kept of a length.
    let (text, keep) = match case.input["args"][0].as_str() {
        Some(text) => (text.to_owned(), case.input["args"][1].as_u64()),
        None => {
            let length = case.input["length"].as_u64().unwrap() as usize;
            let letters = ('a'..='z').cycle().take(length);
            (letters.collect(), case.input["keepChars"].as_u64())
        }
    };
    let all = text.chars().count();
    let keep = keep.map_or(1_500, |keep| keep as usize);
    let left_out = Pruning::trim(&text, keep).map(|short| {
        let (first, rest) = short.split_once("\n[… ").unwrap();
        let (number, last) = rest.split_once(" characters omitted …]\n").unwrap();
        assert!(text.starts_with(first) && text.ends_with(last));
        assert_eq!(
            first.chars().count() + last.chars().count(),
            all - number.parse::<usize>().unwrap()
        );
        number.to_owned()
    });
    let recorded = match case.expected.as_str() {
        Some(expected) => expected.split_once('…').map(|(_, rest)| rest),
        None => case.expected["middle"]
            .as_str()
            .and_then(|middle| middle.split_once('…'))
            .map(|(_, rest)| rest),
    };
    let recorded = recorded.map(|rest| rest[1..].split(' ').next().unwrap().replace(',', ""));
    tally.compare(case, &left_out, &recorded);
}

/// Returns a result after pruning, as the oldest of a long conversation.
fn aged(text: &str, fill: f64) -> Option<String> {
    let mut messages = vec![result(text)];
    messages.extend((0..10).map(|_| Message::user("x")));
    let mut pruning = Pruning::default();
    pruning.raise(fill);
    pruning.apply(&mut messages);
    match &messages[0] {
        Message::Tool { content } => content[0].content[0].as_text().map(str::to_owned),
        _ => None,
    }
}

fn result(text: &str) -> Message {
    Message::Tool {
        content: vec![ToolCallResult {
            call_id: "c".into(),
            content: Content::text(text),
            is_error: false,
        }],
    }
}
