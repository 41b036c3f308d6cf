//! Tests of the script parser against the behavior of GNU sed.

use std::path::Path;
use std::process::{Command, Stdio};

use super::script::{SedScript, read};

fn script(pieces: &[&str]) -> Option<SedScript> {
    let mut script = SedScript::default();
    pieces
        .iter()
        .all(|piece| read(piece, &mut script).is_ok())
        .then_some(script)
}

#[test]
fn what_only_changes_text_is_accepted() {
    for piece in [
        "",
        "p",
        "1d",
        "$d",
        "$=",
        "/re/d",
        "/re/Id",
        "\\,re,p",
        "1,5p",
        "1~2d",
        "2,+3p",
        "2,~4p",
        "0,/x/d",
        "/a/,/b/p",
        "1!p",
        "$!N",
        "{p;p}",
        "/x/{s/a/b/;p}",
        "s/a/b/",
        "s/a/b/2gp",
        "s|a|b|I",
        "s/a\\/b/c/",
        "y/ab/cd/",
        ":a;N;$!ba;s/\\n/ /g",
        "a text",
        "a\\\ntext\\\nmore\np",
        "i\\\ntext",
        "c text",
        "1i # not a comment",
        "q",
        "5q",
        "q5",
        "n;d",
        "G",
        "x;p;x",
        "# e id\np",
        "p # e id",
        "bend;p;:end",
        "p}",
        "l 5",
        "s/e/w/",
        "s|[^/]*$||",
        "s/[]a]//",
        "s/[^]#[:alpha:][]/b/",
        "s/\\[/[/",
        "s/[\\t ]*$//",
        "/e id/p",
        "s/a/\\\n/",
        "F;z",
        "tx;Tx;:x",
    ] {
        let script = script(&[piece]);
        // A closing brace without an opening one is accepted: GNU sed rejects the whole script.
        assert_eq!(script, Some(SedScript::default()), "{piece:?}");
    }
}

#[test]
fn what_runs_reads_and_writes_is_seen() {
    for piece in [
        "e",
        "e id",
        "1e id",
        "/x/e id",
        "$!e id",
        "{e id\n}",
        "p;e id",
        "s/a/b/e",
        "s/a/b/gpe",
        "s,a,b,Ie",
        "# x\ne id",
        "a x\ne id",
        "a\\\nx\ne id",
        "s/a/b/;1!{e id\n}",
        "/[/]e id",
        "\\e1e e id",
        "y/a/b/;e id",
        "r a\ne id",
        "b;e id",
    ] {
        let runs = script(&[piece]).is_none_or(|script| script.runs_programs);
        assert!(runs, "{piece:?}");
    }
    let files = |piece: &str| {
        let script = script(&[piece]).unwrap_or_else(|| panic!("{piece:?}"));
        (script.reads, script.writes)
    };
    let named = |names: &[&str]| {
        names
            .iter()
            .map(|name| (*name).to_owned())
            .collect::<Vec<_>>()
    };
    assert_eq!(files("/x/r a b"), (named(&["a b"]), vec![]));
    assert_eq!(files("R a;p"), (named(&["a;p"]), vec![]));
    assert_eq!(files("w x}"), (vec![], named(&["x}"])));
    assert_eq!(files("s/a/b/gw x\nW y"), (vec![], named(&["x", "y"])));
}

#[test]
fn what_versions_read_differently_is_refused() {
    for pieces in [
        // Delimiters inside of brackets.
        &["s#[[::]#]##wn"][..],
        &["s#[[:alpha:]#]##gw x"],
        &["s/[/]/e/"],
        &["s/[^/]*$//"],
        &["/[[:alpha:]/]/p"],
        &["\\,[a,]b,p"],
        &["s/[\\/]/e/"],
        &["s/[\\]/]/e/"],
        &["s/[[.a.]]/b/"],
        &["s/[[:nope:]]/b/"],
        &["s:[[:alpha:]]:b:"],
        &["s/[a/b/"],
        &["s/\\c//e/"],
        &["s[a[b["],
        &["a\\"],
        &["a\\", "e id"],
        &["a x\\", "e id"],
        &["a\\  \nx"],
        &["a\\\\\nx"],
        &["a"],
        &["a\nx"],
        &["s/a/b"],
        &["s\na\nb\n"],
        &["sxaxbx"],
        &["s/a/b/ p"],
        &["/x"],
        &["1,p"],
        &["1~p"],
        &["v 9"],
        &["L"],
        &["p p"],
        &["é\\"],
        &["s|é|x|"],
        &["s/a\nb/c/", "s/[/]/x/;p"],
        &["r"],
        &["w"],
        &["1#x"],
        &["1}"],
    ] {
        assert_eq!(script(pieces), None, "{pieces:?}");
    }
}

