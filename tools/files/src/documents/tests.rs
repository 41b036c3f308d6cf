//! The tools on a folder of this machine.

#![allow(
    clippy::unwrap_used,
    clippy::disallowed_methods,
    clippy::disallowed_types,
    reason = "a test may panic, and writes the files that the tools read"
)]

use std::fs;
use std::sync::Arc;

use helve::capability::Grants;
use helve::permission::DangerousPaths;
use helve::sandbox::LocalFs;
use helve::text_index::TextIndex;
use helve::tool::Principal;
use helve::{State, ToolContext, Toolset};

mod meaning;

struct Fixture {
    folder: tempfile::TempDir,
    index: tempfile::TempDir,
    cx: ToolContext,
    tools: Toolset,
}

impl Fixture {
    fn new(files: &[(&str, &str)]) -> Self {
        Self::with_state(files, State::new())
    }

    fn with_state(files: &[(&str, &str)], state: State) -> Self {
        let mut fixture = Self {
            folder: tempfile::tempdir().unwrap(),
            index: tempfile::tempdir().unwrap(),
            cx: ToolContext::builder().build(),
            tools: helve::toolset![super::index_folder, super::search_documents],
        };
        fixture.set_state(state);
        for (name, text) in files {
            fixture.write(name, text);
        }
        fixture
    }

    /// Begins a process with another state.
    fn set_state(&mut self, state: State) {
        self.set_principal(state, Principal::default());
    }

    /// Begins a process for a principal.
    fn set_principal(&mut self, mut state: State, principal: Principal) {
        state.insert(TextIndex::open(self.index.path()).unwrap());
        state.insert(DangerousPaths::default());
        let fs = LocalFs::new(self.folder.path()).unwrap();
        let grants = Grants {
            files: Some(Arc::new(fs)),
            ..Grants::default()
        };
        self.cx = ToolContext::builder()
            .app(Arc::new(state))
            .grants(grants)
            .principal(principal)
            .build();
    }

    fn write(&self, name: &str, text: &str) {
        let path = self.folder.path().join(name);
        fs::create_dir_all(path.parent().unwrap()).unwrap();
        fs::write(path, text).unwrap();
    }

    async fn call(&self, tool: &str, arguments: &str) -> String {
        match self.tools.call(tool, arguments, &self.cx).await {
            Ok(output) => {
                let notes = output.notes().iter().map(|note| format!("\n{note}"));
                output.text().into_owned() + &notes.collect::<String>()
            }
            Err(error) => format!("error: {error}"),
        }
    }

    /// Returns the places of what is found.
    async fn find(&self, query: &str, path: &str) -> Vec<String> {
        let arguments = serde_json::json!({ "query": query, "path": path });
        let found = self.call("search_documents", &arguments.to_string()).await;
        assert!(!found.starts_with("error"), "{found}");
        let places = found
            .split("\n\n")
            .skip(1)
            .filter_map(|passage| passage.lines().next());
        places
            .filter(|line| line.contains(':'))
            .map(str::to_owned)
            .collect()
    }
}

fn samples() -> Fixture {
    Fixture::new(&[
        (
            "docs/deploy.md",
            "# Releases\n\n## Branches\n\nThey are deployed from `stable`.\n\n## Times\n\nOn Fridays.\n",
        ),
        ("docs/部署.md", "部署在每周五进行。\n"),
        (
            "src/users.rs",
            "/// Reads a user.\nfn getUserName(id: u64) -> String {\n    todo!()\n}\n",
        ),
        ("notes.txt", "Ask Ann about the proxy.\n"),
        (".gitignore", "build\n"),
        (".git/HEAD", "ref: refs/heads/main\n"),
        ("build/out.txt", "a proxy that was built\n"),
        ("Cargo.lock", "name = \"proxy\"\n"),
        (".env", "PROXY_TOKEN=1\n"),
    ])
}

