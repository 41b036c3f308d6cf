//! Finding tools by words, of the ten thousand that recall is measured on.

use std::hint::black_box;
use std::time::{Duration, Instant};

use helve::agent::tool_search::ToolIndex;
use helve::toolset::Toolset;

use crate::harness::{Bar, Row, measure_alternately, nanos};

#[path = "../../runtime/tests/it/recall/corpus.rs"]
mod corpus;

const ROUNDS: usize = 15;

/// How many tools are asked for.
const LIMIT: usize = 10;

pub(crate) fn rows() -> Vec<Row> {
    let tools = Toolset::from_tools(corpus::tools());
    let questions = corpus::questions();
    let index = ToolIndex::from_toolset(&tools);
    let each = |begun: Instant| nanos(begun.elapsed()) / questions.len() as f64;
    let ours = || {
        let begun = Instant::now();
        for asked in &questions {
            black_box(index.search(&asked.question, LIMIT));
        }
        each(begun)
    };
    let direct = || {
        let begun = Instant::now();
        for asked in &questions {
            black_box(scan(&tools, &asked.question));
        }
        each(begun)
    };
    let build = || {
        let begun = Instant::now();
        black_box(ToolIndex::from_toolset(&tools));
        nanos(begun.elapsed())
    };
    let read = || {
        let begun = Instant::now();
        black_box(words(&tools));
        nanos(begun.elapsed())
    };
    vec![
        Row {
            what: "finding tools by a question, of 10,000",
            against: "each description searched for each word",
            bar: Bar::Time(Duration::from_millis(1)),
            rounds: measure_alternately(ROUNDS, ours, direct),
        },
        Row {
            what: "the index of 10,000 tools",
            against: "parting the descriptions into words",
            bar: Bar::Time(Duration::from_millis(500)),
            rounds: measure_alternately(ROUNDS, build, read),
        },
    ]
}

/// Counts the words of a question in each description, the plainest search there is.
fn scan(tools: &Toolset, question: &str) -> usize {
    let words: Vec<&str> = question.split(' ').filter(|word| word.len() > 3).collect();
    let count = |description: &str| {
        let found = words.iter().filter(|word| description.contains(**word));
        found.count()
    };
    let tools = tools.tools();
    let best = tools.iter().map(|tool| count(&tool.spec().description));
    best.max().unwrap_or_default()
}

/// Counts the words of all descriptions.
fn words(tools: &Toolset) -> usize {
    let tools = tools.tools();
    let words = tools
        .iter()
        .map(|tool| tool.spec().description.split_whitespace().count());
    words.sum()
}
