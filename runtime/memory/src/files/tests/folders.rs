//! Folders that are deleted and renamed, and files that cannot be read.

use super::*;

async fn write(memory: &SessionMemory, name: &str) -> MemoryPath {
    let path = memory.parse(name).unwrap().as_file();
    memory.write(&path, name, None).await.unwrap();
    path
}

fn folder_of(place: &Place) -> PathBuf {
    let person = place.person();
    let key = person.key(MemoryScope::User).unwrap();
    place
        .files
        .file(key, &MemoryPath::folder_of(MemoryScope::User))
}

#[tokio::test]
async fn a_folder_is_not_deleted_with_what_has_no_version() {
    let place = Place::new();
    let person = place.person();
    write(&person, "user/plans/a").await;
    let folder = folder_of(&place).join("plans");
    for name in [".hidden", "sub/sub/sub/deep.md", "bad%name.md"] {
        let file = folder.join(name);
        std::fs::create_dir_all(file.parent().unwrap()).unwrap();
        std::fs::write(&file, "x").unwrap();
        let path = person.parse("user/plans").unwrap();
        let refused = person.delete(&path).await;
        assert!(
            matches!(refused, Err(MemoryError::NotOnlyEntries { .. })),
            "{name}: {refused:?}"
        );
        assert_eq!(ids(&person.list(None).await.unwrap()), ["user/plans/a"]);
        assert!(file.exists());
        std::fs::remove_file(&file).unwrap();
    }
    let path = person.parse("user/plans").unwrap();
    person.delete(&path).await.unwrap();
    assert!(!folder.exists());
}

#[tokio::test]
async fn a_folder_is_not_renamed_to_where_nothing_finds_it() {
    let place = Place::new();
    let person = place.person();
    let model = place.model(Label::user());
    let path = write(&person, "user/plans/a/b").await;
    let plans = person.parse("user/plans").unwrap();
    let deep = person.parse("user/x/y/z").unwrap();
    let refused = person.rename(&plans, &deep).await.unwrap_err();
    assert!(
        refused.to_string().contains("more than 4 names"),
        "{refused}"
    );
    assert_eq!(ids(&person.list(None).await.unwrap()), ["user/plans/a/b"]);
    // The uses and the history of a file move with it.
    model.note_use(std::slice::from_ref(&path)).await;
    let moved = person.parse("user/x/y").unwrap();
    person.rename(&plans, &moved).await.unwrap();
    assert_eq!(ids(&person.list(None).await.unwrap()), ["user/x/y/a/b"]);
    let usage = std::fs::read_to_string(place.files.root().join(".usage.json")).unwrap();
    assert!(usage.contains("user/x/y/a/b.md"), "{usage}");
    assert!(!usage.contains("user/plans"), "{usage}");
    let key = person.key(MemoryScope::User).unwrap();
    let path = person.parse("user/x/y/a/b").unwrap().as_file();
    let versions = place.files.versions(key, &path).await.unwrap();
    assert_eq!(versions.last().unwrap().1, "rename");
}

#[cfg(unix)]
#[tokio::test]
async fn one_file_that_cannot_be_read_does_not_hide_the_others() {
    use std::os::unix::fs::PermissionsExt as _;

    let place = Place::new();
    let person = place.person();
    write(&person, "user/tulips").await;
    write(&person, "user/closed").await;
    let folder = folder_of(&place);
    std::fs::create_dir(folder.join("shut")).unwrap();
    for name in ["closed.md", "shut"] {
        let none = std::fs::Permissions::from_mode(0o000);
        std::fs::set_permissions(folder.join(name), none).unwrap();
    }
    let is_root = std::fs::read(folder.join("closed.md")).is_ok();
    if !is_root {
        assert_eq!(ids(&person.list(None).await.unwrap()), ["user/tulips"]);
        assert_eq!(found(&person, "tulips").await, ["user/tulips"]);
        let new = NewMemory::new("New", "new").with_scope(Some(MemoryScope::User));
        person.remember(new).await.unwrap();
    }
    let open = std::fs::Permissions::from_mode(0o700);
    std::fs::set_permissions(folder.join("shut"), open).unwrap();
}

/// A file that is replaced, and removed, all the time is read as one of its texts, or is not there.
#[test]
fn a_file_is_read_while_others_replace_it() {
    let folder = tempfile::tempdir().unwrap();
    let file = folder.path().join("a.md");
    std::fs::write(&file, "x").unwrap();
    let is_over = std::sync::atomic::AtomicBool::new(false);
    std::thread::scope(|scope| {
        scope.spawn(|| {
            for number in 0..4_000 {
                let new = folder.path().join("new");
                std::fs::write(&new, "x").unwrap();
                std::fs::rename(&new, &file).unwrap();
                if number % 3 == 0 {
                    std::fs::remove_file(&file).unwrap();
                }
            }
            is_over.store(true, std::sync::atomic::Ordering::Relaxed);
        });
        while !is_over.load(std::sync::atomic::Ordering::Relaxed) {
            let text = disk::read(&file, 10).unwrap();
            assert!(text.is_none_or(|text| text == "x"));
        }
    });
}

/// What the note has no room for is recalled by a later message of the session.
#[tokio::test]
async fn what_a_note_has_no_room_for_is_not_recalled() {
    let place = Place::new();
    let person = place.person();
    for number in 0..4 {
        let path = person.parse(&format!("user/n{number}")).unwrap();
        let text = format!("tulips {number} {}", "bulb ".repeat(400));
        person.write(&path, &text, None).await.unwrap();
    }
    let model = place.model(Label::user());
    let notes = [
        model.recall("tulips").await.unwrap().unwrap().text,
        model.recall("tulips").await.unwrap().unwrap().text,
    ];
    for number in 0..4 {
        let heading = format!("## user/n{number} ");
        let count = notes.iter().filter(|note| note.contains(&heading)).count();
        assert_eq!(count, 1, "{heading}");
    }
    assert_eq!(model.recall("tulips").await.unwrap(), None);
}
