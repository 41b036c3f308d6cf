//! Makes lines, judges them and runs them, inside the sandbox.

mod checks;

use std::collections::BTreeMap;
use std::io;
use std::time::Instant;

use crate::bash::{Bash, Outcome};
use crate::generate::{Corpus, Generator, Line};
use crate::log::Kind;
use crate::properties::{Case, Violation, violation};
use crate::report::{Report, say};
use crate::shrink::shrink;
use crate::subject::{Subject, Verdict};
use crate::tree::{ROOTS, Tree};

/// What a worker is asked to do.
pub(crate) struct Task {
    pub(crate) seed: u64,
    /// Which of the workers this is, of how many.
    pub(crate) share: (usize, usize),
    /// How many lines are to be allowed and run.
    pub(crate) lines: u64,
    /// How many calls of `sed` are to be allowed and run, at least.
    pub(crate) sed: u64,
}

/// One line in so many runs again as `bash -c` runs it.
const COLD: usize = 100;
/// How many lines run before the files are looked at, where the recorder saw nothing written.
const LOOK: usize = 64;
/// From how many lines on every spelling of an option is tried with all operands.
const THOROUGH: u64 = 50_000;
/// After how many lines a worker says how far it is.
const PROGRESS: u64 = 20_000;
/// How many lines of a class are shown.
const SHOWN: u64 = 3;

pub(crate) struct Worker {
    bash: Bash,
    tree: Tree,
    subject: Subject,
    report: Report,
    classes: BTreeMap<String, u64>,
    /// What ran since the files were looked at.
    window: Vec<String>,
}

pub(crate) fn work(task: &Task, corpus: Corpus) -> io::Result<()> {
    std::panic::set_hook(Box::new(|_| {}));
    let mut worker = Worker {
        tree: Tree::make()?,
        bash: Bash::new()?,
        subject: Subject::default(),
        report: Report::default(),
        classes: BTreeMap::new(),
        window: Vec::new(),
    };
    worker.examine_itself()?;
    if let Ok(line) = std::env::var("HELVE_ORACLE_LINE") {
        return worker.show(&line);
    }
    let mut generator = Generator::new(task.seed, corpus);
    if task.share.0 == 0 {
        worker.prove_itself(&mut generator)?;
    }
    worker.specs(&generator.specs, task)?;
    worker.samples(task)?;
    worker.floors(&mut generator)?;
    worker.attacks(&mut generator)?;
    worker.until("executed", task.lines, || generator.hostile())?;
    worker.until("allowed sed", task.sed, || generator.sed_call())?;
    worker.look()?;
    worker.report.send();
    Ok(())
}

/// Rules that a person may have.
const RULES: &[&str] = &[
    "git:*",
    "npm:*",
    "make:*",
    "touch:*",
    "cargo:*",
    "mkdir:*",
    "git log:*",
];

impl Worker {
    /// Shows what is said of one line, and what it does.
    fn show(&mut self, line: &str) -> io::Result<()> {
        let verdict = self.subject.judge(line, RULES);
        say("verdict", &format!("{verdict:?}"));
        let outcome = self.bash.run(line)?;
        for record in &outcome.records {
            say("record", &format!("{record:?}"));
        }
        let output = std::fs::read("/out/stdout")?;
        say("output", &format!("{:?}", String::from_utf8_lossy(&output)));
        let found = self.judged(line, &verdict, &outcome);
        say("violation", &format!("{:?}", found.map(|it| it.what)));
        Ok(())
    }

    /// Makes and runs lines until so many are counted.
    fn until(&mut self, count: &str, end: u64, mut make: impl FnMut() -> Line) -> io::Result<()> {
        let begun = self.report.count("generated");
        while self.report.count(count) < end {
            self.line(&make())?;
            if self.report.count("generated") > begun + 400 * end {
                break;
            }
        }
        Ok(())
    }

    fn harmless(&mut self, line: &Line) -> io::Result<()> {
        let is_allowed = self.subject.judge(&line.text, &[]) == Verdict::ReadOnly;
        self.report.add(&format!("harmless {}", line.kind), 1);
        if is_allowed {
            self.report
                .add(&format!("harmless allowed {}", line.kind), 1);
        } else if line.kind == "everyday" || self.report.count(&format!("shown {}", line.kind)) < 5
        {
            self.report.add(&format!("shown {}", line.kind), 1);
            say("asked", &format!("{}: {:?}", line.kind, line.text));
        }
        self.line(line)
    }

