//! Rules that outlive a session.

use helve_runtime::acceptances::Acceptances;
use helve_runtime::permission::{
    Decision, Policy, RuleFile, RuleFileError, RuleFiles, RuleScope, Rules, Verdict,
};

use crate::permission::fixture::{FixedTool, rule};

fn files(folder: &std::path::Path) -> RuleFiles {
    RuleFiles::new([
        RuleFile::for_project(&folder.join("project")),
        RuleFile::new(folder.join("home/permissions.json"), RuleScope::User),
    ])
    .with_acceptances(Acceptances::with_path(folder.join("data/acceptances.json")))
}

fn always(scope: RuleScope) -> Decision {
    Decision::AllowAlways {
        rules: vec![rule("bash(git commit:*)")],
        scope,
        message: None,
    }
}

#[tokio::test]
async fn an_answer_goes_to_the_file_of_its_scope() {
    let folder = tempfile::tempdir().unwrap();
    let files = files(folder.path());
    let [project, user] = files.files() else {
        panic!("two files");
    };

    files
        .save_decision(&always(RuleScope::Session))
        .await
        .unwrap();
    files.save_decision(&Decision::allow_once()).await.unwrap();
    assert!(!project.path().exists() && !user.path().exists());

    files
        .save_decision(&always(RuleScope::Project))
        .await
        .unwrap();
    files
        .save_decision(&always(RuleScope::Project))
        .await
        .unwrap();
    assert_eq!(
        project.read_rules().unwrap().allow,
        [rule("bash(git commit:*)")]
    );
    assert!(!user.path().exists());

    let never = Decision::RejectAlways {
        rules: vec![rule("bash(rm:*)")],
        scope: RuleScope::User,
        message: None,
    };
    files.save_decision(&never).await.unwrap();
    assert_eq!(user.read_rules().unwrap().deny, [rule("bash(rm:*)")]);
    let both = files.load().unwrap().rules;
    assert_eq!((both.allow.len(), both.deny.len()), (1, 1));
}

#[tokio::test]
async fn without_a_file_of_the_scope_the_rule_is_not_lost_in_silence() {
    let none = RuleFiles::default()
        .save_decision(&always(RuleScope::User))
        .await;
    assert!(matches!(
        none,
        Err(RuleFileError::NoFile {
            scope: RuleScope::User
        })
    ));
}

#[test]
fn the_answers_of_many_at_once_all_stand() {
    let folder = tempfile::tempdir().unwrap();
    let files = files(folder.path());
    std::thread::scope(|scope| {
        for number in 0..16 {
            let files = files.clone();
            scope.spawn(move || {
                let rules = Rules::new().allow(rule(&format!("tool_{number}")));
                let after = files.add(RuleScope::Project, rules).unwrap();
                assert_eq!(after, None);
            });
        }
    });
    // Each is in force: none lost the acceptance of another.
    assert_eq!(files.load().unwrap().rules.allow.len(), 16);
    for below in ["project/.helve", "data"] {
        let left = std::fs::read_dir(folder.path().join(below)).unwrap();
        assert_eq!(left.count(), 1, "nothing is left beside the file");
    }
}

#[test]
fn what_is_no_file_of_rules_is_an_error_and_stays() {
    let folder = tempfile::tempdir().unwrap();
    let file = RuleFile::new(folder.path().join("permissions.json"), RuleScope::User);
    for text in [
        "",
        "[]",
        "{\"deny\": \"bash\"}",
        "{\"deny\": [\"(\"]}",
        "{\"denied\": []}",
    ] {
        std::fs::write(file.path(), text).unwrap();
        assert!(
            matches!(file.read_rules(), Err(RuleFileError::Invalid { .. })),
            "{text}"
        );
        let files = RuleFiles::new([file.clone()]);
        let denied = Rules::new().deny(rule("bash"));
        assert!(files.add(RuleScope::User, denied).is_err());
        assert_eq!(std::fs::read_to_string(file.path()).unwrap(), text);
    }
}

#[test]
fn rules_of_an_answer_hold_at_once_in_all_clones_and_in_no_other_session() {
    let policy = Policy::default();
    let (clone, other) = (policy.clone(), policy.for_session());
    clone.apply_decision(&Decision::AllowAlways {
        rules: vec![rule("deploy")],
        scope: RuleScope::Session,
        message: None,
    });
    let deploy = FixedTool::new("deploy");
    assert_eq!(deploy.judge(&policy).verdict, Verdict::Allow);
    assert!(matches!(deploy.judge(&other).verdict, Verdict::Ask { .. }));
}
