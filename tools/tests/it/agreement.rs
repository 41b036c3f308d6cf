//! `grep` finds what `rg` finds, in trees with ignore files of all kinds.

#![cfg(all(feature = "files", unix))]
#![expect(
    clippy::disallowed_methods,
    clippy::disallowed_types,
    clippy::unwrap_used,
    reason = "the judge is another program"
)]

use crate::support;

use std::path::Path;
use std::process::{Command, Stdio};
use std::sync::Arc;

use helve::sandbox::LocalFs;
use serde_json::{Value, json};
use support::Tree;

/// Runs `rg`, and nothing of the user's configuration; `None` where there is none.
fn rg(root: &Path, arguments: &[&str]) -> Option<String> {
    let output = Command::new("rg")
        .args([
            "--no-config",
            "--no-ignore-global",
            "--color=never",
            "--sort=path",
            "--no-messages",
        ])
        .args(["--with-filename", "--heading", "--line-number"])
        .args(arguments)
        .current_dir(root)
        .stdin(Stdio::null())
        .output()
        .ok()?;
    // Only the line is shown, not what ends it; and what stands before a NUL is found, with a note instead of a line.
    let text = String::from_utf8_lossy(&output.stdout).replace("\r\n", "\n");
    let is_line =
        |line: &&str| !line.contains(": WARNING: stopped searching binary file after match");
    Some(text.split_inclusive('\n').filter(is_line).collect())
}

/// Reports whether this `rg` forgets rules with a slash that stand above the folder it is given; helve's does not, like
/// those from version 15 on.
fn forgets_rules_above() -> bool {
    let version = Command::new("rg").arg("--version").output();
    let version = version.map(|output| String::from_utf8_lossy(&output.stdout).into_owned());
    let major = version.ok().and_then(|text| {
        let number = text.strip_prefix("ripgrep ")?.split('.').next()?;
        number.parse::<u32>().ok()
    });
    major.is_some_and(|major| major < 15)
}

async fn grep(root: &Path, arguments: Value) -> String {
    let cx = support::granted(Arc::new(LocalFs::new(root).unwrap())).build();
    let output = support::call("grep", arguments, &cx).await.unwrap();
    let text = output.into_text();
    if text.starts_with("no match for") {
        String::new()
    } else {
        text
    }
}

/// Compares every kind of output of one search.
async fn agree(root: &Path, pattern: &str, path: &str, glob: Option<&str>) -> Option<()> {
    for (output, flags) in [
        ("content", &["-C0"][..]),
        ("content", &["-C1"]),
        ("files", &["-l"]),
        ("count", &["-c"]),
    ] {
        let mut wanted = flags.to_vec();
        wanted.extend(glob.iter().flat_map(|glob| ["-g", glob]));
        wanted.extend(["-e", pattern]);
        if path != "." {
            wanted.extend(["--", path]);
        }
        let context = usize::from(flags == ["-C1"]);
        let arguments = json!({
            "pattern": pattern, "path": path, "glob": glob, "output": output, "context": context, "limit": 10_000,
        });
        let expected = rg(root, &wanted)?;
        assert_eq!(
            grep(root, arguments.clone()).await,
            expected,
            "{arguments}\n{:#?}",
            listing(root)
        );
    }
    Some(())
}

fn listing(root: &Path) -> Vec<String> {
    let find = Command::new("grep")
        .args(["-r", "", "."])
        .current_dir(root)
        .output()
        .unwrap();
    String::from_utf8_lossy(&find.stdout)
        .lines()
        .map(str::to_owned)
        .collect()
}

fn skipped() {
    eprintln!("ran nothing: there is no `rg` on PATH");
}

