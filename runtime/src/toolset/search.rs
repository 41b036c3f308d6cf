//! Finding tools by words.

use std::collections::HashMap;
use std::sync::Arc;

use foldhash::fast::FixedState;

use super::Toolset;
use crate::schema::Canonical;
use crate::tool::ToolSpec;
use crate::transcript::ToolName;

/// How much a word of each part of a tool counts.
const NAME: f64 = 3.0;
const DESCRIPTION: f64 = 1.5;
const PARAMETERS: f64 = 0.6;
const GROUP: f64 = 1.0;

/// How soon more of the same word counts no more.
const SATURATION: f64 = 1.2;

/// How much the length of a part is allowed for.
const LENGTH: f64 = 0.6;

/// Words that say nothing of a tool.
const EMPTY: [&str; 48] = [
    "a", "all", "an", "and", "any", "are", "as", "at", "be", "by", "can", "do", "does", "for",
    "from", "has", "have", "how", "i", "if", "in", "into", "is", "it", "its", "me", "my", "of",
    "on", "or", "our", "please", "so", "some", "that", "the", "their", "them", "then", "these",
    "this", "to", "us", "was", "we", "which", "with", "you",
];

/// An index of a toolset's tools by the words of their names, descriptions, parameters and groups (BM25F).
///
/// ```
/// # extern crate helve_runtime as helve;
/// use helve::prelude::*;
/// use helve::toolset::ToolIndex;
///
/// /// Looks up the current weather for a city.
/// #[tool(read_only)]
/// fn get_weather() {}
///
/// /// Sends a mail.
/// #[tool]
/// fn send_mail() {}
///
/// let index = ToolIndex::of(&toolset![get_weather, send_mail]);
/// assert_eq!(index.search("is it raining, what is the weather like", 1)[0].name.as_str(), "get_weather");
/// ```
#[derive(Debug)]
pub struct ToolIndex {
    names: Vec<ToolName>,
    /// Where each word is: the tool, and how much of it there is, weighted.
    postings: HashMap<String, Vec<(u32, f64)>, FixedState>,
}

/// A tool that was found.
#[derive(Debug, Clone, PartialEq)]
#[non_exhaustive]
pub struct Found {
    /// Its name.
    pub name: ToolName,
    /// How well it fits; of use only beside others of the same search.
    pub score: f64,
}

impl ToolIndex {
    /// Makes an index of the tools as they are now.
    #[must_use]
    pub fn of(toolset: &Toolset) -> Self {
        let tools = toolset.tools();
        let parts: Vec<Vec<Part>> = tools.iter().map(|tool| parts(tool.spec())).collect();
        let lengths = average_lengths(&parts);
        let mut index = Self {
            names: Vec::with_capacity(tools.len()),
            postings: HashMap::default(),
        };
        for (place, (tool, parts)) in tools.iter().zip(parts).enumerate() {
            index
                .names
                .push(ToolName::new(Arc::clone(&tool.spec().name)));
            let place = u32::try_from(place).unwrap_or(u32::MAX);
            for (word, weight) in weighted(&parts, &lengths) {
                index
                    .postings
                    .entry(word)
                    .or_default()
                    .push((place, weight));
            }
        }
        index
    }

    /// Finds the tools that fit some words best, the best first; none of those that share no word with them.
    #[must_use]
    pub fn search(&self, query: &str, limit: usize) -> Vec<Found> {
        let mut scores = vec![0.0; self.names.len()];
        let mut words: Vec<String> = words(query).collect();
        words.sort();
        words.dedup();
        for postings in words.iter().filter_map(|word| self.postings.get(word)) {
            let rarity = rarity(self.names.len(), postings.len());
            for (place, weight) in postings {
                scores[*place as usize] += rarity * weight / (SATURATION + weight);
            }
        }
        let mut found: Vec<(usize, f64)> = scores
            .into_iter()
            .enumerate()
            .filter(|(_, score)| *score > 0.0)
            .collect();
        // The places are in the order of the names, so that what fits equally well has an order, too.
        found.sort_by(|(a, a_score), (b, b_score)| b_score.total_cmp(a_score).then(a.cmp(b)));
        let found = found.into_iter().take(limit);
        let found = found.map(|(place, score)| Found {
            name: self.names[place].clone(),
            score,
        });
        found.collect()
    }
}

