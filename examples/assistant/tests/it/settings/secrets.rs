//! Fields that are marked `writeOnly`: no message shows their values.

use super::{lines_of, weather_fixture};

#[test]
fn a_secret_is_shown_nowhere() {
    let place = weather_fixture()
        .with_user_settings("[weather]\nkey = \"w-secret-${PART}\"\n")
        .with_project_settings("[mail]\nserver = \"mail.example\"\npassword = \"mail-secret\"\n")
        .with_variable("PART", "part-secret");
    let trust = place.run(&["permissions", "trust", "--yes"]);
    insta::assert_snapshot!(trust, @r#"
    exit 0
    --- stdout
    the settings of `PLACE/project/helve.toml`
    + setting `mail.password` (new)
        (set)
    + setting `mail.server` (new)
        "mail.example"
    accepted PLACE/project/helve.toml until the file changes
    "#);
    let shown = place.run(&["config", "show"]);
    insta::assert_snapshot!(lines_of(&shown, &["weather.key", "mail."]), @r#"
    mail.server                 "mail.example"             PLACE/project/helve.toml:2
    mail.password               (set)                      PLACE/project/helve.toml:3
    mail.port                   465                        default
    weather.key                 …${PART}                   ~/.config/helve/helve.toml:2
    "#);
    let log = place.run(&["--log", "trace", "call", "forecast"]);
    for seen in [trust, shown, log] {
        assert!(!seen.contains("secret"), "{seen}");
    }
}

#[test]
fn a_mistake_of_a_secret_does_not_quote_it() {
    let wrong_type = weather_fixture().with_user_settings("[weather]\nkey = [\"w-secret\"]\n");
    insta::assert_snapshot!(wrong_type.run(&["config", "show"]), @r#"
    exit 2
    --- stderr
    error: PLACE/home/.config/helve/helve.toml:2:7: `weather.key`: expected a string
    "#);
    // The type itself quotes the value in its error.
    let settings = "[mail]\nserver = \"mail.example\"\npassword = \"xyz\"\n";
    let too_short = weather_fixture().with_user_settings(settings);
    insta::assert_snapshot!(too_short.run(&["call", "forecast"]), @r#"
    exit 2
    --- stderr
    error: PLACE/home/.config/helve/helve.toml:2:1: `mail`: a secret is not what it should be
    "#);
}
