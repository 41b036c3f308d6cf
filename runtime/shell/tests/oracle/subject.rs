//! The analysis under test.

use std::collections::HashMap;
use std::panic::{AssertUnwindSafe, catch_unwind};

use helve_shell::{Check, CommandReport};

/// Programs that are not allowed to be among what a line runs, unless they are called in a way that only reads.
pub(crate) const ACTORS: &[&str] = &[
    "pwn", "touch", "rm", "rmdir", "mv", "cp", "ln", "mkdir", "chmod", "chown", "tee", "dd",
    "truncate", "install", "split", "csplit", "curl", "wget", "nc", "ssh", "scp", "rsync", "sudo",
    "su", "python3", "python", "perl", "ruby", "node", "npm", "cargo", "make", "docker", "kill",
    "mkfifo", "mknod", "shred", "bash", "sh", "dash",
];

/// Why a line runs without a question.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) enum Verdict {
    ReadOnly,
    /// With the places that it may write to.
    Edit(Vec<String>),
    /// Rules cover what does more than read.
    Covered(Vec<String>),
    /// Nothing but the mode lets it run.
    Bypass,
    /// A person decides.
    Ask,
    /// The analysis failed.
    Panic,
}

impl Verdict {
    pub(crate) fn name(&self) -> &'static str {
        match self {
            Self::ReadOnly => "read-only",
            Self::Edit(_) => "edit",
            Self::Covered(_) => "covered",
            Self::Bypass => "bypass",
            Self::Ask => "ask",
            Self::Panic => "panic",
        }
    }
}

/// The analysis, with what it said of commands that ran.
#[derive(Default)]
pub(crate) struct Subject {
    known: HashMap<Vec<String>, bool>,
    /// The programs of the last line that was asked about.
    programs: (String, Vec<String>),
    /// Whether a line that the analysis without a proof takes for one that reads is let through.
    pub(crate) trusts_without_proof: bool,
}

impl Subject {
    /// Judges a line; `with_rules` are put beside those that are suggested for it.
    pub(crate) fn judge(&self, line: &str, with_rules: &[&str]) -> Verdict {
        if self.trusts_without_proof {
            let reads = catch_unwind(|| helve_shell::testing::only_reads_without_proof(line));
            return if reads.unwrap_or(false) {
                Verdict::ReadOnly
            } else {
                Verdict::Ask
            };
        }
        catch_unwind(AssertUnwindSafe(|| judge(line, with_rules))).unwrap_or(Verdict::Panic)
    }

    /// Reports whether a command, with exactly these words, only reads.
    pub(crate) fn only_reads(&mut self, words: &[String]) -> bool {
        if let Some(known) = self.known.get(words) {
            return *known;
        }
        let reads = check(&quoted(words)).check == Check::ReadOnly;
        self.known.insert(words.to_vec(), reads);
        reads
    }

    /// Reports whether a command, with exactly these words, only reads or changes files that the line names.
    pub(crate) fn only_edits(&self, words: &[String]) -> bool {
        matches!(check(&quoted(words)).check, Check::Edit { .. })
    }

    /// Reports whether rules cover a command of a line, with exactly these words: those of the user's folder may have been
    /// written with a `~`, and the name of a pipe as a substitution.
    pub(crate) fn covers(&self, rules: &[String], words: &[String], line: &str) -> bool {
        let covers = |line: String| is_covered(&line, &check(&line), rules);
        let substitutes = ["<(", ">("].iter().any(|begin| line.contains(begin));
        covers(quoted(words))
            || covers(with_tildes(words))
            || substitutes && covers(with_substitutions(words))
    }

    /// Reports whether the analysis of a line names a program, or one that starts it to do its own work.
    pub(crate) fn names(&mut self, line: &str, program: &str) -> bool {
        if self.programs.0 != line {
            self.programs = (line.to_owned(), helve_shell::testing::programs(line));
        }
        self.programs.1.iter().any(|named| named == program)
    }

    /// Returns the places that the analysis says a line reads or writes.
    pub(crate) fn places(&self, line: &str) -> Vec<String> {
        let touches = check(line).file_accesses.into_iter();
        touches.map(|touch| touch.path).collect()
    }

    /// Reports whether a rule that denies a program stops a line.
    pub(crate) fn denies(&self, program: &str, line: &str) -> bool {
        helve_shell::covers(&format!("{program}:*"), line).contains(&true)
    }
}

fn check(line: &str) -> CommandReport {
    helve_shell::check(line, Some("/home/u"))
}

fn judge(line: &str, with_rules: &[&str]) -> Verdict {
    let checked = check(line);
    let is_safety = matches!(checked.check, Check::Ask { safety: true, .. });
    match &checked.check {
        Check::ReadOnly => return Verdict::ReadOnly,
        Check::Edit { paths } => return Verdict::Edit(paths.clone()),
        _ if is_safety => return Verdict::Ask,
        _ => {}
    }
    let mut rules = helve_shell::suggest(line);
    rules.extend(with_rules.iter().map(|&rule| rule.to_owned()));
    rules.retain(|rule| helve_shell::covers(rule, line).contains(&true));
    if is_covered(line, &checked, &rules) {
        return Verdict::Covered(rules);
    }
    Verdict::Bypass
}

fn is_covered(line: &str, checked: &CommandReport, rules: &[String]) -> bool {
    if matches!(checked.check, Check::Ask { safety: true, .. }) || checked.parts.is_empty() {
        return false;
    }
    let covered: Vec<Vec<bool>> = rules
        .iter()
        .map(|rule| helve_shell::covers(rule, line))
        .collect();
    checked.parts.iter().enumerate().all(|(index, part)| {
        part.read_only
            || covered
                .iter()
                .any(|parts| parts.get(index).copied().unwrap_or(false))
    })
}

/// Writes words so that nothing of them is special but the user's folder.
fn with_tildes(words: &[String]) -> String {
    let words = words.iter().map(|word| {
        let rest = word.strip_prefix("/home/u");
        match rest.filter(|rest| rest.is_empty() || rest.starts_with('/')) {
            Some("") => "~".to_owned(),
            Some(rest) => format!("~/{}", quoted(&[rest[1..].to_owned()])),
            None => quoted(std::slice::from_ref(word)),
        }
    });
    words.collect::<Vec<_>>().join(" ")
}

/// Writes words so that nothing of them is special but the pipes that bash made for substitutions.
fn with_substitutions(words: &[String]) -> String {
    let words = words.iter().map(|word| {
        let descriptor = word.strip_prefix("/dev/fd/");
        match descriptor.and_then(|number| number.parse().ok()) {
            Some(10..=63) => "<(:)".to_owned(),
            _ => quoted(std::slice::from_ref(word)),
        }
    });
    words.collect::<Vec<_>>().join(" ")
}

/// Writes words so that nothing of them is special.
pub(crate) fn quoted(words: &[String]) -> String {
    let words = words
        .iter()
        .map(|word| format!("'{}'", word.replace('\'', "'\\''")));
    words.collect::<Vec<_>>().join(" ")
}