    fn line(&mut self, line: &Line) -> io::Result<()> {
        self.report.add("generated", 1);
        self.report.add(&format!("generated {}", line.kind), 1);
        if line.text.contains('\0') {
            return Ok(());
        }
        let begin = Instant::now();
        let verdict = self.subject.judge(&line.text, RULES);
        self.report
            .add("microseconds judging", begin.elapsed().as_micros() as u64);
        match verdict {
            Verdict::Ask => return Ok(()),
            Verdict::Panic => {
                let found = Violation {
                    class: "panic".to_owned(),
                    what: "the analysis failed".to_owned(),
                };
                return self.report_violation(&line.text, &verdict, &found);
            }
            // What only a mode lets through is not counted; some of it is looked at.
            Verdict::Bypass if !self.report.count("generated").is_multiple_of(8) => return Ok(()),
            Verdict::Bypass => self.report.add("run in bypass", 1),
            _ => {
                self.report.add("executed", 1);
                self.report.add(&format!("executed {}", verdict.name()), 1);
                self.report.add(&format!("allowed {}", line.kind), 1);
                self.tell_progress();
            }
        }
        let begin = Instant::now();
        let outcome = self.run(&line.text)?;
        if begin.elapsed().as_millis() > 300 {
            say("slow", &format!("{:?} {:?}", line.text, begin.elapsed()));
        }
        if let Some(found) = self.judged(&line.text, &verdict, &outcome) {
            return self.report_violation(&line.text, &verdict, &found);
        }
        if self.report.count("executed").is_multiple_of(COLD as u64) && verdict != Verdict::Bypass {
            self.compare(&line.text, &verdict, &outcome)?;
        }
        Ok(())
    }

    /// A long run says how far it is.
    fn tell_progress(&self) {
        let executed = self.report.count("executed");
        if executed.is_multiple_of(PROGRESS) {
            let violations = self.report.count("violations");
            say(
                "progress",
                &format!("{executed} lines ran, {violations} violations"),
            );
        }
    }

    fn judged(&mut self, line: &str, verdict: &Verdict, outcome: &Outcome) -> Option<Violation> {
        violation(
            &mut self.subject,
            &Case {
                line,
                verdict,
                outcome,
            },
        )
    }

    /// Runs a line, and makes the files as they were.
    fn run(&mut self, line: &str) -> io::Result<Outcome> {
        let begin = Instant::now();
        let outcome = self.bash.run(line)?;
        self.report
            .add("microseconds running", begin.elapsed().as_micros() as u64);
        if outcome.was_killed {
            self.report.add("took too long", 1);
        }
        if outcome.is_cut {
            self.report.add("did more than the log holds", 1);
        }
        let has_written = outcome.records.iter().any(|record| {
            matches!(
                record.kind,
                Kind::Write | Kind::Make | Kind::Remove | Kind::Rename | Kind::Meta
            ) && ROOTS.iter().any(|root| record.path().starts_with(root))
        });
        self.report.add(
            "programs",
            outcome
                .records
                .iter()
                .filter(|record| record.kind == Kind::Start)
                .count() as u64,
        );
        if has_written || outcome.is_cut || outcome.was_killed {
            // What ran before may have left something, too.
            self.restore()?;
            self.window.clear();
        } else {
            self.window.push(line.to_owned());
            if self.window.len() >= LOOK {
                self.look()?;
            }
        }
        Ok(outcome)
    }

    fn restore(&mut self) -> io::Result<()> {
        let begin = Instant::now();
        let damaged = self.tree.damage()?;
        if !damaged.is_empty() {
            self.tree.restore(&damaged)?;
        }
        self.report
            .add("microseconds restoring", begin.elapsed().as_micros() as u64);
        Ok(())
    }

    /// Looks whether something was written that the recorder did not see.
    fn look(&mut self) -> io::Result<()> {
        let window = std::mem::take(&mut self.window);
        let damaged = self.tree.damage()?;
        if damaged.is_empty() {
            return Ok(());
        }
        self.tree.restore(&damaged)?;
        for line in window {
            self.bash.run(&line)?;
            let damaged = self.tree.damage()?;
            if !damaged.is_empty() {
                self.tree.restore(&damaged)?;
                self.report.add("violations", 1);
                say(
                    "violation",
                    &format!("not recorded\t{line:?}\tchanged {damaged:?}"),
                );
                return Ok(());
            }
        }
        self.report.add("violations", 1);
        say(
            "violation",
            &format!("not recorded\t-\tchanged {damaged:?}, by none of the lines alone"),
        );
        Ok(())
    }

