//! What accepting changes that wait does to what was accepted, written and edited meanwhile.

use helve_permission::acceptances::Acceptances;

use super::*;
use crate::ProjectTrust;

fn id_of(receipt: Result<MemoryReceipt, MemoryError>) -> String {
    match receipt.unwrap() {
        MemoryReceipt::Pending(id) => id,
        other => panic!("it does not wait: {other:?}"),
    }
}

/// Returns what a person is shown of a change.
async fn shown(place: &Place, id: &str) -> String {
    let console = MemoryConsole::new(&place.memory, &place.files, &Principal::default(), "main");
    console.change(id).await.unwrap().unwrap()
}

async fn texts(memory: &SessionMemory) -> Vec<(String, String)> {
    let entries = memory.list(None).await.unwrap().into_iter();
    entries.map(|it| (it.path.id(), it.entry.text)).collect()
}

fn pair(id: &str, text: &str) -> (String, String) {
    (id.to_owned(), text.to_owned())
}

#[tokio::test]
async fn two_new_entries_of_one_name_are_both_accepted() {
    let place = Place::new();
    let model = place.tainted();
    let new = |text: &str| NewMemory::new("Ports", text);
    let one = id_of(model.remember(new("It is 80.")).await.map(|it| it.1));
    let two = id_of(model.remember(new("It is 443.")).await.map(|it| it.1));
    place.memory.review(&one, true).await.unwrap();
    let seen = shown(&place, &two).await;
    assert!(seen.contains("write project/ports-2\n"), "{seen}");
    assert!(!seen.contains("\n  - "), "{seen}");
    place.memory.review(&two, true).await.unwrap();
    assert_eq!(
        texts(&place.person()).await,
        [
            pair("project/ports-2", "It is 443."),
            pair("project/ports", "It is 80.")
        ]
    );
}

#[tokio::test]
async fn a_change_of_a_text_that_is_gone_is_not_accepted() {
    let place = Place::new();
    let person = place.person();
    let path = person.parse("user/rules").unwrap();
    person.write(&path, "a b", None).await.unwrap();
    let model = place.tainted();
    let one = id_of(model.write(&path, "A b", Some("a b")).await);
    let two = id_of(model.write(&path, "a B", Some("a b")).await);
    place.memory.review(&one, true).await.unwrap();
    let second = place.memory.review(&two, true).await;
    assert!(
        matches!(second, Err(MemoryError::Changed { .. })),
        "{second:?}"
    );
    assert_eq!(texts(&person).await, [pair("user/rules", "A b")]);
    // It waits until it is rejected.
    place.memory.review(&two, false).await.unwrap();
    assert!(place.memory.pending().await.unwrap().is_empty());
}

#[tokio::test]
async fn an_editor_does_not_overwrite_what_an_agent_wrote_meanwhile() {
    let place = Place::new();
    let person = place.person();
    let path = person.parse("project/rules").unwrap();
    person.write(&path, "One.", None).await.unwrap();
    let console = MemoryConsole::new(&place.memory, &place.files, &Principal::default(), "main");
    let opened = console.file_text("project/rules").await.unwrap();
    let model = place.model(Label::user());
    model.write(&path, "Two.", Some("One.")).await.unwrap();
    let edited = opened.replace("One.", "Three.");
    let stale = console
        .replace_file("project/rules", &opened, &edited)
        .await;
    assert!(
        matches!(stale, Err(MemoryError::Changed { .. })),
        "{stale:?}"
    );
    assert_eq!(texts(&person).await, [pair("project/rules", "Two.")]);
    let opened = console.file_text("project/rules").await.unwrap();
    let edited = opened.replace("Two.", "Three.");
    console
        .replace_file("project/rules", &opened, &edited)
        .await
        .unwrap();
    assert_eq!(texts(&person).await, [pair("project/rules", "Three.")]);
}

#[tokio::test]
async fn a_review_shows_the_entry_that_another_one_replaces() {
    let place = Place::new();
    let person = place.person();
    let path = person.parse("user/never-mail-secrets").unwrap();
    person
        .write(&path, "Never mail secrets.", None)
        .await
        .unwrap();
    let new = NewMemory::new("Tea", "Ann drinks green tea.");
    let new = new.with_replaced(Some("user/never-mail-secrets".to_owned()));
    let id = id_of(place.tainted().remember(new).await.map(|it| it.1));
    let seen = shown(&place, &id).await;
    for line in [
        "  archives user/never-mail-secrets\n",
        "  - Never mail secrets.\n",
        "  + Ann drinks green tea.\n",
    ] {
        assert!(seen.contains(line), "{line}: {seen}");
    }
    // What was archived is restored from its version.
    place.memory.review(&id, true).await.unwrap();
    assert_eq!(
        texts(&person).await,
        [pair("user/tea", "Ann drinks green tea.")]
    );
    let console = MemoryConsole::new(&place.memory, &place.files, &Principal::default(), "main");
    let history = console.history("user/never-mail-secrets").await.unwrap();
    let archived = history.lines().find(|line| line.contains("  archive  "));
    let version = archived.unwrap().rsplit(' ').next().unwrap();
    console
        .restore("user/never-mail-secrets", version)
        .await
        .unwrap();
    assert_eq!(texts(&person).await.len(), 2);
}

