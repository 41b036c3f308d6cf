//! Bundles of repositories and archives, some of them hostile.

use super::repositories::{FIRST, repository};
use super::{Server, archive};
use crate::{BundleStore, FetchContext, InstallError};

/// A file of an archive: its path, mode and text.
type File<'f> = (&'f str, u32, &'f str);

const MANIFEST: &str = r#"{"name": "kit"}"#;

async fn fetch(server: &Server, source: &str) -> Result<crate::FetchedBundle, InstallError> {
    FetchContext::new(Some(server))
        .fetch_bundle(&source.parse()?)
        .await
}

#[tokio::test]
async fn a_repository_has_a_bundle_at_its_root_or_in_the_folder_that_is_named() {
    let root = repository(FIRST, &[(".claude-plugin/plugin.json", 0o644, MANIFEST)]);
    let bundle = fetch(&root, "acme/skills@v1").await.unwrap();
    assert_eq!(bundle.revision.commit.as_deref(), Some(FIRST));

    let two = repository(
        FIRST,
        &[
            ("plugins/kit/.claude-plugin/plugin.json", 0o644, MANIFEST),
            ("plugins/kit/agents/a.md", 0o644, "---\nname: a\n---\nA.\n"),
            (
                "plugins/kit2/.claude-plugin/plugin.json",
                0o644,
                r#"{"name": "kit2"}"#,
            ),
        ],
    );
    let several = fetch(&two, "acme/skills").await.unwrap_err().to_string();
    insta::assert_snapshot!(several, @"the source is refused: it has several bundles; name the folder of one, as in `owner/repo#plugins/kit`: plugins/kit, plugins/kit2");
    let named = fetch(&two, "acme/skills#plugins/kit").await.unwrap();
    let folder = tempfile::tempdir().unwrap();
    let store = BundleStore::in_folder(folder.path());
    let installed = store.install(&named).unwrap();
    assert_eq!(installed.agent_paths().count(), 1);
    let listed = store.list().unwrap().pop().unwrap().unwrap();
    assert_eq!(listed, installed);
    let missing = fetch(&two, "acme/skills#docs")
        .await
        .unwrap_err()
        .to_string();
    assert!(
        missing.contains("has no `.claude-plugin/plugin.json`"),
        "{missing}"
    );
}

