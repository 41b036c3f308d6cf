//! What a section may say, what it says, and where.

use super::{lines_of, weather_fixture};
use crate::config::fixture::ConfigFixture;

#[test]
fn a_tool_takes_the_section_of_its_pack() {
    let call = ["call", "forecast"];
    insta::assert_snapshot!(weather_fixture().run(&call), @r#"
    exit 0
    --- stdout
    3 days in Celsius of https://weather.example within 2.5 s, with a key of 0 bytes, stations [], aliases {}
    --- stderr
    calling `forecast` (only reads, low risk) in PLACE/project
    "#);
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
    insta::assert_snapshot!(place.run(&call), @r#"
    exit 0
    --- stdout
    3 days in Fahrenheit of https://weather.example within 5 s, with a key of 8 bytes, stations ["Säntis at Some(2502)"], aliases {"home": "Bern"}
    --- stderr
    calling `forecast` (only reads, low risk) in PLACE/project
    "#);
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
    insta::assert_snapshot!(place.run(&["call", "forecast"]), @r#"
    exit 2
    --- stderr
    error: PLACE/home/.config/helve/helve.toml:3:1: unknown key `weather.unti`; did you mean `weather.unit`?
    PLACE/home/.config/helve/helve.toml:4:8: `weather.unit`: expected one of "celsius", "fahrenheit", got the string "kelvn"
    PLACE/home/.config/helve/helve.toml:5:8: `weather.days`: expected an integer from 1 to 14, got the number 15
    PLACE/home/.config/helve/helve.toml:6:7: `weather.key`: expected a string
    PLACE/home/.config/helve/helve.toml:7:11: expected a table: write `[weather.service]` and, below it, keys such as `url = …`, `timeout = …`
    PLACE/home/.config/helve/helve.toml:8:16: `weather.aliases.home`: expected a string, got the array ["Bern"]
    PLACE/home/.config/helve/helve.toml:10:1: `weather.stations[0].name`: expected a string (The name), got nothing; this key is required
    PLACE/home/.config/helve/helve.toml:11:1: `weather.stations[0].nmae`: expected one of the keys `name`, `height`, got the unknown key `nmae` with the string "Säntis"; did you mean `name`?
    PLACE/home/.config/helve/helve.toml:12:1: `weather.stations[0].height`: expected an integer, got the string "high"; write the number without quotes
    PLACE/home/.config/helve/helve.toml:15:10: `mail.server`: invalid variable name in `${MAIL-SERVER}`: expected `${VARIABLE}`, or `$${` for a literal `${`
    "#);
    let place = weather_fixture().with_user_settings("[wether]\nunit = \"celsius\"\n");
    insta::assert_snapshot!(place.run(&["config", "show"]), @r#"
    exit 2
    --- stderr
    error: PLACE/home/.config/helve/helve.toml:1:2: unknown key `wether`; did you mean `weather`?
    "#);
    let place = weather_fixture().with_user_settings("weather = true\n");
    insta::assert_snapshot!(place.run(&["config", "show"]), @"
    exit 2
    --- stderr
    error: PLACE/home/.config/helve/helve.toml:1:11: expected a table: write `[weather]` and, below it, keys such as `unit = …`, `days = …`, `key = …`
    ");
}

#[test]
fn the_keys_of_sections_are_listed() {
    let keys = weather_fixture().run(&["config", "keys"]);
    insta::assert_snapshot!(lines_of(&keys, &["weather.", "mail."]), @r#"
    mail.server                     The server that sends mail.
                                    a string [required]
    mail.password                   The password at the server.
                                    a string [required]
    mail.port                       The port of the server.
                                    an integer from 0 to 65535 [default: 465]
    weather.unit                    The unit of temperatures.
                                    one of "celsius", "fahrenheit" [default: "celsius"]
    weather.days                    How many days a forecast has.
                                    an integer from 1 to 14 [default: 3]
    weather.key                     The key of the weather service.
                                    a string
    weather.service.url             Where the weather service is reached.
                                    a string [default: "https://weather.example"]
    weather.service.timeout         How long an answer may take, in seconds.
                                    a number [default: 2.5]
    weather.stations                The stations that are asked first.
                                    an array [default: []]
    weather.aliases.*               Other names of places.
                                    a string
    "#);
}

#[test]
fn values_are_shown_with_their_sources() {
    let place = weather_fixture()
        .with_user_settings("[weather]\nunit = \"fahrenheit\"\ndays = 5\naliases.home = \"Bern\"\n")
        .with_project_settings("[weather]\ndays = 7\nstations = [{ name = \"Säntis\" }]\n")
        .with_accepted_project();
    let shown = place.run(&["config", "show"]);
    insta::assert_snapshot!(lines_of(&shown, &["weather.", "mail."]), @r#"
    mail.server                 (none)                     default
    mail.password               (none)                     default
    mail.port                   465                        default
    weather.unit                "fahrenheit"               ~/.config/helve/helve.toml:2
    weather.days                7                          PLACE/project/helve.toml:2
    weather.key                 (none)                     default
    weather.service.url         "https://weather.example"  default
    weather.service.timeout     2.5                        default
    weather.stations            [{name = "Säntis"}]        PLACE/project/helve.toml:3
    weather.aliases.home        "Bern"                     ~/.config/helve/helve.toml:4
    "#);
    insta::assert_snapshot!(place.run(&["call", "forecast"]), @r#"
    exit 0
    --- stdout
    7 days in Fahrenheit of https://weather.example within 2.5 s, with a key of 0 bytes, stations ["Säntis at None"], aliases {"home": "Bern"}
    --- stderr
    calling `forecast` (only reads, low risk) in PLACE/project
    "#);
}

#[test]
fn a_project_sets_nothing_before_it_is_accepted() {
    let place = weather_fixture()
        .with_user_settings("[weather]\nkey = \"w-secret\"\n")
        .with_project_settings("[weather]\nservice.url = \"https://stranger.example\"\n");
    insta::assert_snapshot!(place.run(&["call", "forecast"]), @"
    exit 0
    --- stdout
    3 days in Celsius of https://weather.example within 2.5 s, with a key of 8 bytes, stations [], aliases {}
    --- stderr
    note: ignoring `weather.service.url` of `PLACE/project/helve.toml`: you have not accepted it; run `weather permissions trust` to review and accept the file
    calling `forecast` (only reads, low risk) in PLACE/project
    ");
    insta::assert_snapshot!(place.run(&["permissions", "trust", "--yes"]), @r#"
    exit 0
    --- stdout
    the settings of `PLACE/project/helve.toml`
    + setting `weather.service.url` (new)
        "https://stranger.example"
    accepted PLACE/project/helve.toml until the file changes
    "#);
    insta::assert_snapshot!(place.run(&["call", "forecast"]), @r#"
    exit 0
    --- stdout
    3 days in Celsius of https://stranger.example within 2.5 s, with a key of 8 bytes, stations [], aliases {}
    --- stderr
    calling `forecast` (only reads, low risk) in PLACE/project
    "#);
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
    insta::assert_snapshot!(notes.unwrap_or_default(), @"
    note: ignoring `mode` of `PLACE/project/helve.toml`: you have not accepted it; run `assistant permissions trust` to review and accept the file
    note: `[weather]` (~/.config/helve/helve.toml:1) is no section of this app: it is ignored
    note: `[mail]` (PLACE/project/helve.toml:3) is no section of this app: it is ignored
    ");
    // An acceptance is of the whole file, also for the apps that have these sections.
    insta::assert_snapshot!(place.run(&["permissions", "trust", "--yes"]), @r#"
    exit 0
    --- stdout
    the settings of `PLACE/project/helve.toml`
    + setting `mail` (new)
        {password = "[REDACTED:generic-secret]", server = "mail.example"}
    + setting `mode` (new)
        "bypass"
    accepted PLACE/project/helve.toml until the file changes
    "#);
    let place = place.with_program(env!("CARGO_BIN_EXE_weather"));
    insta::assert_snapshot!(place.run(&["call", "send_mail", "--text", "Hello."]), @r#"
    exit 0
    --- stdout
    sent "Hello." by mail.example:465 with a password of 8 bytes
    --- stderr
    calling `send_mail` (does not say what it changes, medium risk) in PLACE/project
    "#);
}
