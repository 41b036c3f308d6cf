//! The result of a search.

use std::fmt::Write as _;

use helve::prelude::*;
use helve::transcript::Cost;
use serde::Serialize;

use super::engine::{SearchHit, SearchQuery};
use super::search::{EngineFailure, SearchOutcome};

/// The structured result.
#[derive(Serialize)]
struct SearchData<'r> {
    engine: &'r str,
    page: usize,
    has_more: bool,
    results: Vec<HitData<'r>>,
    /// The engines that gave no answer before.
    failures: &'r [EngineFailure],
    /// The engines behind the engine that did not answer.
    failed_engines: &'r [String],
    /// What else the answer is not.
    remarks: &'r [String],
    /// The cost in millionths of a dollar, where the engine says so.
    cost_micros: Option<u64>,
    /// The credits, where the engine counts in credits.
    credits: Option<f64>,
}

#[derive(Serialize)]
struct HitData<'r> {
    title: &'r str,
    url: &'r str,
    snippet: &'r str,
    published: Option<&'r str>,
    source: Option<&'r str>,
    score: Option<f64>,
}

/// Returns the result of a search.
pub(crate) fn report(
    query: &SearchQuery,
    outcome: &SearchOutcome,
) -> Result<ToolOutput, ToolError> {
    let answer = &outcome.answer;
    let text = format!(
        "{}\n{}",
        first_line(query, outcome),
        render_hits(&answer.hits)
    );
    let data = SearchData {
        engine: &outcome.engine,
        page: query.page,
        has_more: answer.has_more,
        results: answer.hits.iter().map(hit_data).collect(),
        failures: &outcome.failures,
        failed_engines: &answer.failed_engines,
        remarks: &answer.remarks,
        cost_micros: answer.cost.map(Cost::micros),
        credits: answer.credits,
    };
    let output = ToolOutput::plain(text.trim_end()).with_structured(&data)?;
    Ok(match answer.cost {
        Some(cost) => output.with_cost(cost),
        None => output,
    })
}

/// Says how many results there are, of which engine, and who gave no answer.
fn first_line(query: &SearchQuery, outcome: &SearchOutcome) -> String {
    let answer = &outcome.answer;
    let mut line = match answer.hits.len() {
        0 => "no results".to_owned(),
        1 => "1 result".to_owned(),
        number => format!("{number} results"),
    };
    let _ = write!(line, " from {}", outcome.engine);
    if query.page > 1 {
        let _ = write!(line, ", page {}", query.page);
    }
    if answer.has_more && query.page < 10 {
        let _ = write!(line, "; more with `page` {}", query.page + 1);
    }
    for failure in &outcome.failures {
        let _ = write!(
            line,
            "; {} gave no answer: {}",
            failure.engine, failure.error
        );
    }
    if !answer.failed_engines.is_empty() {
        let failed = super::text::plain_text(&answer.failed_engines.join(", "), 200);
        let _ = write!(line, "; engines failed: {failed}");
    }
    for remark in &answer.remarks {
        let remark = super::text::plain_text(remark, 200);
        let _ = write!(line, "; {remark}");
    }
    line
}

fn render_hits(hits: &[SearchHit]) -> String {
    let mut text = String::new();
    for (at, hit) in hits.iter().enumerate() {
        let published = hit.published.as_deref().map(|date| format!(" ({date})"));
        let published = published.unwrap_or_default();
        // Writing to a string does not fail.
        let _ = writeln!(
            text,
            "\n{}. {}{published}\n   {}",
            at + 1,
            hit.title,
            hit.url
        );
        if !hit.snippet.is_empty() {
            let _ = writeln!(text, "   {}", hit.snippet);
        }
    }
    text
}

fn hit_data(hit: &SearchHit) -> HitData<'_> {
    HitData {
        title: &hit.title,
        url: &hit.url,
        snippet: &hit.snippet,
        published: hit.published.as_deref(),
        source: hit.source.as_deref(),
        score: hit.score,
    }
}
