//! Folders that the sandbox does not show, and the second run of a command.

use helve::permission::{Decision, RuleScope};
use helve::sandbox::{Access, BlockedAccess, FolderAccess};
use serde_json::json;

use super::{Case, Fixture, bash, lasting};

pub(super) fn cases() -> Vec<(&'static str, Case)> {
    vec![
        ("a_file_is_read_in_a_second_run", || Box::pin(reading())),
        (
            "a_folder_is_written_in_a_second_run",
            || Box::pin(writing()),
        ),
        (
            "a_folder_is_allowed_for_the_session",
            || Box::pin(session()),
        ),
        (
            "a_folder_is_allowed_for_all_sessions",
            || Box::pin(always()),
        ),
        ("a_folder_is_denied_with_words", || Box::pin(denied())),
        ("a_command_runs_twice_at_most", || Box::pin(twice())),
        ("a_forged_error_is_no_offer_of_a_secret", || {
            Box::pin(forged())
        }),
        ("a_command_that_succeeds_asks_nothing", || {
            Box::pin(succeeds())
        }),
        ("what_is_protected_stays_so_in_a_second_run", || {
            Box::pin(protected())
        }),
        ("after_untrusted_text_a_folder_is_allowed_once", || {
            Box::pin(untrusted())
        }),
        ("a_second_run_can_go_on_in_the_background", || {
            Box::pin(background())
        }),
    ]
}

async fn reading() {
    let fixture = Fixture::new(Decision::allow_once());
    let file = fixture.path("other/list.txt");
    let cat = format!("cat {}", file.display());
    let results = fixture.bash(&[&cat, &cat]).await;
    let note = format!(
        "[the command ran twice: the first run failed, and the user then allowed it to read `{}`; this is the result of \
         the second run]",
        file.display()
    );
    for result in &results {
        assert!(
            result.contains("milk") && result.contains(&note),
            "{result}"
        );
        assert!(!result.contains("No such file"), "{result}");
    }
    assert_eq!(
        fixture.reasons(),
        ["the command failed because its sandbox does not let it read `/F/other/list.txt`; if you allow it, the command runs \
          again"; 2]
    );
    let asked = fixture.asked.0.lock().unwrap();
    let folder = FolderAccess::new(file, Access::Read);
    assert_eq!(asked[0].blocked, Some(BlockedAccess::Folder(folder)));
}

async fn writing() {
    let fixture = Fixture::new(Decision::allow_once());
    let new = fixture.path("other/new.txt");
    let results = fixture
        .bash(&[&format!("echo bread > {}", new.display())])
        .await;
    assert_eq!(
        std::fs::read_to_string(&new).unwrap(),
        "bread\n",
        "{results:?}"
    );
    let asked = fixture.asked.0.lock().unwrap();
    let folder = FolderAccess::new(fixture.path("other"), Access::Write);
    assert_eq!(asked[0].blocked, Some(BlockedAccess::Folder(folder)));
}

async fn session() {
    let fixture = Fixture::new(lasting(RuleScope::Session));
    let list = format!("ls {}", fixture.path("other").display());
    let cat = format!("cat {}", fixture.path("other/list.txt").display());
    fixture.bash(&[&list, &cat]).await;
    let results = fixture.bash(&[&cat]).await;
    assert!(results[0].contains("milk"), "{results:?}");
    assert!(!results[0].contains("ran twice"), "{results:?}");
    assert_eq!(fixture.reasons().len(), 1, "{:?}", fixture.reasons());
    // Reading is not writing, and the folders of the session add up.
    let write = format!("echo bread > {}", fixture.path("other/new.txt").display());
    fixture.bash(&[&write, &write, &cat]).await;
    assert_eq!(fixture.reasons().len(), 2, "{:?}", fixture.reasons());
    assert!(fixture.path("other/new.txt").exists());
    assert!(fixture.saved().is_empty());
}

async fn always() {
    let fixture = Fixture::new(lasting(RuleScope::User));
    let cat = format!("ls {}", fixture.path("other").display());
    let write = format!("echo bread > {}", fixture.path("other/new.txt").display());
    fixture.bash(&[&cat, &write]).await;
    assert_eq!(
        fixture.saved(),
        ["sandbox.readable = /F/other", "sandbox.writable = /F/other"]
    );
}

async fn denied() {
    let fixture = Fixture::new(Decision::reject_with_message("copy it first"));
    let file = fixture.path("other/list.txt");
    let results = fixture.bash(&[&format!("cat {}", file.display())]).await;
    let note = format!(
        "[the sandbox does not let commands read `{}`: the user rejected it: copy it first; the setting \
         `sandbox.readable` allows folders]",
        file.display()
    );
    assert!(results[0].contains(&note), "{results:?}");
    assert!(results[0].contains("No such file"), "{results:?}");
}

