//! What a section may say, what it says, and where.

use super::{lines_of, weather_fixture};
use crate::config::fixture::ConfigFixture;

#[test]
fn a_tool_takes_the_section_of_its_pack() {
    let call = ["call", "forecast"];
    insta::assert_snapshot!(weather_fixture().run(&call), @"");
    let settings = r#"
[weather]
unit = "fahrenheit"
key = "${WEATHER_KEY}"
service.timeout = 5
stations = [{ name = "Säntis", height = 2_502 }]
aliases.home = "Bern"
"#;
    let place = weather_fixture()
        .with_user_settings(settings)
        .with_variable("WEATHER_KEY", "w-secret");
    insta::assert_snapshot!(place.run(&call), @"");
}

#[test]
fn mistakes_are_told_with_their_places() {
    let place = weather_fixture().with_user_settings(
        r#"
[weather]
unti = "celsius"
unit = "kelvn"
days = 15
key = 12345678
service = "fast"
aliases.home = ["Bern"]

[[weather.stations]]
nmae = "Säntis"
height = "high"

[mail]
server = "${MAIL-SERVER}"
"#,
    );
    insta::assert_snapshot!(place.run(&["call", "forecast"]), @"");
    let place = weather_fixture().with_user_settings("[wether]\nunit = \"celsius\"\n");
    insta::assert_snapshot!(place.run(&["config", "show"]), @"");
    let place = weather_fixture().with_user_settings("weather = true\n");
    insta::assert_snapshot!(place.run(&["config", "show"]), @"");
}

#[test]
fn the_keys_of_sections_are_listed() {
    let keys = weather_fixture().run(&["config", "keys"]);
    insta::assert_snapshot!(lines_of(&keys, &["weather.", "mail."]), @"");
}

#[test]
fn values_are_shown_with_their_sources() {
    let place = weather_fixture()
        .with_user_settings("[weather]\nunit = \"fahrenheit\"\ndays = 5\naliases.home = \"Bern\"\n")
        .with_project_settings("[weather]\ndays = 7\nstations = [{ name = \"Säntis\" }]\n")
        .with_accepted_project();
    let shown = place.run(&["config", "show"]);
    insta::assert_snapshot!(lines_of(&shown, &["weather.", "mail."]), @"");
    insta::assert_snapshot!(place.run(&["call", "forecast"]), @"");
}

#[test]
fn a_project_sets_nothing_before_it_is_accepted() {
    let place = weather_fixture()
        .with_user_settings("[weather]\nkey = \"w-secret\"\n")
        .with_project_settings("[weather]\nservice.url = \"https://stranger.example\"\n");
    insta::assert_snapshot!(place.run(&["call", "forecast"]), @"");
    insta::assert_snapshot!(place.run(&["permissions", "trust", "--yes"]), @"");
    insta::assert_snapshot!(place.run(&["call", "forecast"]), @"");
}

#[test]
fn an_app_ignores_the_sections_of_other_apps() {
    let place = ConfigFixture::new()
        .with_user_settings("[weather]\nunit = \"celsius\"\n")
        .with_project_settings(
            "mode = \"bypass\"\n\n[mail]\nserver = \"mail.example\"\npassword = \"hunter22\"\n",
        );
    let shown = place.run(&["config", "show"]);
    let notes = shown.split_once("--- stderr\n").map(|(_, notes)| notes);
    insta::assert_snapshot!(notes.unwrap_or_default(), @"");
    // An acceptance is of the whole file, also for the apps that have these sections.
    insta::assert_snapshot!(place.run(&["permissions", "trust", "--yes"]), @"");
    let place = place.with_program(env!("CARGO_BIN_EXE_weather"));
    insta::assert_snapshot!(place.run(&["call", "send_mail", "--text", "Hello."]), @"");
}
