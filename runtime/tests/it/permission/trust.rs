//! What a project's file allows holds only while the user has accepted what it says.

use std::fs;
use std::path::{Path, PathBuf};

use helve_runtime::acceptances::{AcceptanceError, Acceptances};
use helve_runtime::permission::{Decision, RuleFile, RuleFileError, RuleFiles, RuleScope, Rules};
use proptest::collection::vec;
use proptest::prelude::*;
use proptest::sample::select;

use crate::permission::fixture::rule;

/// A project, and a user's folder of configurations beside it.
struct Place {
    folder: tempfile::TempDir,
    files: RuleFiles,
}

impl Place {
    fn new() -> Self {
        let folder = tempfile::tempdir().unwrap();
        fs::create_dir_all(folder.path().join("project")).unwrap();
        let files = files(folder.path(), "project");
        Self { folder, files }
    }

    fn path(&self, below: &str) -> PathBuf {
        self.folder.path().join(below)
    }

    /// Writes the project's file as a clone or an editor would.
    fn write(&self, text: &str) {
        fs::create_dir_all(self.path("project/.helve")).unwrap();
        fs::write(self.path("project/.helve/permissions.json"), text).unwrap();
    }

    fn allowed(&self) -> Vec<String> {
        let allow = self.files.load().unwrap().rules.allow;
        allow.iter().map(ToString::to_string).collect()
    }

    fn notice(&self) -> String {
        let notice = self.files.load().unwrap().not_in_force;
        let notice = notice.map_or_else(|| "none".to_owned(), |notice| notice.to_string());
        self.shown(&notice)
    }

    fn shown(&self, text: &str) -> String {
        let real = fs::canonicalize(self.folder.path()).unwrap();
        let text = text.replace(&real.display().to_string(), "PLACE");
        text.replace(&self.folder.path().display().to_string(), "PLACE")
    }
}

fn files(folder: &Path, project: &str) -> RuleFiles {
    RuleFiles::new([
        RuleFile::for_project(&folder.join(project)),
        RuleFile::new(folder.join("home/helve/permissions.json"), RuleScope::User),
    ])
    .with_acceptances(Acceptances::with_path(folder.join(ACCEPTANCES)))
}

/// Where it is kept what was accepted.
const ACCEPTANCES: &str = "data/helve/acceptances.json";

/// Accepts what a project's file says, and returns what it is shown as.
fn accept(files: &RuleFiles) -> Result<Option<String>, RuleFileError> {
    let Some(difference) = files.difference()? else {
        return Ok(None);
    };
    files.accept(&difference)?;
    Ok(Some(difference.to_string()))
}

fn always(text: &str) -> Decision {
    Decision::AllowAlways {
        rules: vec![rule(text)],
        scope: RuleScope::Project,
        message: None,
    }
}

const STRANGE: &str = r#"{"allow": ["bash"], "ask": ["grep"], "deny": ["fetch"]}"#;

#[test]
fn what_a_stranger_allows_is_not_in_force() {
    let place = Place::new();
    assert_eq!(place.notice(), "none");
    place.write(STRANGE);
    let loaded = place.files.load().unwrap();
    let expected = Rules::new().ask(rule("grep")).deny(rule("fetch"));
    assert_eq!(loaded.rules, expected);
    insta::assert_snapshot!(place.notice(), @"ignored the allow rules of `PLACE/project/.helve/permissions.json` because you have not accepted it: `bash`");
}

