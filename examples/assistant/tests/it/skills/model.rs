//! What a model can do with skills, and what it cannot with those that are hidden.

use serde_json::{Value, json};

use super::fixture::{SkillsFixture, with_skill};

const RUN: &[&str] = &["--allow", "run_skill_script", "--allow", "bash"];

#[test]
fn a_model_loads_reads_and_runs() {
    if crate::isolation::skip("skills::model::a_model_loads_reads_and_runs") {
        return;
    }
    let place = with_skill(SkillsFixture::new(), "project/.agents/skills", "pdf");
    let told = place.run_calls(
        RUN,
        &[
            ("load_skill", json!({ "name": "pdf" })),
            ("read_skill_file", json!({ "skill": "pdf", "path": "references/more.md" })),
            (
                "run_skill_script",
                json!({ "skill": "pdf", "script": "scripts/show.sh", "arguments": ["a b"], "stdin": "the input\n" }),
            ),
        ],
    );
    assert!(told[0].contains("The words of pdf."), "{}", told[0]);
    assert!(told[1].contains("More about pdf."), "{}", told[1]);
    assert!(
        told[2].contains("the script of pdf says a b\nthe input"),
        "{}",
        told[2]
    );
    assert!(told[2].contains("[exit code 3, after"), "{}", told[2]);
    assert!(!told[2].contains("can be written"), "{}", told[2]);
    let nothing = json!({ "skill": "pdf", "script": "scripts/nothing.sh" });
    let told = place.run_calls(RUN, &[("run_skill_script", nothing)]);
    assert!(
        told[0].contains("has no file `scripts/nothing.sh`"),
        "{}",
        told[0]
    );
    let cached = std::fs::read_dir(place.path("cache/helve/skills")).expect("a cache");
    assert!(cached.count() >= 2);
}

#[test]
fn a_script_runs_without_isolation_where_that_was_chosen() {
    let place = with_skill(SkillsFixture::new(), "project/.agents/skills", "pdf");
    let run = json!({ "skill": "pdf", "script": "scripts/show.sh", "arguments": ["hello"] });
    let flags = [RUN, &["--sandbox", "passthrough"]].concat();
    let told = place.run_calls(&flags, &[("run_skill_script", run)]);
    assert!(
        told[0].contains("the script of pdf says hello"),
        "{}",
        told[0]
    );
    assert!(told[0].contains("enforce"), "{}", told[0]);
}

#[test]
fn a_rule_holds_for_the_skill_that_it_was_granted_for() {
    let place = with_skill(SkillsFixture::new(), "home/.agents/skills", "pdf");
    let call = (
        "run_skill_script",
        json!({ "skill": "pdf", "script": "scripts/show.sh", "arguments": ["hello"] }),
    );
    let runs = |place: &SkillsFixture, rule: &str| {
        let flags = ["--allow", rule, "--sandbox", "passthrough"];
        place.run_calls(&flags, std::slice::from_ref(&call))[0]
            .contains("the script of pdf says hello")
    };
    let identity = |place: &SkillsFixture, origin: &str| {
        let shown = place.run(&["skills", "show", "pdf"]);
        let (_, digest) = shown.split_once("digest ").expect("a digest");
        format!("run_skill_script({origin}:pdf@{}/*)", &digest[..32])
    };
    let granted = identity(&place, "user");
    assert!(runs(&place, &granted), "{granted}");
    assert!(
        !runs(&place, "run_skill_script(pdf/*)"),
        "a name says nothing"
    );

    // A clone brings another one of that name, which stands before the user's.
    let script = "#!/bin/sh\n# of the clone\necho \"the script of pdf says $1\"\n";
    let place = with_skill(place, "project/.agents/skills", "pdf")
        .with_file("project/.agents/skills/pdf/scripts/show.sh", script);
    let clones = identity(&place, "project");
    assert!(!runs(&place, &granted), "{granted}");
    assert!(
        !runs(&place, &clones.replace("project:", "user:")),
        "{clones}"
    );
    assert!(runs(&place, &clones), "{clones}");
}

