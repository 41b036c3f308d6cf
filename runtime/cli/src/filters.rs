//! The tool filters of the app and of the settings files.

use std::fmt;

use super::config::{Config, ConfigError, SettingOrigin};
use helve_core::toolset::ToolFilter;

/// The packages of helve, whose tools count as the app's own tools.
const HELVE_PACKAGES: [&str; 3] = ["helve", "helve-runtime", "helve-tools"];

#[derive(Debug, Clone)]
pub(super) struct SourcedFilter {
    pub(super) filter: ToolFilter,
    source: FilterSource,
}

#[derive(Debug, Clone)]
enum FilterSource {
    App,
    /// A key of the settings, with the source of its value.
    Settings(&'static str, SettingOrigin),
}

impl SourcedFilter {
    pub(super) fn from_app(package: &str, filter: ToolFilter) -> Self {
        let filter = match filter.has_own_packages() {
            true => filter,
            false => with_own_packages(filter, package),
        };
        Self {
            filter,
            source: FilterSource::App,
        }
    }

    pub(super) fn is_from_app(&self) -> bool {
        matches!(self.source, FilterSource::App)
    }
}

impl fmt::Display for SourcedFilter {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match &self.source {
            FilterSource::App => f.write_str("the filter of the app"),
            FilterSource::Settings(key, origin) => write!(f, "`tools.{key}`, {origin}"),
        }
    }
}

fn with_own_packages(filter: ToolFilter, package: &str) -> ToolFilter {
    filter.own_packages(HELVE_PACKAGES.into_iter().chain([package]))
}

/// Reads the filters of the settings. Every file can remove tools, and none can add one.
pub(super) fn read(package: &str, config: &Config) -> Result<Vec<SourcedFilter>, ConfigError> {
    type Narrow = fn(ToolFilter, Vec<String>) -> ToolFilter;
    let keys: [(&'static str, Narrow); 4] = [
        ("only", ToolFilter::tools),
        ("without", ToolFilter::without),
        ("servers", ToolFilter::servers),
        ("packages", ToolFilter::packages),
    ];
    let mut narrowings = Vec::new();
    for (key, narrow) in keys {
        for said in config.cumulative_texts(&["tools", key])? {
            narrowings.push(SourcedFilter {
                filter: narrow(with_own_packages(ToolFilter::new(), package), said.value),
                source: FilterSource::Settings(key, said.origin),
            });
        }
    }
    Ok(narrowings)
}
