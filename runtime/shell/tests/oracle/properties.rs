//! Whatever ran or was written is in the analysis.

use std::collections::HashSet;

use crate::bash::Outcome;
use crate::log::{Kind, Record};
use crate::subject::{ACTORS, Subject, Verdict};

/// What a line did that its verdict does not say.
#[derive(Debug, Clone)]
pub(crate) struct Violation {
    /// Of which sort it is; lines with violations of one sort are counted together.
    pub(crate) class: String,
    pub(crate) what: String,
}

/// What is asked of a line and its outcome.
pub(crate) struct Case<'l> {
    pub(crate) line: &'l str,
    pub(crate) verdict: &'l Verdict,
    pub(crate) outcome: &'l Outcome,
}

/// Returns the first thing that a line did and that its verdict does not say.
pub(crate) fn violation(subject: &mut Subject, case: &Case<'_>) -> Option<Violation> {
    let mut free = HashSet::new();
    for record in &case.outcome.records {
        let is_free = free.contains(&record.parent) || free.contains(&record.pid);
        let found = match record.kind {
            Kind::Start | Kind::Exec if is_missing(record) => None,
            Kind::Start | Kind::Exec => {
                let words = words(record);
                if is_free && !free.contains(&record.pid) {
                    free.insert(record.pid);
                }
                let starts_free = !is_free && acts_by_rule(subject, case, &words);
                if starts_free && (record.kind == Kind::Start || is_script(record)) {
                    free.insert(record.pid);
                }
                ran(subject, case, record, &words, is_free || starts_free)
            }
            Kind::Limit => None,
            Kind::Network if is_free || *case.verdict == Verdict::Bypass => None,
            Kind::Network => Some(("network".to_owned(), record.words.join(" "))),
            Kind::Read => read_secret(subject, case, record, is_free),
            _ => wrote(case, record, is_free),
        };
        if let Some((class, what)) = found {
            let class = format!("{}/{class}", case.verdict.name());
            return Some(Violation { class, what });
        }
    }
    let shows_secret =
        case.outcome.shows_secret && matches!(case.verdict, Verdict::ReadOnly | Verdict::Edit(_));
    shows_secret.then(|| Violation {
        class: format!("{}/secret", case.verdict.name()),
        what: "its output has the secret of the environment".to_owned(),
    })
}

/// A secret that is read has to be among the places of the analysis.
fn read_secret(
    subject: &Subject,
    case: &Case<'_>,
    record: &Record,
    is_free: bool,
) -> Option<(String, String)> {
    const SECRET: &str = "/home/u/.ssh/id";
    // These say of a file how long it is, and of which sort.
    const SAY_LITTLE: [&str; 4] = ["du", "file", "stat", "wc"];
    let is_other = is_free
        || SAY_LITTLE.contains(&&*record.program)
        || *case.verdict == Verdict::Bypass
        || normal(record.path()) != SECRET;
    if is_other || record.error != 0 {
        return None;
    }
    let places = subject.places(case.line);
    let is_named = places.iter().any(|place| is_below(SECRET, place));
    (!is_named).then(|| (format!("{} read", record.program), SECRET.to_owned()))
}

/// An attempt on a program that is not there.
fn is_missing(record: &Record) -> bool {
    const ENOENT: u32 = 2;
    const ENOTDIR: u32 = 20;
    matches!(record.error, ENOENT | ENOTDIR)
}

/// An attempt on a file that the kernel cannot start: bash reads it as a script, in the same process.
fn is_script(record: &Record) -> bool {
    const ENOEXEC: u32 = 8;
    record.kind == Kind::Exec && record.error == ENOEXEC
}

/// The words of a command, with the program as it was called, or by its path where it was called something else.
fn words(record: &Record) -> Vec<String> {
    let called = record.words.get(1).map_or("", String::as_str);
    let is_called = base(called) == base(record.path());
    let program = if is_called { called } else { record.path() };
    let mut arguments = record.words.get(2..).unwrap_or_default();
    // The kernel starts a script as its interpreter, with the path of the script as an argument more.
    if let [first, rest @ ..] = arguments
        && !is_called
        && first == program
    {
        arguments = rest;
    }
    let mut words = vec![program.to_owned()];
    words.extend(arguments.iter().cloned());
    words
}

fn base(path: &str) -> &str {
    path.rsplit('/').next().unwrap_or(path)
}

/// Reports whether a rule lets a program run that does more than read: what it runs itself is its own affair.
fn acts_by_rule(subject: &mut Subject, case: &Case<'_>, words: &[String]) -> bool {
    match case.verdict {
        Verdict::Covered(rules) => {
            !subject.only_reads(words) && subject.covers(rules, words, case.line)
        }
        Verdict::Edit(_) => subject.only_edits(words),
        _ => false,
    }
}

