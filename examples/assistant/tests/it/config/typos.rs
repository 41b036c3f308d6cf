//! What a wrong key of the memory and of skills says, and which key was meant.

use crate::config::fixture::ConfigFixture;

#[test]
fn a_wrong_key_of_the_memory_or_of_skills_names_the_right_one() {
    let shown = [
        "memory.recal = false",
        "memory.recall = \"no\"",
        "memory = false",
        "memroy.recall = false",
        "skills.alow = [\"tea\"]",
        "skills.manage = \"yes\"",
        "skills.github = \"ftp://example.com\"",
        "skills.hub = \"acme/skills\"",
        "skills.hub.sorce = \"acme/skills\"",
        "skills.hub.source = 1",
        "skill.manage = true",
    ]
    .map(|line| {
        let place = ConfigFixture::new().with_user_settings(&format!("{line}\n"));
        let seen = place.run(&["config", "show"]);
        let error = seen.lines().find(|line| line.starts_with("error: "));
        let error = error.unwrap_or("no error");
        let error = error.replace("PLACE/home/.config/helve/", "");
        format!("{line}\n  {error}")
    });
    insta::assert_snapshot!(shown.join("\n"), @"");
}
