//! Finds time zones by name, in the database that is embedded in the binary.

use helve::ToolError;
use jiff::tz::{TimeZone, TimeZoneDatabase};

/// The greatest number of suggestions for an unknown name.
const MAX_SUGGESTIONS: usize = 3;

/// The least similarity of a suggestion, from 0 to 1.
const MIN_SIMILARITY: f64 = 0.6;

/// The greatest difference in similarity between a suggestion and the best one.
const MAX_DISTANCE_TO_BEST: f64 = 0.1;

/// Returns the embedded IANA database; the machine's own copy is never read.
pub(super) fn database() -> TimeZoneDatabase {
    TimeZoneDatabase::bundled()
}

/// Finds a zone by its name, in any case.
pub(super) fn find(name: &str) -> Result<TimeZone, ToolError> {
    database().get(name).map_err(|_| unknown(name))
}

fn unknown(name: &str) -> ToolError {
    let zones: Vec<String> = database()
        .available()
        .map(|zone| zone.to_string())
        .collect();
    let near = nearest(name, &zones);
    let advice = if near.is_empty() {
        "give an IANA name such as `Europe/Paris`, `America/New_York` or `UTC`".to_owned()
    } else {
        format!("did you mean `{}`?", near.join("`, or `"))
    };
    ToolError::failed(format!("unknown time zone `{name}`; {advice}"))
}

/// Returns the zones whose name or city is most similar to the requested one.
fn nearest<'a>(wanted: &str, zones: &'a [String]) -> Vec<&'a str> {
    let wanted = plain(wanted);
    let likeness = |zone: &str| {
        let zone = plain(zone);
        let city = zone.rsplit('/').next().unwrap_or(&zone);
        strsim::normalized_damerau_levenshtein(&wanted, &zone)
            .max(strsim::normalized_damerau_levenshtein(&wanted, city))
    };
    let scored = zones.iter().map(|zone| (likeness(zone), &**zone));
    let mut scored: Vec<_> = scored
        .filter(|(score, _)| *score >= MIN_SIMILARITY)
        .collect();
    scored.sort_by(|a, b| b.0.total_cmp(&a.0).then(a.1.cmp(b.1)));
    if let Some(&(best, _)) = scored.first() {
        scored.retain(|(score, _)| *score >= best - MAX_DISTANCE_TO_BEST);
    }
    scored.truncate(MAX_SUGGESTIONS);
    scored.into_iter().map(|(_, zone)| zone).collect()
}

fn plain(name: &str) -> String {
    name.trim().to_lowercase().replace(' ', "_")
}