#[tokio::test]
async fn in_a_repository_with_every_kind_of_rule() {
    let tree = Tree::new(&[
        (".git/HEAD", "needle\n"),
        (".git/info/exclude", "excluded\n"),
        (".gitignore", "*.log\n!keep.log\n/target/\nsub/deep\n"),
        (".ignore", "secret.txt\n!.shown\n"),
        (".rgignore", "rg.txt\n"),
        (".shown", "needle\n"),
        (".hidden/a", "needle\n"),
        ("a.log", "needle\n"),
        ("keep.log", "needle\n"),
        ("excluded", "needle\n"),
        ("rg.txt", "needle\n"),
        ("secret.txt", "needle\n"),
        ("target/a", "needle\n"),
        ("src/target/a", "x\ny\nneedle\nz\n\nneedle\n"),
        ("sub/deep/a", "needle\n"),
        ("sub/.gitignore", "!b.log\n"),
        ("sub/b.log", "needle\n"),
        ("nested/.git/HEAD", ""),
        ("nested/c.log", "needle\r\n"),
        ("nested/keep.log", "NEEDLE\n"),
        ("utf16", ""),
        ("bin", "needle\n\0"),
    ]);
    let utf16: Vec<u8> = "\u{feff}a needle\n"
        .encode_utf16()
        .flat_map(u16::to_le_bytes)
        .collect();
    tree.write("utf16", utf16);
    tree.link("src", "link");
    let paths = [
        ".",
        "sub",
        "src/target",
        "nested",
        "target",
        "a.log",
        ".hidden",
    ];
    let patterns = ["^needle$", "(?i)NEEDLE", r"\w+", "^$"].map(|pattern| (pattern, ".", None));
    let globs =
        ["*.log", "!*.log", "src/**", "a", "{a,.*}"].map(|glob| ("needle", ".", Some(glob)));
    let places = paths.map(|path| ("needle", path, None));
    let old = forgets_rules_above();
    for (pattern, path, glob) in patterns.into_iter().chain(globs).chain(places) {
        if old && path == "sub" {
            println!(
                "`sub` was not compared, because this `rg` forgets a rule of the folder above it"
            );
            continue;
        }
        if agree(&tree.root(), pattern, path, glob).await.is_none() {
            return skipped();
        }
    }
    for path in ["sub", "src/target", "a.log"] {
        agree(&tree.root(), "needle", path, Some("*.log"))
            .await
            .unwrap();
    }
}

#[tokio::test]
async fn outside_of_a_repository() {
    let tree = Tree::new(&[
        (".gitignore", "a\n"),
        (".ignore", "b\n"),
        ("a", "x\n"),
        ("b", "x\n"),
        ("c/a", "x\n"),
    ]);
    if agree(&tree.root(), "x", ".", None).await.is_none()
        || agree(&tree.root(), "x", "c", None).await.is_none()
    {
        skipped();
    }
}

/// A small generator of numbers, the same in every run.
struct Numbers(u64);

impl Numbers {
    fn below(&mut self, most: usize) -> usize {
        self.0 = self
            .0
            .wrapping_mul(6_364_136_223_846_793_005)
            .wrapping_add(1_442_695_040_888_963_407);
        usize::try_from(self.0 >> 33).unwrap() % most
    }

    fn pick<'a>(&mut self, of: &[&'a str]) -> &'a str {
        of[self.below(of.len())]
    }
}

#[tokio::test]
async fn in_trees_of_chance() {
    const NAMES: [&str; 7] = ["a", "b", "c.rs", "d.log", ".e", "f g", "a.b"];
    const RULES: [&str; 16] = [
        "a", "/a", "a/", "!a", "*.rs", "!*.rs", "*", "!*/", "a/b", "**/b", "a/**", "/*.log", "!.e",
        "f g", "# a", "\\!a",
    ];
    let mut numbers = Numbers(7);
    let mut found = 0;
    for _ in 0..60 {
        let tree = Tree::new(&[]);
        for _ in 0..12 {
            let depth = 1 + numbers.below(3);
            let folder: Vec<&str> = (0..depth).map(|_| numbers.pick(&NAMES)).collect();
            let folder = folder.join("/D");
            tree.write(&format!("{folder}.d/{}", numbers.pick(&NAMES)), "x\n");
        }
        for _ in 0..4 {
            let rules: String = (0..3)
                .map(|_| format!("{}\n", numbers.pick(&RULES)))
                .collect();
            let folder = numbers.pick(&["", "a.d", "b.d", "a/Da.d", "a/Db.d", "c.rs.d"]);
            let file = numbers.pick(&[".gitignore", ".ignore", ".rgignore", ".git/info/exclude"]);
            tree.write(format!("{folder}/{file}").trim_start_matches('/'), rules);
        }
        let glob = [None, Some("*.rs"), Some("!a"), Some("/a/**")][numbers.below(4)];
        if agree(&tree.root(), "x", ".", glob).await.is_none() {
            return skipped();
        }
        found += usize::from(
            !grep(&tree.root(), json!({ "pattern": "x" }))
                .await
                .is_empty(),
        );
    }
    assert!(found > 30, "too few trees have anything to find: {found}");
}

