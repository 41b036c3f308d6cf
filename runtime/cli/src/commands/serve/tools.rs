//! `--tools`: which of the app's tools are served.

use clap::ArgMatches;

use crate::app_context::AppContext;
use helve_core::support::wildcard;
use helve_core::toolset::Toolset;

/// Keeps the tools that were named. A name that fits none is a mistake.
pub(super) fn select_tools(app: &AppContext, matches: &ArgMatches) -> Result<Toolset, String> {
    let all = app.tools.granted();
    let Some(patterns) = matches.get_many::<String>("tools") else {
        return Ok(all.clone());
    };
    let patterns: Vec<String> = patterns.map(|pattern| pattern.trim().to_owned()).collect();
    let names = all.names();
    let fits_none = |pattern: &&String| !names.iter().any(|name| wildcard::matches(pattern, name));
    if let Some(pattern) = patterns.iter().find(fits_none) {
        return Err(match pattern.contains('*') {
            true => format!("no tool matches `{pattern}`"),
            false => all.unknown(pattern).to_string(),
        });
    }
    Ok(all.filtered(move |spec| {
        patterns
            .iter()
            .any(|pattern| wildcard::matches(pattern, &spec.name))
    }))
}