/// The words of one part of a tool.
struct Part {
    weight: f64,
    words: Vec<String>,
}

fn parts(spec: &ToolSpec) -> Vec<Part> {
    let part = |weight, text: &str| Part {
        weight,
        words: words(text).collect(),
    };
    vec![
        part(NAME, &spec.name),
        part(DESCRIPTION, &spec.description),
        part(PARAMETERS, &described(&spec.input_schema)),
        part(GROUP, spec.group.as_deref().unwrap_or_default()),
    ]
}

/// Joins the names and descriptions of the parameters.
fn described(schema: &Canonical) -> String {
    let properties = schema.value()["properties"].as_object();
    let described = properties.into_iter().flatten().map(|(name, schema)| {
        let description = schema["description"].as_str().unwrap_or_default();
        format!("{name} {description}")
    });
    described.collect::<Vec<_>>().join("\n")
}

fn average_lengths(tools: &[Vec<Part>]) -> Vec<f64> {
    let count = tools.len().max(1) as f64;
    let parts = tools.first().map_or(0, Vec::len);
    let length = |part: usize| {
        tools
            .iter()
            .map(|tool| tool[part].words.len())
            .sum::<usize>() as f64
    };
    (0..parts)
        .map(|part| (length(part) / count).max(1.0))
        .collect()
}

/// Sums up each word of a tool over its parts.
fn weighted(parts: &[Part], averages: &[f64]) -> HashMap<String, f64, FixedState> {
    let mut weights: HashMap<String, f64, FixedState> = HashMap::default();
    for (part, average) in parts.iter().zip(averages) {
        let length = 1.0 - LENGTH + LENGTH * part.words.len() as f64 / average;
        for word in &part.words {
            *weights.entry(word.clone()).or_default() += part.weight / length;
        }
    }
    weights
}

fn rarity(tools: usize, with_word: usize) -> f64 {
    let (tools, with_word) = (tools as f64, with_word as f64);
    (1.0 + (tools - with_word + 0.5) / (with_word + 0.5)).ln()
}

/// Iterates over the words of a text, in the form in which they are compared.
fn words(text: &str) -> impl Iterator<Item = String> {
    let pieces = text.split(|character: char| !character.is_alphanumeric());
    pieces
        .flat_map(humps)
        .map(str::to_lowercase)
        .filter(|word| !EMPTY.contains(&&**word))
        .map(stem)
        .filter(|word| !word.is_empty())
}

/// Parts `getWeather` into its words.
fn humps(piece: &str) -> Vec<&str> {
    let mut humps = Vec::new();
    let (mut start, mut was_lower) = (0, false);
    for (place, character) in piece.char_indices() {
        if character.is_uppercase() && was_lower {
            humps.push(&piece[start..place]);
            start = place;
        }
        was_lower = character.is_lowercase() || character.is_numeric();
    }
    humps.push(&piece[start..]);
    humps
}

/// Cuts the commonest endings of English, so that `files` and `file` are one word.
fn stem(word: String) -> String {
    let long = word.chars().count();
    for (ending, instead, least) in [
        ("ies", "y", 5),
        ("sses", "ss", 6),
        ("ing", "", 6),
        ("ed", "", 5),
        ("es", "e", 5),
        ("s", "", 4),
    ] {
        if long >= least
            && !word.ends_with("ss")
            && let Some(root) = word.strip_suffix(ending)
        {
            return format!("{root}{instead}").trim_end_matches('e').to_owned();
        }
    }
    if long >= 4 {
        return word.trim_end_matches('e').to_owned();
    }
    word
}