#[tokio::test]
async fn hostile_bundles_leave_nothing() {
    let many: Vec<(String, u32, &str)> = (0..600)
        .map(|at| (format!("f{at}.md"), 0o644, "x"))
        .collect();
    let many = many
        .iter()
        .map(|(path, mode, text)| (path.as_str(), *mode, *text));
    let long: String = (0..10_000).map(|at| format!("{at} ")).collect();
    let server = r#"{"mcpServers": {"db": {"command": "db"}}}"#;
    let cases: [(&str, Vec<File<'_>>); 6] = [
        ("at most 32 KiB", vec![("hooks/hooks.json", 0o644, &long)]),
        (
            "`db` is there twice",
            vec![(".mcp.json", 0o644, server), ("more.json", 0o644, server)],
        ),
        (
            "by case alone",
            vec![("agents/a.md", 0o644, "x"), ("Agents/a.md", 0o644, "y")],
        ),
        ("`.env` is never installed", vec![(".env", 0o644, "KEY=1")]),
        ("a compiled program", vec![("bin/x", 0o755, "\u{7f}ELF")]),
        ("at most 512 files", many.collect()),
    ];
    for (reason, files) in cases {
        let manifest = r#"{"name": "kit", "mcpServers": "./more.json"}"#;
        let manifest = (".claude-plugin/plugin.json", 0o644, manifest);
        let files: Vec<_> = std::iter::once(manifest).chain(files).collect();
        let mut server = Server::default();
        server.answer("https://example.com/kit.tar.gz", archive(&files));
        let refused = fetch(&server, "https://example.com/kit.tar.gz").await;
        let error = refused.expect_err(reason).to_string();
        assert!(
            error.contains("refused") && error.contains(reason),
            "{reason}: {error}"
        );
    }
}

#[tokio::test]
async fn hooks_that_are_no_json_are_reviewed_as_files() {
    let hooks =
        r#"{"hooks": {"PreToolUse": [{"hooks": [{"type": "command", "command": "curl evil"}]}]}}"#;
    for text in [
        hooks.to_owned(),
        format!("\u{feff}{hooks}"),
        format!("{hooks} // curl evil"),
        "curl evil".to_owned(),
    ] {
        let folder = tempfile::tempdir().unwrap();
        for (path, text) in [
            (".claude-plugin/plugin.json", MANIFEST),
            ("hooks/hooks.json", &text),
        ] {
            let path = folder.path().join(path);
            std::fs::create_dir_all(path.parent().unwrap()).unwrap();
            std::fs::write(path, text).unwrap();
        }
        let path = folder.path().display().to_string();
        let bundle = fetch(&Server::default(), &path).await.unwrap();
        let acceptances = helve_permission::acceptances::Acceptances::in_memory();
        let review = bundle.difference(&acceptances).unwrap().to_string();
        // Whatever it is, the user reads it.
        assert!(review.contains("curl evil"), "{review}");
        assert!(
            review.contains("+ hook `hooks/hooks.json` (new)"),
            "{review}"
        );
    }
}

#[cfg(unix)]
#[tokio::test]
async fn a_folder_with_a_link_is_refused() {
    let folder = tempfile::tempdir().unwrap();
    let manifest = folder.path().join(".claude-plugin/plugin.json");
    std::fs::create_dir(manifest.parent().unwrap()).unwrap();
    std::fs::write(manifest, MANIFEST).unwrap();
    let path = folder.path().display().to_string();
    assert!(fetch(&Server::default(), &path).await.is_ok());
    std::os::unix::fs::symlink("/etc/passwd", folder.path().join("notes.md")).unwrap();
    let error = fetch(&Server::default(), &path)
        .await
        .unwrap_err()
        .to_string();
    assert!(error.contains("it is a link"), "{error}");
}

/// Lists what a review shows of a bundle.
fn shown(bundle: &crate::FetchedBundle) -> String {
    bundle.difference(&Default::default()).unwrap().to_string()
}

#[tokio::test]
async fn a_review_shows_every_file_as_it_is() {
    let manifest = r#"{"name": "kit", "hooks": "./commands/go.md", "mcpServers": {"db": {"command": "evil"}}}"#;
    let twice = r#"{"hooks": {"Stop": [{"hooks": [{"command": "curl"}]}], "Stop": []}}"#;
    let files = [
        (".claude-plugin/plugin.json", 0o644, manifest),
        ("commands/go.md", 0o644, "{}"),
        ("hooks/hooks.json", 0o644, twice),
        ("tool", 0o755, "words\n"),
    ];
    let mut server = Server::default();
    server.answer("https://example.com/kit.tar.gz", archive(&files));
    let bundle = fetch(&server, "https://example.com/kit.tar.gz")
        .await
        .unwrap();
    insta::assert_snapshot!(shown(&bundle), @r#"
    the bundle `kit` of https://example.com/kit.tar.gz
    + hook `commands/go.md` (new)
        {}
    + hook `hooks/hooks.json` (new)
        {"hooks": {"Stop": [{"hooks": [{"command": "curl"}]}], "Stop": []}}
    + file `.claude-plugin/plugin.json` (new)
        {"name": "kit", "hooks": "./commands/go.md", "mcpServers": {"db": {"command": "evil"}}}
    + file `tool` (new)
        (executable)
        words
    "#);
}

#[tokio::test]
async fn a_bundle_is_not_replaced_by_one_of_another_source() {
    let server = |files: &[File<'_>]| {
        let mut server = Server::default();
        for name in ["kit", "other"] {
            server.answer(
                &format!("https://example.com/{name}.tar.gz"),
                archive(files),
            );
        }
        server
    };
    let manifest = (".claude-plugin/plugin.json", 0o644, MANIFEST);
    let versions = [
        server(&[manifest]),
        server(&[manifest, ("agents/a.md", 0o644, "x")]),
        server(&[manifest, ("agents/a.md", 0o644, "y")]),
    ];
    let folder = tempfile::tempdir().unwrap();
    let store = BundleStore::in_folder(folder.path());
    let acceptances = helve_permission::acceptances::Acceptances::in_memory();
    let stored = || {
        std::fs::read_dir(folder.path().join("store"))
            .unwrap()
            .filter(|entry| entry.as_ref().unwrap().path().join("kit").is_dir())
            .count()
    };
    for version in &versions {
        let kit = fetch(version, "https://example.com/kit.tar.gz")
            .await
            .unwrap();
        store.install(&kit).unwrap();
    }
    // The first is gone, and processes that have begun with the second go on.
    assert_eq!(stored(), 2);
    let other = fetch(&versions[0], "https://example.com/other.tar.gz")
        .await
        .unwrap();
    insta::assert_snapshot!(store.install(&other).unwrap_err().to_string(), @"the bundle `kit` is refused: one of the same name comes from https://example.com/kit.tar.gz; run `bundles remove kit` to install this one instead");
    // What is added where no version has anything is found, too.
    let kit = store.get("kit").unwrap();
    acceptances
        .accept(
            &store
                .review(&kit)
                .unwrap()
                .difference(&acceptances)
                .unwrap(),
        )
        .unwrap();
    let is_accepted = || {
        store.state(&kit, &acceptances).unwrap()
            == helve_permission::acceptances::AcceptanceState::Accepted
    };
    assert!(is_accepted());
    make_writable(&kit.root);
    std::fs::create_dir(kit.root.join("node_modules")).unwrap();
    std::fs::write(kit.root.join("node_modules/x.js"), "x").unwrap();
    assert!(!is_accepted());
    // A bundle that cannot be read is listed by itself, and can be removed.
    std::fs::remove_dir_all(kit.root.join(".claude-plugin")).unwrap();
    let listed = store
        .list()
        .unwrap()
        .pop()
        .unwrap()
        .unwrap_err()
        .to_string();
    assert!(
        listed.starts_with("the bundle `kit` cannot be used: "),
        "{listed}"
    );
    store.remove("kit", &acceptances).unwrap();
    assert_eq!(stored(), 0);
    assert!(store.list().unwrap().is_empty());
}

#[cfg(unix)]
fn make_writable(folder: &std::path::Path) {
    use std::os::unix::fs::PermissionsExt as _;
    for folder in [folder.to_owned(), folder.join(".claude-plugin")] {
        std::fs::set_permissions(folder, std::fs::Permissions::from_mode(0o755)).unwrap();
    }
}

#[cfg(not(unix))]
fn make_writable(_: &std::path::Path) {}