/// Tokens of scripts, combined at random: most combinations contain an `e` or a `w`.
const TOKENS: &[&str] = &[
    "s/a/b/",
    "s/a/touch ran/",
    "s,x,y,",
    "s|a|b|",
    "y/ab/cd/",
    "/x/",
    "/a/I",
    "\\,x,",
    "\\|a|",
    "1",
    "2",
    "$",
    "0",
    ",",
    "~",
    "+1",
    "+",
    "!",
    "{",
    "}",
    ";",
    "\n",
    " ",
    "\t",
    "\\",
    "\\\n",
    "#",
    "#n",
    "p",
    "d",
    "n",
    "N",
    "q",
    "l",
    "=",
    "g",
    "G",
    "h",
    "x",
    "e",
    "e touch ran",
    "etouch ran\n",
    "w",
    "w made",
    "wmade\n",
    "W made\n",
    "r input",
    "r input\n",
    "a",
    "a text",
    "a\\",
    "a\\\n",
    "i\\\ntext\n",
    "c text\n",
    "c",
    ":l",
    "b",
    "bl",
    "t",
    "Tl",
    "I",
    "M",
    "gp",
    "2",
    "ge",
    "gw made",
    "/",
    "|",
    "[",
    "]",
    "[/]",
    "s/[",
    "s#[[:alpha:]#]#",
    "s,[^,]*,,",
    "s|[]|a]|",
    "[[:alpha:]]",
    "[[:",
    ":]",
    "[]",
    "[^]",
    "[\\/]",
    "\\]",
    "\\[",
    "\\/",
    "\\c",
    "#x#w made",
    "/x/e",
    "é",
    "touch ran",
    "text",
    "F",
    "z",
    "D",
    "P",
    "Q",
    "v",
    "\r",
    ",/b/",
    "1,2",
    "1!",
    "/a/,/b/",
    "\n}",
    "{\n",
];

/// A deterministic random number generator (splitmix64).
struct Numbers(u64);

impl Numbers {
    fn next(&mut self) -> u64 {
        self.0 = self.0.wrapping_add(0x9e37_79b9_7f4a_7c15);
        let mut z = self.0;
        z = (z ^ (z >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
        z = (z ^ (z >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
        z ^ (z >> 31)
    }

    fn below(&mut self, end: usize) -> usize {
        let end = end as u64;
        usize::try_from(self.next() % end).unwrap_or_default()
    }

    fn pieces(&mut self) -> Vec<String> {
        let count = if self.below(5) == 0 { 2 } else { 1 };
        let mut piece = || {
            let length = 1 + self.below(7);
            (0..length)
                .map(|_| TOKENS[self.below(TOKENS.len())])
                .collect()
        };
        (0..count).map(|_| piece()).collect()
    }
}

/// Runs GNU sed in a folder with one file; returns the names of the other files afterwards.
fn made_by_sed(folder: &Path, pieces: &[String]) -> Vec<String> {
    let mut command = Command::new("timeout");
    command.args(["-s", "KILL", "0.5", "sed"]);
    for piece in pieces {
        command.arg("-e").arg(piece);
    }
    let status = command
        .arg("input")
        .current_dir(folder)
        .stdin(Stdio::null())
        .stdout(Stdio::null())
        .stderr(Stdio::null())
        .status();
    status.expect("GNU sed runs");
    let entries = std::fs::read_dir(folder).expect("the folder is there");
    let names = entries.map(|entry| entry.expect("an entry").file_name());
    let mut others: Vec<_> = names
        .filter_map(|name| name.into_string().ok())
        .filter(|name| name != "input")
        .collect();
    for name in &others {
        std::fs::remove_file(folder.join(name)).expect("what was made is removed");
    }
    others.sort();
    others
}

/// A script that is accepted as one that only changes text creates no file and runs nothing under GNU sed, and every
/// written file is in the parsed script. `HELVE_SED_SCRIPTS` sets how many accepted scripts are run.
#[test]
fn what_is_accepted_does_no_more_under_gnu_sed() {
    let wanted: usize = std::env::var("HELVE_SED_SCRIPTS")
        .ok()
        .and_then(|text| text.parse().ok())
        .unwrap_or(500);
    let seed = std::env::var("HELVE_SED_SEED")
        .ok()
        .and_then(|text| text.parse().ok())
        .unwrap_or(1);
    let folder = std::env::temp_dir().join(format!("helve-sed-{}", std::process::id()));
    std::fs::create_dir_all(&folder).expect("a folder");
    std::fs::write(folder.join("input"), "a\nb x\ntouch ran\nab\n").expect("a file");
    let mut numbers = Numbers(seed);
    let (mut run, mut violations) = (0, Vec::new());
    while run < wanted {
        let pieces = numbers.pieces();
        let borrowed: Vec<&str> = pieces.iter().map(String::as_str).collect();
        let Some(script) = script(&borrowed).filter(|script| !script.runs_programs) else {
            continue;
        };
        run += 1;
        let made = made_by_sed(&folder, &pieces);
        let is_seen = |name: &String| script.writes.iter().any(|path| path == name);
        if !made.iter().all(is_seen) {
            violations.push((pieces, made));
        }
    }
    std::fs::remove_dir_all(&folder).expect("the folder is removed");
    assert!(violations.is_empty(), "{violations:#?}");
}
