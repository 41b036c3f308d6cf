//! What narrows an app's tools: what the app itself says, and each file of settings.

use std::fmt;

use clap::ArgMatches;

use super::assembly::Assembly;
use super::config::{Config, ConfigError, Origin};
use crate::toolset::ToolFilter;

/// The packages whose tools count as an app's own beside those of its package: what comes with helve.
const COMES_WITH_HELVE: [&str; 3] = ["helve", "helve-runtime", "helve-tools"];

/// The commands that show what there is where the settings cannot be read.
const SHOWS: [&str; 8] = [
    "completions",
    "config",
    "doctor",
    "events",
    "mcp",
    "permissions",
    "sessions",
    "skills",
];

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

/// Narrows the tools of an app by what the settings say; a command that uses tools does not begin where that cannot be
/// read.
pub(super) fn open(
    assembly: &mut Assembly,
    command: &str,
    matches: &ArgMatches,
) -> Result<(), ConfigError> {
    let said = Config::load(assembly.folder(), matches).and_then(|config| said(assembly, &config));
    match said {
        Ok(said) => assembly.tools.narrow(said),
        Err(_) if SHOWS.contains(&command) => {}
        Err(error) => return Err(error),
    }
    Ok(())
}

/// Reads what the settings say: every file that says something takes tools away, and none gives any back.
fn said(assembly: &Assembly, config: &Config) -> Result<Vec<Narrowing>, ConfigError> {
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
                filter: narrow(owning(ToolFilter::new(), assembly.package.name), said.value),
                said_by: SaidBy::Settings(key, said.origin),
            });
        }
    }
    Ok(narrowings)
}
