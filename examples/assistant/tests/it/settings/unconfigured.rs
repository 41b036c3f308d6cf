//! Sections that lack what their type requires.

use super::weather_fixture;

#[test]
fn the_tools_of_the_pack_say_what_to_set_and_the_others_work() {
    let place = weather_fixture();
    let send = ["call", "send_mail", "--text", "Hello."];
    insta::assert_snapshot!(place.run(&send), @"");
    insta::assert_snapshot!(place.run(&["call", "mail_status"]), @"");
    insta::assert_snapshot!(place.run(&["call", "forecast"]), @"");
    let doctor = place.run(&["doctor"]);
    let is_about = |line: &&str| line.contains("mail") || line.contains("password");
    let lines: Vec<&str> = doctor.lines().filter(is_about).collect();
    insta::assert_snapshot!(lines.join("\n"), @"");

    let place = place
        .with_user_settings("[mail]\nserver = \"mail.example\"\n")
        .with_project_settings("[mail]\npassword = \"${MAIL_PASSWORD}\"\n");
    insta::assert_snapshot!(place.run(&send), @"");
    let place = place.with_accepted_project();
    insta::assert_snapshot!(place.run(&send), @"");
    insta::assert_snapshot!(place.run(&["call", "forecast"]), @"");
    let place = place.with_variable("MAIL_PASSWORD", "hunter22");
    insta::assert_snapshot!(place.run(&send), @"");
    insta::assert_snapshot!(place.run(&["call", "mail_status"]), @"");
}