#[test]
fn what_is_accepted_holds_until_it_changes() {
    let place = Place::new();
    place.write(STRANGE);
    let shown = accept(&place.files).unwrap().unwrap();
    insta::assert_snapshot!(place.shown(&shown), @r"
    what `PLACE/project/.helve/permissions.json` allows
    + rule `bash` (new)
    ");
    assert_eq!(
        (place.allowed(), place.notice()),
        (vec!["bash".to_owned()], "none".to_owned())
    );

    // A space more is another text: a process that may write the file may write anything.
    place.write(&format!("{STRANGE} "));
    assert!(place.allowed().is_empty());
    insta::assert_snapshot!(place.notice(), @"ignored the allow rules of `PLACE/project/.helve/permissions.json` because it has changed since you accepted it: `bash`");

    place.write(STRANGE);
    assert_eq!(place.allowed(), ["bash"]);
    assert!(place.files.revoke().unwrap());
    assert!(place.allowed().is_empty());
    assert!(!place.files.revoke().unwrap());
}

#[test]
fn a_notice_names_some_of_many_rules() {
    let place = Place::new();
    place.write(r#"{"allow": ["a", "b", "c", "d", "e", "f", "g"]}"#);
    insta::assert_snapshot!(place.notice(), @"ignored the allow rules of `PLACE/project/.helve/permissions.json` because you have not accepted it: `a`, `b`, `c`, `d`, `e` and 2 more");
}

#[test]
fn what_is_accepted_is_noted_by_the_place_of_the_project() {
    let place = Place::new();
    place.write(STRANGE);
    accept(&place.files).unwrap();
    let recorded = fs::read_to_string(place.path(ACCEPTANCES)).unwrap();
    let mut recorded: serde_json::Value = serde_json::from_str(&place.shown(&recorded)).unwrap();
    let accepted = recorded["accepted"][0].as_object_mut().unwrap();
    let by = accepted.remove("accepted_by").unwrap();
    let at = accepted.remove("accepted_at").unwrap();
    assert!(by.as_str().is_some_and(|by| !by.is_empty()), "{by}");
    assert!(at.as_str().is_some_and(|at| at.ends_with('Z')), "{at}");
    insta::assert_snapshot!(serde_json::to_string_pretty(&recorded).unwrap(), @r#"
    {
      "version": 1,
      "accepted": [
        {
          "kind": "rule_file",
          "name": ".helve/permissions.json",
          "origin": "PLACE/project",
          "digest": "99019a6c5421a0938ac2398bf1f2d01dcd263c452f5445bcf0b65e4c79fac2c8",
          "entries": [
            {
              "kind": "rule",
              "name": "bash"
            }
          ]
        }
      ]
    }
    "#);

    // The same text in another project is another matter, copied or linked.
    fs::create_dir_all(place.path("copy/.helve")).unwrap();
    fs::write(place.path("copy/.helve/permissions.json"), STRANGE).unwrap();
    assert!(
        files(place.folder.path(), "copy")
            .load()
            .unwrap()
            .not_in_force
            .is_some()
    );
}

#[cfg(unix)]
#[test]
fn links_lead_to_no_acceptance_of_something_else() {
    use std::os::unix::fs::symlink;

    let place = Place::new();
    place.write(STRANGE);
    accept(&place.files).unwrap();
    for folder in ["linked_file/.helve", "linked_folder"] {
        fs::create_dir_all(place.path(folder)).unwrap();
    }
    let accepted = place.path("project/.helve/permissions.json");
    symlink(&accepted, place.path("linked_file/.helve/permissions.json")).unwrap();
    symlink(
        place.path("project/.helve"),
        place.path("linked_folder/.helve"),
    )
    .unwrap();
    for project in ["linked_file", "linked_folder"] {
        let loaded = files(place.folder.path(), project).load().unwrap();
        assert!(loaded.not_in_force.is_some(), "{project}");
    }
    // A rule for the project would land with another one's, or with the user's own.
    let linked = files(place.folder.path(), "linked_folder");
    let added = linked.add(RuleScope::Project, Rules::new().allow(rule("ls")));
    assert!(matches!(added, Err(RuleFileError::Write { .. })));
    assert_eq!(place.allowed(), ["bash"]);

    // A project that is reached through a link is the same project.
    symlink(place.path("project"), place.path("short")).unwrap();
    assert_eq!(
        files(place.folder.path(), "short")
            .load()
            .unwrap()
            .not_in_force,
        None
    );
}

#[tokio::test]
async fn an_answer_is_in_force_where_it_accepts_nothing_else() {
    let place = Place::new();
    assert_eq!(
        place.files.save_decision(&always("ls")).await.unwrap(),
        None
    );
    assert_eq!(
        place.files.save_decision(&always("make")).await.unwrap(),
        None
    );
    assert_eq!(place.allowed(), ["ls", "make"]);

    let removed = place.files.remove(RuleScope::Project, &rule("ls")).unwrap();
    assert_eq!((removed, place.allowed()), (1, vec!["make".to_owned()]));

    let place = Place::new();
    place.write(r#"{"deny": ["fetch"]}"#);
    assert_eq!(
        place.files.save_decision(&always("ls")).await.unwrap(),
        None
    );
    assert_eq!(place.allowed(), ["ls"]);
}

#[tokio::test]
async fn an_answer_launders_no_rules_of_others() {
    let place = Place::new();
    place.write(STRANGE);
    let told = place
        .files
        .save_decision(&always("ls"))
        .await
        .unwrap()
        .unwrap();
    assert_eq!(
        (told.allow, told.has_changed),
        (vec![rule("bash"), rule("ls")], false)
    );
    assert!(place.allowed().is_empty());
    // Neither does an answer with what stands there already, nor one that takes a rule away.
    assert!(
        place
            .files
            .save_decision(&always("bash"))
            .await
            .unwrap()
            .is_some()
    );
    place.files.remove(RuleScope::Project, &rule("ls")).unwrap();
    assert!(place.allowed().is_empty());

    accept(&place.files).unwrap();
    place.write(r#"{"allow": ["bash", "rm"]}"#);
    let told = place
        .files
        .save_decision(&always("ls"))
        .await
        .unwrap()
        .unwrap();
    assert!(told.has_changed);
    assert!(place.allowed().is_empty());

    // What denies holds at once, and nothing is to be told of it.
    let never = Decision::RejectAlways {
        rules: vec![rule("rm")],
        scope: RuleScope::Project,
        message: None,
    };
    assert_eq!(place.files.save_decision(&never).await.unwrap(), None);
    assert_eq!(place.files.load().unwrap().rules.deny, [rule("rm")]);
}

#[test]
fn without_a_place_for_what_is_accepted_nothing_is() {
    let place = Place::new();
    place.write(STRANGE);
    let alone = RuleFiles::new([RuleFile::for_project(&place.path("project"))]);
    assert!(alone.load().unwrap().not_in_force.is_some());
    assert!(matches!(
        accept(&alone),
        Err(RuleFileError::Acceptances(AcceptanceError::NoStorage))
    ));
    assert!(!alone.revoke().unwrap());
}

#[test]
fn what_does_not_say_what_was_accepted_is_an_error_and_stays() {
    let place = Place::new();
    place.write(STRANGE);
    let recorded = place.path(ACCEPTANCES);
    fs::create_dir_all(recorded.parent().unwrap()).unwrap();
    for text in [
        "",
        "[]",
        "{\"a\": 1}",
        "{\"version\": 1}",
        "{\"version\": 2, \"accepted\": []}",
        "{\"version\": 1, \"accepted\": [{}]}",
        "{\"version\": 1, \"accepted\": [], \"more\": 1}",
    ] {
        fs::write(&recorded, text).unwrap();
        let loaded = place.files.load();
        assert!(
            matches!(
                loaded,
                Err(RuleFileError::Acceptances(AcceptanceError::Invalid { .. }))
            ),
            "{text}"
        );
        assert!(accept(&place.files).is_err());
        assert!(place.files.revoke().is_err());
        assert_eq!(fs::read_to_string(&recorded).unwrap(), text);
    }
}

#[test]
fn a_change_is_shown_as_the_difference_to_what_was_accepted() {
    let place = Place::new();
    place.write(r#"{"allow": ["bash(make:*)", "grep"]}"#);
    accept(&place.files).unwrap();
    assert!(place.files.difference().unwrap().unwrap().is_empty());
    place.write(r#"{"allow": ["grep", "bash"], "deny": ["fetch"]}"#);
    let difference = place.files.difference().unwrap().unwrap();
    assert!(!difference.is_empty() && !difference.is_first);
    insta::assert_snapshot!(place.shown(&difference.to_string()), @r"
    what `PLACE/project/.helve/permissions.json` allows
    + rule `bash` (new)
    - rule `bash(make:*)` (removed)
    ");
    place.write(r#"{"allow": ["bash(make:*)", "grep"] }"#);
    let difference = place.files.difference().unwrap().unwrap();
    insta::assert_snapshot!(place.shown(&difference.to_string()), @r"
    what `PLACE/project/.helve/permissions.json` allows
    nothing has changed that needs to be accepted; the rest of the file has
    ");
}

#[test]
fn nothing_is_accepted_but_what_was_shown() {
    let place = Place::new();
    place.write(r#"{"allow": ["grep"]}"#);
    let shown = place.files.difference().unwrap().unwrap();
    place.write(STRANGE);
    place.files.accept(&shown).unwrap();
    assert!(place.allowed().is_empty());
    place.write(r#"{"allow": ["grep"]}"#);
    assert_eq!(place.allowed(), ["grep"]);
}

/// What may happen to a project's file.
#[derive(Debug, Clone)]
enum Edit {
    /// Another process writes it.
    Write(&'static str),
    /// Another process removes it.
    Delete,
    /// The user accepts it, or takes that back.
    Trust,
    Untrust,
    /// The user answers with a rule, or removes one.
    Keep(&'static str),
    Deny(&'static str),
    Remove(&'static str),
}

fn edit() -> impl Strategy<Value = Edit> {
    const TEXTS: [&str; 5] = [
        r#"{"allow": ["a"]}"#,
        r#"{"allow": ["a"] }"#,
        r#"{"allow": ["a", "b"], "ask": ["c"]}"#,
        r#"{"deny": ["a"]}"#,
        "{}",
    ];
    const NAMES: [&str; 3] = ["a", "b", "c"];
    prop_oneof![
        3 => select(&TEXTS[..]).prop_map(Edit::Write),
        1 => Just(Edit::Delete),
        2 => Just(Edit::Trust),
        1 => Just(Edit::Untrust),
        2 => select(&NAMES[..]).prop_map(Edit::Keep),
        1 => select(&NAMES[..]).prop_map(Edit::Deny),
        1 => select(&NAMES[..]).prop_map(Edit::Remove),
    ]
}

/// Does what an edit says, and returns what the user has accepted then, if that is something else than before.
fn happens(place: &Place, edit: &Edit, holds: bool) -> Option<Option<Vec<u8>>> {
    let (files, project) = (&place.files, RuleScope::Project);
    let content = || fs::read(place.path("project/.helve/permissions.json")).ok();
    let before = content();
    match edit {
        Edit::Write(text) => place.write(text),
        Edit::Delete => drop(fs::remove_file(
            place.path("project/.helve/permissions.json"),
        )),
        Edit::Trust => {
            let accepted = accept(files).unwrap();
            return accepted.is_some().then(content);
        }
        Edit::Untrust => {
            files.revoke().unwrap();
            return Some(None);
        }
        Edit::Keep(name) => drop(files.add(project, Rules::new().allow(rule(name))).unwrap()),
        Edit::Deny(name) => drop(files.add(project, Rules::new().deny(rule(name))).unwrap()),
        Edit::Remove(name) => drop(files.remove(project, &rule(name)).unwrap()),
    }
    let is_own = matches!(edit, Edit::Keep(_) | Edit::Deny(_) | Edit::Remove(_));
    let allows = !files.files()[0].read_rules().unwrap().allow.is_empty();
    (is_own && holds && allows && content() != before).then(content)
}

proptest! {
    #![proptest_config(ProptestConfig { failure_persistence: None, ..ProptestConfig::with_cases(128) })]

    #[test]
    fn what_a_project_allows_holds_exactly_while_it_says_what_was_accepted(
        edits in vec(edit(), 1..12),
    ) {
        let place = Place::new();
        let file = &place.files.files()[0];
        let mut accepted: Option<Vec<u8>> = None;
        let mut holds = true;
        for edit in edits {
            if let Some(now) = happens(&place, &edit, holds) {
                accepted = now;
            }
            let loaded = place.files.load().unwrap();
            let written = file.read_rules().unwrap();
            let content = fs::read(file.path()).ok();
            holds = written.allow.is_empty() || content == accepted;
            let in_force = if holds { written.allow.clone() } else { Vec::new() };
            prop_assert_eq!(&loaded.rules.allow, &in_force, "after {:?}", edit);
            prop_assert_eq!(loaded.not_in_force.is_none(), holds);
            prop_assert_eq!(&loaded.rules.ask, &written.ask);
            prop_assert_eq!(&loaded.rules.deny, &written.deny);
        }
    }
}
