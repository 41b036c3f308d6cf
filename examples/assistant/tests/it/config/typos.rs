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
    insta::assert_snapshot!(shown.join("\n"), @r#"
    memory.recal = false
      error: helve.toml:1:8: unknown key `memory.recal`; did you mean `memory.recall`?
    memory.recall = "no"
      error: helve.toml:1:17: `memory.recall`: expected true or false, got the string "no"
    memory = false
      error: helve.toml:1:10: expected a table: write `[memory]` and, below it, `recall = …`
    memroy.recall = false
      error: helve.toml:1:1: unknown key `memroy`; did you mean `memory`?
    skills.alow = ["tea"]
      error: helve.toml:1:8: unknown key `skills.alow`; did you mean `skills.allow`?
    skills.manage = "yes"
      error: helve.toml:1:17: `skills.manage`: expected true or false, got the string "yes"
    skills.github = "ftp://example.com"
      error: helve.toml:1:17: `skills.github`: expected a URL such as `https://host/v1`, got "ftp://example.com"
    skills.hub = "acme/skills"
      error: helve.toml:1:14: expected a table: write `[skills.hub]` and, below it, `source = …`
    skills.hub.sorce = "acme/skills"
      error: helve.toml:1:12: unknown key `skills.hub.sorce`; did you mean `skills.hub.source`?
    skills.hub.source = 1
      error: helve.toml:1:21: `skills.hub.source`: expected a string, got the number 1
    skill.manage = true
      error: helve.toml:1:1: unknown key `skill`; did you mean `skills`?
    "#);
}
