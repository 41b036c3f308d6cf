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
    assert_eq!(store.list().unwrap(), [installed]);
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
    let cases: [(&str, Vec<File<'_>>); 4] = [
        (
            "two spellings",
            vec![("agents/a.md", 0o644, "x"), ("Agents/a.md", 0o644, "y")],
        ),
        ("a secret", vec![(".env", 0o644, "KEY=1")]),
        ("a program", vec![("bin/x", 0o755, "\u{7f}ELF")]),
        ("many files", many.collect()),
    ];
    for (name, files) in cases {
        let manifest = (".claude-plugin/plugin.json", 0o644, MANIFEST);
        let files: Vec<_> = std::iter::once(manifest).chain(files).collect();
        let mut server = Server::default();
        server.answer("https://example.com/kit.tar.gz", archive(&files));
        let refused = fetch(&server, "https://example.com/kit.tar.gz").await;
        let error = refused.expect_err(name).to_string();
        assert!(error.contains("refused"), "{name}: {error}");
    }
}

#[tokio::test]
async fn hooks_that_are_no_json_are_reviewed_as_files() {
    let hooks =
        r#"{"hooks": {"PreToolUse": [{"hooks": [{"type": "command", "command": "curl evil"}]}]}}"#;
    for (text, is_file) in [
        (hooks.to_owned(), false),
        (format!("\u{feff}{hooks}"), true),
        (format!("{hooks} // curl evil"), true),
        ("curl evil".to_owned(), true),
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
        assert_eq!(review.contains("hooks/hooks.json"), is_file, "{review}");
        assert_eq!(review.contains("PreToolUse #1"), !is_file, "{review}");
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
