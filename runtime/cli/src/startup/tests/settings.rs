//! Packs whose settings do not fit together.

use super::{app, assemble, redact_lines};
use helve_core::{data, tool, toolset};

/// The settings of the clock.
#[data]
#[derive(Default)]
#[serde(default)]
struct ClockSettings {
    /// The zone.
    zone: String,
}

/// The settings of the alarm.
#[data]
#[derive(Default)]
#[serde(default)]
struct AlarmSettings {
    /// How long it rings.
    seconds: u32,
}

/// Names the zone.
#[tool(name = "settings_zone", read_only)]
fn zone(settings: &ClockSettings) -> String {
    settings.zone.clone()
}

/// Rings.
#[tool(name = "settings_ring", read_only)]
fn ring(settings: &AlarmSettings) -> u32 {
    settings.seconds
}

/// Returns the error of an app that does not start.
fn error_of(app: crate::App) -> String {
    redact_lines(&assemble(app).unwrap_err())
}

#[test]
fn two_declarations_of_one_section_are_refused() {
    let clock = toolset![zone].settings::<ClockSettings>("time");
    let alarm = toolset![ring].settings::<AlarmSettings>("time");
    insta::assert_snapshot!(error_of(app().pack(clock).pack(alarm)), @"two packs declare the settings `[time]`: `[time]` as `helve_cli::startup::tests::settings::ClockSettings` at runtime/cli/src/startup/tests/settings.rs:LINE, and `[time]` as `helve_cli::startup::tests::settings::AlarmSettings` at runtime/cli/src/startup/tests/settings.rs:LINE; rename one of the sections");
}

#[test]
fn one_type_in_two_sections_is_refused() {
    let one = toolset![zone].settings::<ClockSettings>("clock");
    let other = toolset![ring].settings::<ClockSettings>("time");
    insta::assert_snapshot!(error_of(app().pack(one).pack(other)), @"two packs declare settings of one type: `[clock]` as `helve_cli::startup::tests::settings::ClockSettings` at runtime/cli/src/startup/tests/settings.rs:LINE, and `[time]` as `helve_cli::startup::tests::settings::ClockSettings` at runtime/cli/src/startup/tests/settings.rs:LINE; a `&helve_cli::startup::tests::settings::ClockSettings` could mean either");
}

#[test]
fn a_pack_may_be_granted_twice() {
    let clock = || toolset![zone].settings::<ClockSettings>("clock");
    assert!(assemble(app().pack(clock()).pack(clock())).is_ok());
}

#[test]
fn names_that_no_section_can_have_are_refused() {
    let built_in = toolset![zone].settings::<ClockSettings>("sandbox");
    insta::assert_snapshot!(error_of(app().pack(built_in)), @"a pack declares the settings `[sandbox]`, which are built-in settings of helve: `[sandbox]` as `helve_cli::startup::tests::settings::ClockSettings` at runtime/cli/src/startup/tests/settings.rs:LINE; rename the section");
    let quoted = toolset![zone].settings::<ClockSettings>("my clock");
    insta::assert_snapshot!(error_of(app().pack(quoted)), @"a pack declares the settings `[my clock]`: `[my clock]` as `helve_cli::startup::tests::settings::ClockSettings` at runtime/cli/src/startup/tests/settings.rs:LINE; the name of a section has letters, digits, `_` and `-`");
}

#[test]
fn a_type_without_named_fields_is_refused() {
    let list = toolset![zone].settings::<Vec<String>>("clock");
    insta::assert_snapshot!(error_of(app().pack(list)), @"a pack declares the settings `[clock]`: `[clock]` as `alloc::vec::Vec<alloc::string::String>` at runtime/cli/src/startup/tests/settings.rs:LINE; the type of a section must be a struct with named fields");
}

#[test]
fn settings_that_are_state_too_are_refused() {
    let clock = || toolset![zone].settings::<ClockSettings>("clock");
    let state = app().state(ClockSettings::default()).pack(clock());
    insta::assert_snapshot!(error_of(state), @"`helve_cli::startup::tests::settings::ClockSettings` is both state of the app and the settings of a pack: `[clock]` as `helve_cli::startup::tests::settings::ClockSettings` at runtime/cli/src/startup/tests/settings.rs:LINE");
    let session = app().session_state(ClockSettings::default).pack(clock());
    insta::assert_snapshot!(error_of(session), @"`helve_cli::startup::tests::settings::ClockSettings` is both state of the app and the settings of a pack: `[clock]` as `helve_cli::startup::tests::settings::ClockSettings` at runtime/cli/src/startup/tests/settings.rs:LINE");
}