    /// Runs a line as `bash -c` does and compares what happened.
    fn compare(&mut self, line: &str, verdict: &Verdict, warm: &Outcome) -> io::Result<()> {
        self.report.add("compared", 1);
        let cold = self.bash.run_cold(line)?;
        self.restore()?;
        if let Some(found) = self.judged(line, verdict, &cold) {
            return self.report_violation(line, verdict, &found);
        }
        if summary(warm) == summary(&cold) || warm.was_killed || cold.was_killed {
            return Ok(());
        }
        // Processes of a line that run side by side may see more or less of each other.
        let again = self.bash.run(line)?;
        self.restore()?;
        if summary(&again) != summary(&cold) {
            self.report.add("differed from bash -c", 1);
            say(
                "differs",
                &format!("{line:?}: {:?}, {:?}", summary(&again), summary(&cold)),
            );
        }
        Ok(())
    }

    fn report_violation(
        &mut self,
        line: &str,
        verdict: &Verdict,
        found: &Violation,
    ) -> io::Result<()> {
        self.report.add("violations", 1);
        let seen = self.classes.entry(found.class.clone()).or_default();
        *seen += 1;
        if *seen > SHOWN {
            return Ok(());
        }
        let begin = Instant::now();
        let shortest = self.shortest(line, verdict, found);
        self.report
            .add("microseconds shrinking", begin.elapsed().as_micros() as u64);
        self.window.clear();
        self.restore()?;
        let what = if *verdict == Verdict::Panic {
            found.what.clone()
        } else {
            let verdict = self.subject.judge(&shortest, RULES);
            let cold = self.bash.run_cold(&shortest)?;
            self.restore()?;
            let confirmed = self.judged(&shortest, &verdict, &cold);
            let confirmed = confirmed.map_or("not under a cold `bash -c`".to_owned(), |it| it.what);
            match verdict {
                Verdict::Covered(rules) => format!("{confirmed} (rules {rules:?})"),
                _ => confirmed,
            }
        };
        say(
            "violation",
            &format!("{}\t{shortest:?}\t{what}\tfrom {line:?}", found.class),
        );
        Ok(())
    }

    fn shortest(&mut self, line: &str, verdict: &Verdict, found: &Violation) -> String {
        if line.len() > 4000 {
            return line.to_owned();
        }
        shrink(line, 300, |shorter| {
            let other = self.subject.judge(shorter, RULES);
            if other.name() != verdict.name() {
                return false;
            }
            if other == Verdict::Panic {
                return true;
            }
            let Ok(outcome) = self.bash.run(shorter) else {
                return false;
            };
            let is_same = self
                .judged(shorter, &other, &outcome)
                .is_some_and(|it| it.class == found.class);
            self.restore().is_ok() && is_same
        })
    }
}

/// What happened, without what differs from run to run.
fn summary(outcome: &Outcome) -> Vec<(Kind, Vec<String>)> {
    let mut summary: Vec<_> = outcome
        .records
        .iter()
        .filter(|record| {
            // Git writes its list of files anew where a file may have changed in the moment of the last one.
            let is_index = record.program == "git" && record.path().starts_with("/w/.git/index");
            let is_counted = !matches!(record.kind, Kind::Limit | Kind::Exec);
            is_counted && !is_index && !record.path().starts_with("/tmp/")
        })
        .map(|record| {
            (
                record.kind,
                record.words.iter().map(|word| masked(word)).collect(),
            )
        })
        .collect();
    summary.sort();
    summary
}

/// Takes away what `sed -i`, `ln -f` and git choose at random in the name of a new file or folder.
fn masked(word: &str) -> String {
    for beginning in ["/sed", "/Cu", "/.git_vtag_tmp", "/tmp_objdir-remerge-diff-"] {
        let Some((folder, rest)) = word.rsplit_once(beginning) else {
            continue;
        };
        let (random, inside) = rest.split_at(rest.find('/').unwrap_or(rest.len()));
        if random.len() == 6 {
            return format!("{folder}{beginning}{inside}");
        }
    }
    word.to_owned()
}