#[tokio::test]
async fn passages_are_found_by_what_they_are_about() {
    let fixture = samples();
    let missing = fixture
        .call("search_documents", r#"{"query": "proxy"}"#)
        .await;
    assert_eq!(
        missing,
        "error: `.` is not indexed; call `index_folder` with this path first"
    );
    insta::assert_snapshot!(fixture.call("index_folder", "{}").await, @"`.` is indexed: 4 files, of which 4 are new or changed (5 passages), and 0 were removed.");
    insta::assert_snapshot!(fixture.call("search_documents", r#"{"query": "a branch for deployment"}"#).await, @"
    2 passages in `.` match `a branch for deployment`, the best first:

    docs/deploy.md:5-5 (Releases > Branches)
    They are deployed from `stable`.

    docs/deploy.md:9-9 (Releases > Times)
    On Fridays.
    ");
    assert_eq!(
        fixture.find("the name of users", ".").await[0],
        "src/users.rs:1-4"
    );
    assert_eq!(fixture.find("每周五", ".").await, ["docs/部署.md:1-1"]);
    assert_eq!(fixture.find("proxies", ".").await, ["notes.txt:1-1"]);
    assert_eq!(
        fixture.find("proxies", "notes.txt").await,
        ["notes.txt:1-1"]
    );
    assert_eq!(fixture.find("proxies", "docs").await, [""; 0]);
}

#[tokio::test]
async fn what_has_changed_is_read_again() {
    let fixture = samples();
    fixture.call("index_folder", r#"{"path": "docs"}"#).await;
    fixture.write(
        "docs/deploy.md",
        "# Releases\n\nThey come from the trunk now.\n",
    );
    // A search looks at the files of its results.
    assert_eq!(fixture.find("trunk", "docs").await, [""; 0]);
    assert_eq!(fixture.find("stable branches", "docs").await, [""; 0]);
    assert_eq!(
        fixture.find("trunk", "docs").await,
        ["docs/deploy.md:3-3 (Releases)"]
    );
    fs::remove_file(fixture.folder.path().join("docs/部署.md")).unwrap();
    fixture.write("docs/new.md", "A new page.\n");
    insta::assert_snapshot!(fixture.call("index_folder", r#"{"path": "docs"}"#).await, @"`docs` is indexed: 2 files, of which 1 is new or changed (1 passage), and 1 was removed.");
    assert_eq!(fixture.find("每周五", "docs").await, [""; 0]);
}

#[tokio::test]
async fn secrets_are_found_where_they_are_named_alone() {
    let fixture = samples();
    fixture.call("index_folder", "{}").await;
    fixture.call("index_folder", r#"{"path": ".env"}"#).await;
    assert_eq!(fixture.find("proxy token", ".env").await, [".env:1-1"]);
    assert_eq!(fixture.find("proxy token", ".").await, ["notes.txt:1-1"]);
}

#[tokio::test]
async fn other_formats_are_named() {
    let fixture = samples();
    fs::write(fixture.folder.path().join("archive.zip"), b"PK\x03\x04rest").unwrap();
    fixture.write("empty.txt", "");
    insta::assert_snapshot!(fixture.call("index_folder", "{}").await, @"
    `.` is indexed: 4 files, of which 4 are new or changed (5 passages), and 0 were removed.
    Not indexed: 1 (`archive.zip` (a ZIP archive (or a document that is one)))
    ");
    let outside = fixture.call("index_folder", r#"{"path": "../.."}"#).await;
    assert!(outside.starts_with("error: "), "{outside}");
}

#[tokio::test]
async fn files_without_passages_are_not_read_again() {
    let fixture = Fixture::new(&[("a.txt", "alpha"), ("b.txt", "al\0ha")]);
    let path = fixture.folder.path().join("b.txt");
    let modified = fs::metadata(&path).unwrap().modified().unwrap();
    let first = fixture.call("index_folder", "{}").await;
    assert!(first.contains("Not indexed: 1 (`b.txt`"), "{first}");
    // As the file was, but for what a second reading would find.
    fixture.write("b.txt", "alpha");
    fs::File::options()
        .write(true)
        .open(&path)
        .unwrap()
        .set_modified(modified)
        .unwrap();
    let second = fixture.call("index_folder", "{}").await;
    assert_eq!(
        second.replace(
            "0 are new or changed (0 passages)",
            "1 is new or changed (1 passage)"
        ),
        first
    );
}

#[tokio::test]
async fn a_folder_that_replaces_an_indexed_one_shows_nothing_of_it() {
    let mut fixture = Fixture::new(&[("work/a.txt", "alpha one"), ("work/b.txt", "alpha two")]);
    fixture.call("index_folder", "{}").await;
    assert_eq!(fixture.find("alpha", ".").await.len(), 2);
    let work = fixture.folder.path().join("work");
    let modified = fs::metadata(work.join("a.txt"))
        .unwrap()
        .modified()
        .unwrap();
    fs::rename(&work, fixture.folder.path().join(".old")).unwrap();
    // Another file of the same path, size and time.
    fixture.write("work/a.txt", "beta four");
    let file = fs::File::options().write(true).open(work.join("a.txt"));
    file.unwrap().set_modified(modified).unwrap();
    assert_eq!(fixture.find("alpha", ".").await, [""; 0]);
    assert_eq!(fixture.find("beta", ".").await, ["work/a.txt:1-1"]);

    fixture.set_principal(State::new(), Principal::user("ann"));
    let told = fixture
        .call("search_documents", r#"{"query": "beta"}"#)
        .await;
    assert!(told.contains("is not indexed"), "{told}");
    fixture.call("index_folder", "{}").await;
    assert_eq!(fixture.find("beta", ".").await, ["work/a.txt:1-1"]);
}

#[tokio::test]
async fn what_cannot_be_indexed_is_named_and_the_rest_is_indexed() {
    let fixture = Fixture::new(&[("z.txt", "alpha")]);
    let long = vec!["d".repeat(220); 5].join("/");
    fixture.write(&format!("{long}/x.txt"), "alpha");
    let told = fixture.call("index_folder", "{}").await;
    assert!(
        told.contains("1 file,") && told.contains("(its path is too long)"),
        "{told}"
    );
    assert_eq!(fixture.find("alpha", ".").await, ["z.txt:1-1"]);
    for at in 0..super::indexing::MAX_FILES {
        fixture.write(&format!("many/{at}.txt"), "beta");
    }
    let told = fixture.call("index_folder", "{}").await;
    assert!(
        told.contains("index a smaller folder") && !told.contains("again to go on"),
        "{told}"
    );
}

#[tokio::test]
async fn passages_of_changed_files_are_not_shown_however_many_changed() {
    let names: Vec<String> = (0..10).map(|at| format!("{at}.txt")).collect();
    let texts: Vec<String> = (0..10).map(|at| "alpha ".repeat(20 - at)).collect();
    let files: Vec<(&str, &str)> = names
        .iter()
        .zip(&texts)
        .map(|(name, text)| (&**name, &**text))
        .collect();
    let fixture = Fixture::new(&files);
    fixture.call("index_folder", "{}").await;
    fs::remove_file(fixture.folder.path().join("0.txt")).unwrap();
    for name in &names[1..] {
        fixture.write(name, "a secret of another time");
    }
    for _ in 0..3 {
        let told = fixture
            .call("search_documents", r#"{"query": "alpha", "limit": 1}"#)
            .await;
        assert!(told.starts_with("No passage"), "{told}");
    }
}
