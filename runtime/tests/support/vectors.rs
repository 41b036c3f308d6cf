//! Recorded cases of other systems: reading them, and counting where helve agrees.
//!
//! They stay outside the project: `HELVE_VECTORS` names their folder, and without it nothing runs.

#![allow(dead_code, reason = "each test target uses a part of this")]

use std::collections::BTreeMap;
use std::path::PathBuf;

use serde_json::Value;

/// One recorded case.
pub(crate) struct Case {
    /// The topic and the line, which name the case for good.
    pub(crate) id: String,
    /// The line in its file, from 1.
    pub(crate) line: usize,
    /// The system that it was recorded from.
    pub(crate) system: String,
    /// The function that was called.
    pub(crate) function: String,
    /// What it was called with.
    pub(crate) input: Value,
    /// What it answered.
    pub(crate) expected: Value,
    /// What has to hold, where the answer was wrong.
    pub(crate) required: Option<String>,
    /// The whole line.
    pub(crate) line_value: Value,
}

/// Reads the cases of a topic; `None`, and a line that says so, where there are no vectors.
pub(crate) fn load_topic(name: &str) -> Option<Vec<Case>> {
    let Some(folder) = std::env::var_os("HELVE_VECTORS").map(PathBuf::from) else {
        println!("{name}: nothing ran, because HELVE_VECTORS is not set");
        return None;
    };
    let path = folder.join(format!("{name}.jsonl"));
    let text = match std::fs::read_to_string(&path) {
        Ok(text) => text,
        Err(error) => panic!("{}: {error}", path.display()),
    };
    let cases = text
        .lines()
        .enumerate()
        .map(|(index, line)| parse_case(name, index + 1, line));
    Some(cases.collect())
}

fn parse_case(topic: &str, line: usize, text: &str) -> Case {
    let whole: Value = match serde_json::from_str(text) {
        Ok(whole) => whole,
        Err(error) => panic!("{topic}:{line}: {error}"),
    };
    let word = |key: &str| whole[key].as_str().unwrap_or_default().to_owned();
    Case {
        id: format!("{topic}:{line}"),
        line,
        system: word("system"),
        function: word("fn"),
        input: whole["input"].clone(),
        expected: whole["expected"].clone(),
        required: whole["required"].as_str().map(str::to_owned),
        line_value: whole,
    }
}

/// Counts where helve agrees with the recorded answers of a topic.
pub(crate) struct Tally {
    topic: &'static str,
    agreed: Vec<String>,
    differed: BTreeMap<String, String>,
    denied: Vec<String>,
    laxer: Vec<String>,
}

impl Tally {
    /// Starts at nothing.
    pub(crate) fn new(topic: &'static str) -> Self {
        Self {
            topic,
            agreed: Vec::new(),
            differed: BTreeMap::new(),
            denied: Vec::new(),
            laxer: Vec::new(),
        }
    }

    /// Counts a case that agrees.
    pub(crate) fn agree(&mut self, case: &Case) {
        self.agreed.push(case.id.clone());
    }

    /// Counts a case that differs, with what helve says.
    pub(crate) fn differ(&mut self, case: &Case, found: impl Into<String>) {
        self.differed.insert(case.id.clone(), found.into());
    }

    /// Counts a case that helve denies in every mode, where the other system has nothing stricter than a question: removing
    /// the root or a folder of the system, writing to a disk. That is on purpose, and no difference to be listed.
    pub(crate) fn deny_in_every_mode(&mut self, case: &Case) {
        self.denied.push(case.id.clone());
    }

    /// Counts a case that differs and lets more through: the topic fails, whatever reason is given.
    pub(crate) fn differ_laxer(&mut self, case: &Case, found: impl Into<String>) {
        let found = found.into();
        self.laxer.push(format!("{}: {found}", case.id));
        self.differ(case, found);
    }

    /// Counts a case by whether what helve says is what was recorded.
    pub(crate) fn compare<T: PartialEq + std::fmt::Debug>(
        &mut self,
        case: &Case,
        found: &T,
        expected: &T,
    ) {
        if found == expected {
            self.agree(case);
        } else {
            self.differ(case, format!("{found:?}, recorded was {expected:?}"));
        }
    }

    /// Says how many agree, and fails where the differences are not exactly those that are listed, where they are more
    /// than one in twenty, or where helve lets more through.
    pub(crate) fn finish(self, listed: &[(&str, &str)]) {
        self.finish_with(listed, &[]);
    }

    /// As [`Tally::finish`], with the cases that may be let through although they were not, each with the reason. They
    /// count as neither agreeing nor differing.
    pub(crate) fn finish_with(self, listed: &[(&str, &str)], allowed: &[(&str, &str)]) {
        self.finish_at(listed, allowed, 95);
    }

    /// As [`Tally::finish_with`], where another share than 95 of a hundred has to agree.
    pub(crate) fn finish_at(
        mut self,
        listed: &[(&str, &str)],
        allowed: &[(&str, &str)],
        floor: usize,
    ) {
        for (id, reason) in allowed {
            self.laxer
                .retain(|found| found.split(": ").next() != Some(*id));
            if let Some(found) = self.differed.remove(*id) {
                println!("  {id}: {found}; {reason}");
            }
        }
        let (agreed, all) = (self.agreed.len(), self.agreed.len() + self.differed.len());
        println!("{}: {agreed} of {all} agree", self.topic);
        for id in &self.denied {
            println!("  {id}: denied in every mode, recorded was a question; not counted");
        }
        for (id, found) in &self.differed {
            let reason = listed.iter().find(|(listed, _)| listed == id);
            println!(
                "  {id}: {found}; {}",
                reason.map_or("NOT LISTED", |(_, reason)| reason)
            );
        }
        assert!(
            self.laxer.is_empty(),
            "laxer than recorded: {:#?}",
            self.laxer
        );
        let unlisted: Vec<_> = self
            .differed
            .keys()
            .filter(|id| !listed.iter().any(|(listed, _)| listed == id))
            .collect();
        assert!(
            unlisted.is_empty(),
            "{}: differ and are not listed: {unlisted:?}",
            self.topic
        );
        let settled: Vec<_> = listed
            .iter()
            .filter(|(id, _)| self.agreed.iter().any(|agreed| agreed == id))
            .collect();
        assert!(
            settled.is_empty(),
            "{}: listed, and agree: {settled:?}",
            self.topic
        );
        assert!(
            agreed * 100 >= all * floor,
            "{}: only {agreed} of {all} agree",
            self.topic
        );
    }
}