#[test]
fn an_embedded_script_runs_and_asks_without_a_rule() {
    if crate::isolation::skip("skills::model::an_embedded_script_runs_and_asks_without_a_rule") {
        return;
    }
    let place = SkillsFixture::new()
        .with_file("project/a.txt", "four")
        .with_file("project/b.txt", "seven77");
    let call = (
        "run_skill_script",
        json!({ "skill": "explore-repository", "script": "scripts/largest.sh", "arguments": ["1"] }),
    );
    let told = place.run_calls(
        &["--allow", "run_skill_script"],
        std::slice::from_ref(&call),
    );
    assert!(told[0].contains("7 ./b.txt"), "{}", told[0]);
    assert!(!told[0].contains("a.txt"), "{}", told[0]);
    // The run is not interactive.
    let told = place.run_calls(&[], std::slice::from_ref(&call));
    assert!(!told[0].contains("b.txt"), "{}", told[0]);
    let told = place.run_calls(&["--allow", "run_skill_script(pdf/*)"], &[call]);
    assert!(!told[0].contains("b.txt"), "{}", told[0]);
}

#[test]
fn a_hidden_skill_cannot_be_reached() {
    if crate::isolation::skip("skills::model::a_hidden_skill_cannot_be_reached") {
        return;
    }
    let place = with_skill(SkillsFixture::new(), "project/.agents/skills", "pdf");
    let place = with_skill(place, "project/.agents/skills", "secret");
    let settings = "[skills]\nallow = [\"pdf\"]\n";
    let place = place.with_file("config/helve/helve.toml", settings);
    let file = ".agents/skills/secret/SKILL.md";
    let calls: [(&str, Value); 7] = [
        ("load_skill", json!({ "name": "secret" })),
        (
            "read_skill_file",
            json!({ "skill": "secret", "path": "references/more.md" }),
        ),
        (
            "run_skill_script",
            json!({ "skill": "secret", "script": "scripts/show.sh" }),
        ),
        ("read_file", json!({ "path": file })),
        ("grep", json!({ "pattern": "words of", "path": ".agents" })),
        (
            "bash",
            json!({ "command": format!("cat {file}; ls .agents/skills/secret; cat .agents/skills/*/references/more.md") }),
        ),
        ("load_skill", json!({ "name": "pdf" })),
    ];
    let flags = ["--allow", "run_skill_script", "--allow", "bash"];
    let told = place.run_calls(&flags, &calls);
    for told in &told[..6] {
        assert!(!told.contains("words of secret"), "{told}");
        assert!(!told.contains("More about secret"), "{told}");
        assert!(!told.contains("show.sh says"), "{told}");
    }
    assert!(told[0].contains("unknown skill `secret`"), "{}", told[0]);
    assert!(told[1].contains("unknown skill `secret`"), "{}", told[1]);
    assert!(told[2].contains("unknown skill `secret`"), "{}", told[2]);
    assert!(told[5].contains("More about pdf."), "{}", told[5]);
    assert!(told[6].contains("The words of pdf."), "{}", told[6]);
    let list = place.run(&["skills", "list"]);
    assert!(list.contains("pdf") && !list.contains("secret"), "{list}");
    // Without the allow-list all of it is there.
    std::fs::remove_file(place.path("config/helve/helve.toml")).expect("it was there");
    let told = place.run_calls(&flags, &calls);
    assert!(told[0].contains("words of secret"), "{}", told[0]);
    assert!(told[1].contains("More about secret"), "{}", told[1]);
    assert!(told[2].contains("the script of secret says"), "{}", told[2]);
    assert!(told[3].contains("words of secret"), "{}", told[3]);
    assert!(told[5].contains("words of secret"), "{}", told[5]);
}
