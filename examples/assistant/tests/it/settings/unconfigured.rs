//! Sections that lack what their type requires.

use super::weather_fixture;

#[test]
fn the_tools_of_the_pack_say_what_to_set_and_the_others_work() {
    let place = weather_fixture();
    let send = ["call", "send_mail", "--text", "Hello."];
    insta::assert_snapshot!(place.run(&send), @r#"
    exit 1
    --- stderr
    calling `send_mail` (only reads, low risk) in PLACE/project
    error: `send_mail` is not configured: set `mail.server` and `mail.password` in `~/.config/helve/helve.toml`
    "#);
    insta::assert_snapshot!(place.run(&["call", "mail_status"]), @r#"
    exit 0
    --- stdout
    false
    --- stderr
    calling `mail_status` (only reads, low risk) in PLACE/project
    "#);
    insta::assert_snapshot!(place.run(&["call", "forecast"]), @r#"
    exit 0
    --- stdout
    3 days in Celsius of https://weather.example within 2.5 s, with a key of 0 bytes, stations [], aliases {}
    --- stderr
    calling `forecast` (only reads, low risk) in PLACE/project
    "#);
    let doctor = place.run(&["doctor"]);
    let lines: Vec<&str> = doctor
        .lines()
        .filter(|line| line.contains("mail"))
        .collect();
    insta::assert_snapshot!(lines.join("\n"), @r#"
    · `send_mail` is not configured
      → set `mail.server` and `mail.password` in `~/.config/helve/helve.toml`
    "#);

    let place = place
        .with_user_settings("[mail]\nserver = \"mail.example\"\n")
        .with_project_settings("[mail]\npassword = \"${MAIL_PASSWORD}\"\n");
    insta::assert_snapshot!(place.run(&send), @"
    exit 1
    --- stderr
    note: ignoring `mail.password` of `PLACE/project/helve.toml`: you have not accepted it; run `weather permissions trust` to review and accept the file
    calling `send_mail` (only reads, low risk) in PLACE/project
    error: `send_mail` is not configured: set `mail.password` in `~/.config/helve/helve.toml`, or accept `PLACE/project/helve.toml` with `permissions trust`
    ");
    let place = place.with_accepted_project();
    insta::assert_snapshot!(place.run(&send), @"
    exit 1
    --- stderr
    calling `send_mail` (only reads, low risk) in PLACE/project
    error: `send_mail` is not configured: PLACE/project/helve.toml:2:1: `mail.password` needs the environment variable `MAIL_PASSWORD`, which is not set; use `export MAIL_PASSWORD=…`
    ");
    insta::assert_snapshot!(place.run(&["call", "forecast"]), @r#"
    exit 0
    --- stdout
    3 days in Celsius of https://weather.example within 2.5 s, with a key of 0 bytes, stations [], aliases {}
    --- stderr
    calling `forecast` (only reads, low risk) in PLACE/project
    "#);
    let place = place.with_variable("MAIL_PASSWORD", "hunter22");
    insta::assert_snapshot!(place.run(&send), @r#"
    exit 0
    --- stdout
    sent "Hello." by mail.example:465 with a password of 8 bytes
    --- stderr
    calling `send_mail` (does not say what it changes, medium risk) in PLACE/project
    "#);
    insta::assert_snapshot!(place.run(&["call", "mail_status"]), @r#"
    exit 0
    --- stdout
    true
    --- stderr
    calling `mail_status` (only reads, low risk) in PLACE/project
    "#);
}