impl Numbers {
    /// Makes the contents of a file: words, line ends of all kinds, what is no text, and now and then a NUL.
    fn contents(&mut self) -> Vec<u8> {
        const PIECES: [&[u8]; 14] = [
            b"needle",
            b"Needle",
            b"hay",
            b" ",
            b"\t",
            b"\n",
            b"\n",
            b"\r\n",
            b"\r",
            b"\xff",
            b"\xc3",
            "ä".as_bytes(),
            "\u{feff}".as_bytes(),
            b"",
        ];
        let mut out = Vec::new();
        if self.below(12) == 0 {
            out.extend_from_slice(b"\xef\xbb\xbf");
        }
        for _ in 0..self.below(40) {
            out.extend_from_slice(PIECES[self.below(PIECES.len())]);
        }
        if self.below(8) == 0 {
            let at = self.below(out.len() + 1);
            out.insert(at, 0);
        }
        out
    }
}

#[tokio::test]
async fn in_files_of_chance() {
    let mut numbers = Numbers(11);
    for _ in 0..25 {
        let tree = Tree::new(&[]);
        for n in 0..12 {
            let name = ["plain", ".hidden", "two words", "ünï", "dir/deep"][numbers.below(5)];
            let contents = numbers.contents();
            tree.write(&format!("{name}.{n}"), contents);
        }
        tree.link(
            ["dir", "plain.0", "..", "nowhere"][numbers.below(4)],
            "link",
        );
        for pattern in ["needle", "(?i)needle\\s", r"^\s*$", "ä|hay$", r"\bhay\b"] {
            if agree(&tree.root(), pattern, ".", None).await.is_none() {
                return skipped();
            }
        }
    }
}

/// What is left out on purpose, and said: the rest of a long line, and what stands behind a NUL that comes late.
#[tokio::test]
async fn but_for_what_is_cut() {
    let tree = Tree::new(&[("short", "needle\n")]);
    tree.write("long", format!("needle {}\n", "x".repeat(5_000)));
    let mut late = format!("needle\n{}\n", "hay\n".repeat(50_000)).into_bytes();
    late.extend_from_slice(b"needle\n\0\nneedle\n");
    tree.write("late", late);
    for (output, flag) in [("files", "-l"), ("count", "-c")] {
        let Some(expected) = rg(&tree.root(), &[flag, "-g", "!late", "-e", "needle"]) else {
            return skipped();
        };
        let arguments = json!({ "pattern": "needle", "output": output, "glob": "!late" });
        assert_eq!(grep(&tree.root(), arguments).await, expected);
    }
    let expected = rg(
        &tree.root(),
        &[
            "-M500",
            "--max-columns-preview",
            "-e",
            "needle",
            "-g",
            "!late",
        ],
    )
    .unwrap();
    let found = grep(
        &tree.root(),
        json!({ "pattern": "needle", "glob": "!late" }),
    )
    .await;
    let plain = |text: &str| -> Vec<String> {
        let lines = text.lines().map(|line| line.chars().take(400).collect());
        lines.collect()
    };
    assert_eq!(plain(&found), plain(&expected));
    assert!(
        found.contains("… [line cut: 500 of 5007 characters]"),
        "{found}"
    );
    // Both show what came before the NUL; `rg` says so in the result, helve in a note.
    let limit = json!({ "pattern": "needle", "path": ".", "glob": "late", "limit": 10_000 });
    let found = grep(&tree.root(), limit).await;
    let expected = rg(&tree.root(), &["-e", "needle", "-g", "late", "-m", "10000"]).unwrap();
    assert_eq!(found, expected);
    assert!(found.starts_with("late\n1:needle\n"), "{found}");
}

#[tokio::test]
async fn in_these_sources() {
    // What a result may hold is less than all that the tests would add.
    let root = &Path::new(env!("CARGO_MANIFEST_DIR")).join("src");
    for pattern in [r"fn \w+\(", "needle", "TODO|todo"] {
        if agree(root, pattern, ".", None).await.is_none() {
            return skipped();
        }
    }
}