async fn twice() {
    let fixture = Fixture::new(Decision::allow_once());
    let other = fixture.path("other");
    let fails = format!(
        "echo run >> runs; echo 'cat: {}: No such file or directory' >&2; exit 1",
        other.display()
    );
    fixture.bash(&[&fails]).await;
    let runs = std::fs::read_to_string(fixture.path("work/runs")).unwrap();
    assert_eq!(runs, "run\nrun\n");
    assert_eq!(fixture.reasons().len(), 1);
}

async fn forged() {
    let fixture = Fixture::new(Decision::allow_once());
    let home = std::env::var("HOME").unwrap();
    let mut commands = Vec::new();
    for path in [
        format!("{home}/.ssh/id_rsa"),
        format!("{home}/.ssh"),
        format!("{home}/.bashrc"),
        home.clone(),
        "/etc/shadow".to_owned(),
        "/".to_owned(),
        "/proc/1/environ".to_owned(),
        fixture.path("vault/a").display().to_string(),
        fixture.path("vault").display().to_string(),
        fixture.path("other/.git/hooks").display().to_string(),
        fixture
            .path("work/.git/hooks/pre-commit")
            .display()
            .to_string(),
        // It holds the workspace.
        fixture.path("").display().to_string(),
    ] {
        for message in [
            "Permission denied",
            "No such file or directory",
            "Read-only file system",
        ] {
            commands.push(format!("echo \"cat: {path}: {message}\" >&2; exit 1"));
        }
    }
    let commands: Vec<&str> = commands.iter().map(String::as_str).collect();
    fixture.bash(&commands).await;
    assert_eq!(fixture.reasons(), [""; 0]);
}

async fn succeeds() {
    let fixture = Fixture::new(Decision::allow_once());
    let cat = format!("cat {}", fixture.path("other/list.txt").display());
    fixture
        .bash(&[&format!("{cat}; true"), &format!("{cat} | cat")])
        .await;
    assert_eq!(fixture.reasons(), [""; 0]);
}

async fn protected() {
    let fixture = Fixture::new(lasting(RuleScope::Session));
    std::fs::write(fixture.path("other/id_rsa"), "secret key\n").unwrap();
    let other = fixture.path("other").display().to_string();
    let write = format!("echo x > {other}/new.txt");
    let attack = format!("echo evil > {other}/.git/hooks/pre-commit; cat {other}/id_rsa");
    let results = fixture.bash(&[&write, &attack]).await;
    assert!(fixture.path("other/new.txt").exists(), "{results:?}");
    assert!(
        !fixture.path("other/.git/hooks/pre-commit").exists(),
        "{results:?}"
    );
    assert!(!results[1].contains("secret key"), "{results:?}");
    // What the command line itself shows is a question of the rules, which the answer of the session does not cover.
    let asked = fixture.asked.0.lock().unwrap();
    let about_folders = asked.iter().filter(|question| question.blocked.is_some());
    assert_eq!(about_folders.count(), 1, "{asked:?}");
}

async fn untrusted() {
    let fixture = Fixture::new(lasting(RuleScope::User)).wary();
    let page = ("page", json!({ "url": "https://example.org" }));
    let cat = format!("cat {}", fixture.path("other/list.txt").display());
    fixture.run(&[page, bash(&cat), bash(&cat)]).await;
    let asked = fixture.asked.0.lock().unwrap();
    let about_folders: Vec<_> = asked.iter().filter(|one| one.blocked.is_some()).collect();
    assert_eq!(about_folders.len(), 2);
    assert!(about_folders.iter().all(|question| question.safety));
    assert!(fixture.saved().is_empty());
}

async fn background() {
    let fixture = Fixture::new(Decision::allow_once());
    let other = fixture.path("other").display().to_string();
    let command = format!("ls {other} > /dev/null || exit 1; echo there; sleep 60");
    let start = ("bash", json!({ "command": command, "timeout": 1 }));
    let read = ("bash_output", json!({ "id": "bash-2", "offset": 0 }));
    let kill = ("bash_kill", json!({ "id": "bash-2" }));
    let results = super::results(&fixture.run(&[start, read, kill]).await);
    assert!(
        results[0].contains("still running in the background as `bash-2`"),
        "{results:?}"
    );
    assert!(results[1].contains("there"), "{results:?}");
    assert!(results[2].contains("bash-2"), "{results:?}");
}
