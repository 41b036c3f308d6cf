//! What narrows an app's tools: what the app itself says, and each file of settings.

use std::fmt;

use super::config::{Config, ConfigError, Origin};
use crate::toolset::ToolFilter;

/// The packages whose tools count as an app's own beside those of its package: what comes with helve.
const COMES_WITH_HELVE: [&str; 3] = ["helve", "helve-runtime", "helve-tools"];

/// A filter, and who says it.
#[derive(Debug)]
pub(super) struct Narrowing {
    pub(super) filter: ToolFilter,
    said_by: SaidBy,
}

#[derive(Debug)]
enum SaidBy {
    App,
    /// A key of the settings, and where it was said.
    Settings(&'static str, Origin),
}

impl Narrowing {
    /// Takes what an app of a package says.
    pub(super) fn of_app(package: &str, filter: ToolFilter) -> Self {
        let filter = match filter.has_own_packages() {
            true => filter,
            false => owning(filter, package),
        };
        Self {
            filter,
            said_by: SaidBy::App,
        }
    }

    /// Reports whether it is what the app itself says.
    pub(super) fn is_of_app(&self) -> bool {
        matches!(self.said_by, SaidBy::App)
    }
}

impl fmt::Display for Narrowing {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match &self.said_by {
            SaidBy::App => f.write_str("the app's own filter"),
            SaidBy::Settings(key, origin) => write!(f, "`tools.{key}`, {origin}"),
        }
    }
}

fn owning(filter: ToolFilter, package: &str) -> ToolFilter {
    filter.own_packages(COMES_WITH_HELVE.into_iter().chain([package]))
}

/// Reads the filters of the settings. Every file can remove tools, and none can add one.
pub(super) fn read(package: &str, config: &Config) -> Result<Vec<Narrowing>, ConfigError> {
    type Narrow = fn(ToolFilter, Vec<String>) -> ToolFilter;
    let keys: [(&'static str, Narrow); 4] = [
        ("only", ToolFilter::tools),
        ("without", ToolFilter::without),
        ("servers", ToolFilter::servers),
        ("packages", ToolFilter::packages),
    ];
    let mut narrowings = Vec::new();
    for (key, narrow) in keys {
        for said in config.all_texts(["tools", key])? {
            narrowings.push(Narrowing {
                filter: narrow(owning(ToolFilter::new(), package), said.value),
                said_by: SaidBy::Settings(key, said.origin),
            });
        }
    }
    Ok(narrowings)
}
