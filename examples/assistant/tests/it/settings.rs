//! The settings that packs declare, as a person meets them.

mod secrets;
mod sections;
mod sessions;
mod unconfigured;

use crate::config::fixture::ConfigFixture;

/// An app with two packs that take settings, in a fresh project.
fn weather_fixture() -> ConfigFixture {
    ConfigFixture::new().with_program(env!("CARGO_BIN_EXE_weather"))
}

/// Keeps the lines of some keys, and the lines that belong to them.
pub(crate) fn lines_of(seen: &str, sections: &[&str]) -> String {
    let mut is_kept = false;
    let is_of_section = |line: &str| sections.iter().any(|section| line.starts_with(section));
    let lines = seen.lines().filter(|line| {
        is_kept = is_of_section(line) || (is_kept && line.starts_with(' '));
        is_kept
    });
    lines.collect::<Vec<_>>().join("\n")
}