/// A crash after a change that was accepted, and before it was removed from those that wait.
#[tokio::test]
async fn a_change_that_was_made_before_a_crash_is_accepted_again() {
    let place = Place::new();
    let person = place.person();
    for name in ["deleted", "renamed", "changed"] {
        let path = person.parse(&format!("user/{name}")).unwrap();
        person.write(&path, "a", None).await.unwrap();
    }
    let model = place.tainted();
    let path = |name: &str| person.parse(&format!("user/{name}")).unwrap();
    let new = NewMemory::new("New", "new");
    for receipt in [
        model.delete(&path("deleted")).await,
        model.rename(&path("renamed"), &path("moved")).await,
        model.write(&path("changed"), "b", Some("a")).await,
        model.remember(new).await.map(|it| it.1),
    ] {
        let id = id_of(receipt);
        let file = place.files.root().join(format!(".pending/{id}.json"));
        let waiting = std::fs::read(&file).unwrap();
        place.memory.review(&id, true).await.unwrap();
        let before = texts(&person).await;
        std::fs::write(&file, waiting).unwrap();
        place.memory.review(&id, true).await.unwrap();
        assert_eq!(texts(&person).await, before);
    }
    assert!(place.memory.pending().await.unwrap().is_empty());
}

#[tokio::test]
async fn what_other_projects_read_waits_in_a_project_that_is_not_accepted() {
    let mut place = Place::new();
    let new = |scope: MemoryScope| NewMemory::new("Style", "Use tabs.").with_scope(Some(scope));
    let model = place.model(Label::workspace());
    let (_, receipt) = model.remember(new(MemoryScope::User)).await.unwrap();
    assert_eq!(receipt, MemoryReceipt::Done);
    place.memory = place.memory.clone().without_project_trust();
    let model = place.model(Label::workspace());
    let (_, receipt) = model.remember(new(MemoryScope::Session)).await.unwrap();
    assert_eq!(receipt, MemoryReceipt::Done);
    let id = id_of(model.remember(new(MemoryScope::User)).await.map(|it| it.1));
    let seen = shown(&place, &id).await;
    assert!(
        seen.contains("  read     a project that the user has not accepted (`memory trust`)\n"),
        "{seen}"
    );
    // Projects that are not accepted do not share the memory of an agent.
    let agent = model.key(MemoryScope::Agent).unwrap_err().to_string();
    assert_eq!(
        agent,
        "there is no memory of the agent here: the user has not accepted the settings of the project"
    );
}

#[tokio::test]
async fn a_project_without_settings_is_accepted_by_its_folder() {
    let mut place = Place::new();
    place.memory = place.memory.clone().with_shared_reviews();
    let new = |scope: MemoryScope| NewMemory::new("Style", "Use tabs.").with_scope(Some(scope));
    for label in [Label::user(), Label::workspace()] {
        let model = place.model(label);
        id_of(model.remember(new(MemoryScope::User)).await.map(|it| it.1));
    }
    // The memory of the project stays in the project.
    let model = place.model(Label::workspace());
    for scope in [MemoryScope::Project, MemoryScope::Agent] {
        let (_, receipt) = model.remember(new(scope)).await.unwrap();
        assert_eq!(receipt, MemoryReceipt::Done);
    }
    let (path, receipt) = place
        .person()
        .remember(new(MemoryScope::User))
        .await
        .unwrap();
    assert_eq!(receipt, MemoryReceipt::Done);
    id_of(model.delete(&path).await);
}

#[test]
fn a_folder_that_replaces_an_accepted_one_is_not_accepted() {
    let folder = tempfile::tempdir().unwrap();
    let acceptances = Acceptances::in_memory();
    let shop = folder.path().join("shop");
    std::fs::create_dir_all(shop.join(".git")).unwrap();
    std::fs::create_dir_all(shop.join("src")).unwrap();
    let trust = |folder: &Path| ProjectTrust::new(folder, acceptances.clone());
    trust(&shop.join("src")).accept().unwrap();
    assert!(trust(&shop).is_accepted().unwrap());
    assert!(!trust(folder.path()).is_accepted().unwrap());

    std::fs::rename(&shop, folder.path().join("old")).unwrap();
    std::fs::create_dir_all(shop.join(".git")).unwrap();
    assert!(!trust(&shop).is_accepted().unwrap());
    assert!(trust(&shop).revoke().unwrap());
    assert!(!trust(&shop).revoke().unwrap());
}

#[tokio::test]
async fn too_many_changes_name_the_review() {
    let place = Place::new();
    let folder = place.files.root().join(".pending");
    std::fs::create_dir_all(&folder).unwrap();
    for number in 0..256 {
        std::fs::write(folder.join(format!("{number:08x}.json")), "").unwrap();
    }
    let new = NewMemory::new("Style", "Use tabs.");
    let full = place.tainted().remember(new).await.unwrap_err();
    assert_eq!(
        full.to_string(),
        "256 changes wait for a review already: a person accepts or rejects them with `memory review`"
    );
}