fn ran(
    subject: &mut Subject,
    case: &Case<'_>,
    record: &Record,
    words: &[String],
    is_allowed: bool,
) -> Option<(String, String)> {
    let program = base(&words[0]);
    let is_actor = ACTORS.contains(&program)
        || record.path().contains("/w/")
        || !record.path().starts_with('/');
    if program.is_empty() {
        return None;
    }
    let is_held = match case.verdict {
        // What a script runs is not in the line.
        Verdict::Bypass => {
            is_actor && !case.line.contains("bare.sh") && begins_a_command(case.line, program)
        }
        // The proof knows each program that the shell of the line starts.
        _ => !is_allowed,
    };
    if is_held && record.program == "bash" && !subject.denies(program, case.line) {
        return Some((format!("deny rule misses {program}"), words.join(" ")));
    }
    if is_allowed || *case.verdict == Verdict::Bypass || subject.only_reads(words) {
        return None;
    }
    // A program that a glob gave other words than the analysis saw is looked at by what it does.
    if !is_actor && subject.names(case.line, program) {
        return None;
    }
    Some((format!("ran {program}"), words.join(" ")))
}

/// Reports whether a name stands where the text alone shows that it may begin a command.
fn begins_a_command(line: &str, program: &str) -> bool {
    line.match_indices(program).any(|(at, _)| {
        let before = line[..at].trim_end_matches([' ', '\t', '\\', '\'', '"']);
        before.is_empty() || before.ends_with([';', '|', '&', '(', ')', '`', '{', '}', '\n'])
    })
}

/// Where anything may be written: it is gone afterwards, or shown.
fn is_sink(record: &Record, path: &str) -> bool {
    // The recorder resolves the names of descriptors: what is open on a file is that file.
    const SINKS: &[&str] = &[
        "/dev/null",
        "/dev/zero",
        "/dev/full",
        "/dev/tty",
        "/dev/pipe",
        "/out/stdout",
    ];
    let is_own = match &*record.program {
        // A long here-document.
        "bash" | "sh" | "dash" => path.starts_with("/tmp/sh-thd"),
        "sort" | "tac" => path.starts_with("/tmp/sort") || path.starts_with("/tmp/tac"),
        // What the kernel would write of it, were it to crash, and the counters of the virtual machine.
        "java" | "javac" => {
            path == "/proc/self/coredump_filter" || path.starts_with("/tmp/hsperfdata_")
        }
        // Git remembers when it last looked at the files.
        "git" => path == "/w/.git/index.lock" || path == "/w/.git/index",
        _ => false,
    };
    is_own || SINKS.contains(&path)
}

fn wrote(case: &Case<'_>, record: &Record, is_free: bool) -> Option<(String, String)> {
    let path = normal(record.path());
    if is_sink(record, &path) {
        return None;
    }
    let what = format!("{} {:?} {path}", record.program, record.kind);
    let is_own = match case.verdict {
        Verdict::Edit(paths) => paths.iter().any(|place| {
            is_below(&path, place)
                || is_beside(record, &path, place)
                || is_on_the_way(record, &path, place)
        }),
        Verdict::Covered(_) => is_free,
        Verdict::Bypass => {
            let is_dangerous = DANGEROUS.iter().any(|place| is_below(&path, place));
            return (is_dangerous && record.program == "bash")
                .then(|| ("dangerous path".to_owned(), what));
        }
        _ => false,
    };
    (!is_own).then(|| (format!("{} wrote", record.program), what))
}

const DANGEROUS: &[&str] = &[
    "/etc",
    "/home/u/.bashrc",
    "/home/u/.ssh",
    "/w/.git/hooks",
    "/w/.git/config",
    "/w/.bashrc",
];

/// Reports whether `sed -i` wrote the new text of a file beside it, before it takes the old one's place.
fn is_beside(record: &Record, path: &str, place: &str) -> bool {
    let (Some((folder, name)), Some((own, _))) = (
        path.rsplit_once('/'),
        absolute(place)
            .rsplit_once('/')
            .map(|(own, rest)| (own.to_owned(), rest.to_owned())),
    ) else {
        return false;
    };
    record.program == "sed" && folder == own && name.starts_with("sed") && name.len() == 9
}

/// Reports whether `mkdir -p` made a folder because one in it was named.
fn is_on_the_way(record: &Record, path: &str, place: &str) -> bool {
    let is_made = record.program == "mkdir" && record.kind == Kind::Make;
    is_made && absolute(place).starts_with(&format!("{path}/"))
}

/// A place that the analysis named, as a path.
fn absolute(place: &str) -> String {
    match place.strip_prefix('~') {
        Some(rest) => normal(&format!("/home/u{rest}")),
        None if place.starts_with('/') => normal(place),
        None => normal(&format!("/w/{place}")),
    }
}

fn is_below(path: &str, place: &str) -> bool {
    let place = absolute(place);
    // A listed place may be a pattern: its known beginning counts.
    let known = place
        .find(['*', '?', '['])
        .map_or(&*place, |end| &place[..end]);
    path == place
        || path.starts_with(&format!("{}/", place.trim_end_matches('/')))
        || (known.len() < place.len() && path.starts_with(known))
}

/// A path without `.`, `..` and repeated slashes.
fn normal(path: &str) -> String {
    let mut parts: Vec<&str> = Vec::new();
    for part in path.split('/') {
        match part {
            "" | "." => {}
            ".." => {
                parts.pop();
            }
            part => parts.push(part),
        }
    }
    format!("/{}", parts.join("/"))
}
