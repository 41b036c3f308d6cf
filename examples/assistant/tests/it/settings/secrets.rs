//! Fields that are marked `writeOnly`: no message shows their values.

use super::{lines_of, weather_fixture};

#[test]
fn a_secret_is_shown_nowhere() {
    let place = weather_fixture()
        .with_user_settings("[weather]\nkey = \"w-secret-${PART}\"\n")
        .with_project_settings("[mail]\nserver = \"mail.example\"\npassword = \"mail-secret\"\n")
        .with_variable("PART", "part-secret");
    let trust = place.run(&["permissions", "trust", "--yes"]);
    insta::assert_snapshot!(trust, @"");
    let shown = place.run(&["config", "show"]);
    insta::assert_snapshot!(lines_of(&shown, &["weather.key", "mail."]), @"");
    let log = place.run(&["--log", "trace", "call", "forecast"]);
    for seen in [trust, shown, log] {
        assert!(!seen.contains("secret"), "{seen}");
    }
}

#[test]
fn a_mistake_of_a_secret_does_not_quote_it() {
    let wrong_type = weather_fixture().with_user_settings("[weather]\nkey = [\"w-secret\"]\n");
    insta::assert_snapshot!(wrong_type.run(&["config", "show"]), @"");
    // The type itself quotes the value in its error.
    let settings = "[mail]\nserver = \"mail.example\"\npassword = \"xyz\"\n";
    let too_short = weather_fixture().with_user_settings(settings);
    insta::assert_snapshot!(too_short.run(&["call", "forecast"]), @"");
}
