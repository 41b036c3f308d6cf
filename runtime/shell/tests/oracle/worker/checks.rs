//! What has to be shown beside the lines of chance: that the oracle sees and finds, that every entry of the specs is run,
//! that harmless lines are allowed and attacks are attacks.

use std::io;
use std::path::Path;

use super::{THOROUGH, Task, Worker};
use crate::generate::{CLASSES, Generator, Line, Specs, kinds};
use crate::log::Kind;
use crate::report::say;
use crate::stage::FAKES;
use crate::subject::Verdict;

/// How many attacks of each class a worker makes.
const ATTACKS: usize = 16;

impl Worker {
    /// Checks that the recorder sees what it has to see.
    pub(super) fn examine_itself(&mut self) -> io::Result<()> {
        let lines: [(&str, Kind); 11] = [
            ("touch pwn", Kind::Start),
            ("touch pwn", Kind::Write),
            ("rm -rf src", Kind::Remove),
            ("echo x >pwn", Kind::Write),
            ("mkdir pwn", Kind::Make),
            ("mv a.txt pwn", Kind::Rename),
            ("chmod 600 a.txt", Kind::Meta),
            ("cat </dev/tcp/127.0.0.1/80", Kind::Network),
            ("env -i ./bare.sh", Kind::Start),
            ("echo x 2<a.txt >/dev/stderr", Kind::Write),
            ("cat ~/.ssh/id", Kind::Read),
        ];
        for (line, kind) in lines {
            let outcome = self.bash.run(line)?;
            self.restore()?;
            if !outcome.records.iter().any(|record| record.kind == kind) {
                let why = format!("the recorder does not see {kind:?} of {line:?}: {outcome:?}");
                return Err(io::Error::other(why));
            }
        }
        Ok(())
    }

    /// Shows that wrong verdicts are found: those of the analysis that has no proof, about here-documents, comments behind
    /// joined lines, and commands that do more than they seem to.
    pub(super) fn prove_itself(&mut self, generator: &mut Generator) -> io::Result<()> {
        let named = |name: &str| kinds().position(|other| other == name);
        let families = [
            ("here-documents", named("here-document")),
            ("comments behind joined lines", named("arithmetic")),
            ("programs that only seem to read", None),
        ];
        self.subject.trusts_without_proof = true;
        for (family, construct) in families {
            let mut found = None;
            for _ in 0..8000 {
                let line = match construct {
                    Some(construct) => generator.hostile_of(construct),
                    None => generator.hostile_command(),
                };
                // A family is about its own fault.
                let is_own = match construct {
                    Some(_) if family == "here-documents" => true,
                    Some(_) => line.text.contains("\\\n#"),
                    None => true,
                };
                if !is_own || self.subject.judge(&line.text, &[]) != Verdict::ReadOnly {
                    continue;
                }
                let outcome = self.bash.run(&line.text)?;
                self.restore()?;
                if let Some(violation) = self.judged(&line.text, &Verdict::ReadOnly, &outcome) {
                    found = Some((line.text, violation.what));
                    break;
                }
            }
            match found {
                Some((line, what)) => say("proves itself", &format!("{family}: {line:?}: {what}")),
                None => {
                    self.report.add("violations", 1);
                    say(
                        "violation",
                        &format!(
                            "the oracle found nothing wrong with {family} in the analysis without a proof"
                        ),
                    );
                }
            }
        }
        self.subject.trusts_without_proof = false;
        Ok(())
    }

    /// Runs a line for every entry of the specs, or all that there are where many lines are asked for.
    pub(super) fn specs(&mut self, specs: &Specs, task: &Task) -> io::Result<()> {
        let (own, of) = task.share;
        for index in (own..specs.entries.len()).step_by(of) {
            let program = specs.entries[index].program.split(' ').next().unwrap_or("");
            self.report.add("specs", 1);
            if !is_here(program) {
                self.report.add(&format!("not installed {program}"), 1);
                continue;
            }
            let before = self.report.count("executed");
            for line in specs.lines(index) {
                self.line(&line)?;
                if task.lines < THOROUGH && self.report.count("executed") > before {
                    break;
                }
            }
            if self.report.count("executed") > before {
                self.report.add("specs covered", 1);
            } else if specs.acts(index) {
                self.report.add("specs refused", 1);
            } else {
                self.report.add("specs not covered", 1);
                say(
                    "not covered",
                    &format!(
                        "{} ({}): {:?}",
                        specs.name(index),
                        specs.entries[index].kind,
                        specs.lines(index).first().map(|line| &*line.text)
                    ),
                );
            }
        }
        Ok(())
    }

    /// How much of what is harmless is allowed.
    pub(super) fn floors(&mut self, generator: &mut Generator) -> io::Result<()> {
        for text in generator.everyday().to_vec() {
            let line = Line {
                text,
                kind: "everyday",
            };
            self.harmless(&line)?;
        }
        for kind in 0..kinds().count() {
            for _ in 0..100 {
                let line = generator.harmless(kind);
                self.harmless(&line)?;
            }
        }
        Ok(())
    }

    /// Runs the samples of programs that no table of options covers.
    pub(super) fn samples(&mut self, task: &Task) -> io::Result<()> {
        let (own, of) = task.share;
        for (program, sample) in helve_shell::testing::samples().skip(own).step_by(of) {
            self.report.add("specs", 1);
            let first = sample.split(' ').next().unwrap_or_default();
            let is_staged = if first.starts_with('/') {
                Path::new(first).is_file()
            } else {
                is_here(program)
            };
            if !is_staged {
                self.report.add(&format!("not installed {program}"), 1);
                continue;
            }
            let before = self.report.count("executed read-only");
            self.line(&Line {
                text: sample.clone(),
                kind: "spec",
            })?;
            if self.report.count("executed read-only") > before {
                self.report.add("specs covered", 1);
            } else {
                self.report.add("specs not covered", 1);
                say("not covered", &sample);
            }
        }
        Ok(())
    }

    /// Judges attacks, and runs them whatever was said of them: what does nothing attacks nothing.
    pub(super) fn attacks(&mut self, generator: &mut Generator) -> io::Result<()> {
        for (index, class) in CLASSES.iter().enumerate() {
            for _ in 0..ATTACKS {
                let line = generator.attack(index);
                self.line(&line)?;
                let outcome = self.bash.run(&line.text)?;
                self.restore()?;
                let has_acted = self
                    .judged(&line.text, &Verdict::ReadOnly, &outcome)
                    .is_some();
                self.report.add(&format!("attacks {}", class.name), 1);
                if has_acted {
                    self.report
                        .add(&format!("acting attacks {}", class.name), 1);
                } else {
                    say("idle attack", &format!("{}: {:?}", class.name, line.text));
                }
            }
        }
        Ok(())
    }
}

/// Reports whether a program is the real one: bash's own, or a program of the machine.
fn is_here(program: &str) -> bool {
    const BUILTINS: &[&str] = &[
        ":", "alias", "bg", "bind", "break", "builtin", "caller", "cd", "command", "compgen",
        "continue", "declare", "dirs", "disown", "exit", "export", "fg", "getopts", "hash", "help",
        "history", "jobs", "let", "local", "mapfile", "popd", "pushd", "read", "readonly",
        "return", "set", "shift", "shopt", "times", "type", "typeset", "ulimit", "umask",
        "unalias", "unset", "wait", "exec", "eval",
    ];
    let path = Path::new("/usr/bin").join(program);
    BUILTINS.contains(&program) || (path.is_file() && !FAKES.contains(&program))
}
