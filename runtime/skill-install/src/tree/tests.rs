use proptest::prelude::*;

use super::*;

fn inserted(paths: &[&str]) -> Result<SkillTree, InstallError> {
    let mut tree = SkillTree::default();
    for path in paths {
        tree.insert(path, b"x".to_vec(), false)?;
    }
    Ok(tree)
}

#[test]
fn paths_that_leave_the_skill_or_differ_between_systems_are_refused() {
    for path in [
        "",
        "/etc/passwd",
        "..",
        "../x",
        "a/../x",
        "a//b",
        "./a",
        "a/.",
        "a\\b",
        "c:x",
        "a\0b",
        "a\nb",
        "con",
        "a/NUL.txt",
        "lpt1",
        "a.",
        "a ",
        " a",
        "a\u{202e}b",
        "a\u{200b}b",
        "cafe\u{301}",
        ".git/config",
        ".GIT/config",
        "a/.env",
        ".env.local",
        ".npmrc",
    ] {
        assert!(inserted(&[path]).is_err(), "{path:?}");
    }
    for path in [
        "a",
        "a/b.md",
        "café.md",
        "con-text.md",
        ".config/x",
        "environment",
        "数据.md",
    ] {
        assert!(inserted(&[path]).is_ok(), "{path:?}");
    }
}

#[test]
fn two_spellings_of_a_path_are_refused() {
    for paths in [
        ["a", "a"],
        ["a", "A"],
        ["a/b", "A/c"],
        ["a", "a/b"],
        ["a/b", "a"],
        ["ä", "Ä"],
    ] {
        assert!(inserted(&paths).is_err(), "{paths:?}");
    }
    assert!(inserted(&["a/b", "a/c", "b/b"]).is_ok());
}

#[test]
fn limits_hold() {
    let mut tree = SkillTree::default();
    for number in 0..MAX_FILES {
        tree.insert(&format!("{number}"), Vec::new(), false)
            .unwrap();
    }
    assert!(tree.insert("more", Vec::new(), false).is_err());
    let mut tree = SkillTree::default();
    let text = vec![b'a'; 1 + usize::try_from(MAX_TEXT_BYTES).unwrap()];
    assert!(tree.insert("text", text, false).is_err());
    let mut tree = SkillTree::default();
    let binary = vec![0xff; usize::try_from(MAX_SKILL_BYTES).unwrap()];
    tree.insert("binary", binary, false).unwrap();
    assert!(tree.insert("more", vec![1], false).is_err());
    assert!(
        SkillTree::default()
            .insert("a", b"\x7fELF\x02".to_vec(), true)
            .is_err()
    );
}

#[test]
fn the_digest_is_that_of_the_skill_and_changes_are_described() {
    let before = inserted(&["SKILL.md", "a", "b"]).unwrap();
    let mut now = SkillTree::default();
    now.insert("SKILL.md", b"x".to_vec(), false).unwrap();
    now.insert("a", b"y".to_vec(), false).unwrap();
    now.insert("c", b"#!/bin/sh\n".to_vec(), false).unwrap();
    assert_eq!(now.describe_changes(&before).unwrap(), "~a, -b, +c");
    assert_eq!(now.describe_changes(&now), None);
    assert!(now.get("c").unwrap().executable);
    assert_ne!(now.digest("x"), before.digest("x"));
    assert_ne!(now.digest("x"), now.digest("y"));
}

proptest! {
    #[test]
    fn an_accepted_path_stays_in_its_folder(path in "[a./\\\\\u{202e}: ]{0,12}") {
        if check_path(&path).is_ok() {
            let joined = std::path::Path::new("/root").join(&path);
            prop_assert!(joined.starts_with("/root"));
            let normal = joined.components().all(|part| !matches!(part, std::path::Component::ParentDir));
            prop_assert!(normal && !path.is_empty());
        }
    }
}
