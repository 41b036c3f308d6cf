//! The rule files of a session.

use std::io;
use std::path::Path;

use super::rule_file::RuleFileContents;
use super::{Decision, Rule, RuleFile, RuleFileError, RuleScope, Rules, UnacceptedRules};
use crate::acceptances::{
    Acceptance, AcceptanceContent, AcceptanceError, AcceptanceKind, AcceptanceState,
    AcceptanceSubject, Acceptances, ContentEntry, Difference, EntryKind,
};

/// The rule files of a session.
///
/// All rules of the user's file apply. A project's file may come from an untrusted source: its ask and deny rules
/// apply, and its allow rules apply only while the content of the file is, byte for byte, the content that the user
/// [accepted](Self::accept).
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct RuleFiles {
    files: Vec<RuleFile>,
    acceptances: Acceptances,
}

/// The rules that are in force, and the unaccepted ones that are not.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
#[non_exhaustive]
pub struct LoadedRules {
    /// The rules that are in force.
    pub rules: Rules,
    /// The allow rules that the user has not accepted, to be reported to the user.
    pub not_in_force: Option<UnacceptedRules>,
}

impl RuleFiles {
    /// Returns the rule files of a project and of the user, with the user's acceptances.
    #[must_use]
    pub fn for_project(project: &Path) -> Self {
        let files = [Some(RuleFile::for_project(project)), RuleFile::for_user()];
        Self::new(files.into_iter().flatten())
            .with_acceptances(Acceptances::for_user().unwrap_or_default())
    }

    /// Creates a set of rule files: at most one for each scope, each in a folder of its own. No rules of the files are
    /// accepted.
    pub fn new(files: impl IntoIterator<Item = RuleFile>) -> Self {
        let files = files.into_iter().collect();
        Self {
            files,
            ..Self::default()
        }
    }

    /// Sets the store of acceptances.
    #[must_use]
    pub fn with_acceptances(mut self, acceptances: Acceptances) -> Self {
        self.acceptances = acceptances;
        self
    }

    /// Returns the rule files.
    #[must_use]
    pub fn files(&self) -> &[RuleFile] {
        &self.files
    }

    /// Reads the rules of all files.
    ///
    /// # Errors
    ///
    /// Returns the errors of [`load_from`](Self::load_from), for the first file that fails.
    pub fn load(&self) -> Result<LoadedRules, RuleFileError> {
        let mut all = LoadedRules::default();
        for file in &self.files {
            let loaded = self.without_unaccepted(file, file.read()?)?;
            all.rules.extend(loaded.rules);
            all.not_in_force = all.not_in_force.or(loaded.not_in_force);
        }
        Ok(all)
    }

    /// Reads the rules of one file.
    ///
    /// # Errors
    ///
    /// Returns the errors of [`RuleFile::read_rules`], and an error if there is no file of that scope or the
    /// acceptances cannot be read.
    pub fn load_from(&self, scope: RuleScope) -> Result<LoadedRules, RuleFileError> {
        let file = self.file(scope)?;
        self.without_unaccepted(file, file.read()?)
    }

    /// Adds rules, without duplicates. The acceptance of the file is renewed if it was valid, or if nothing needed
    /// acceptance; otherwise the returned value contains the rules that are not in force.
    ///
    /// # Errors
    ///
    /// Returns the errors of [`load_from`](Self::load_from), and an error if the file cannot be written.
    pub fn add(
        &self,
        scope: RuleScope,
        rules: Rules,
    ) -> Result<Option<UnacceptedRules>, RuleFileError> {
        let ((), after) = self.change(self.file(scope)?, |own| own.extend(rules))?;
        Ok(after.not_in_force)
    }

    /// Removes a rule, and returns the number of lists that contained the rule. The acceptance of the file is renewed
    /// if it was valid.
    ///
    /// # Errors
    ///
    /// Returns the errors of [`add`](Self::add).
    pub fn remove(&self, scope: RuleScope, rule: &Rule) -> Result<usize, RuleFileError> {
        let file = self.file(scope)?;
        if !file.path().exists() {
            return Ok(0);
        }
        let (removed, _) = self.change(file, |own| own.remove(rule))?;
        Ok(removed)
    }

    /// Compares the allow rules of the project's file with the accepted ones; returns `None` if the file has no allow
    /// rules.
    ///
    /// # Errors
    ///
    /// Returns the errors of [`load_from`](Self::load_from), and an error if the path of the project cannot be
    /// recorded.
    pub fn difference(&self) -> Result<Option<Difference>, RuleFileError> {
        let file = self.file(RuleScope::Project)?;
        let written = file.read()?;
        if written.rules.allow.is_empty() {
            return Ok(None);
        }
        let (subject, content) = (acceptance_subject(file)?, acceptance_content(&written));
        Ok(Some(self.acceptances.read()?.difference(subject, content)))
    }

    /// Accepts the shown content of the project's file. Changes since then are not accepted.
    ///
    /// # Errors
    ///
    /// Returns an error if the acceptance cannot be recorded.
    pub fn accept(&self, shown: &Difference) -> Result<(), RuleFileError> {
        Ok(self.acceptances.accept(shown)?)
    }

    /// Returns the acceptance subject of the project's file.
    #[doc(hidden)]
    pub fn subject(&self) -> Result<AcceptanceSubject, AcceptanceError> {
        let file = self.file(RuleScope::Project);
        acceptance_subject(file.map_err(|_| AcceptanceError::NoStorage)?)
    }

    /// Revokes the acceptance of the project's file, and reports whether there was one.
    ///
    /// # Errors
    ///
    /// Returns the errors of [`accept`](Self::accept), and an error if the path of the project cannot be recorded.
    pub fn revoke(&self) -> Result<bool, RuleFileError> {
        let subject = acceptance_subject(self.file(RuleScope::Project)?)?;
        let is_of_file = |acceptance: &Acceptance| acceptance.matches(&subject);
        Ok(!self.acceptances.revoke(is_of_file)?.is_empty())
    }

    /// Writes the rules of a decision to the file of their scope. Rules for the session alone are not written. Returns
    /// the value of [`add`](Self::add) for allow rules.
    ///
    /// Disk access runs on a thread where blocking is allowed.
    ///
    /// # Errors
    ///
    /// Returns the errors of [`add`](Self::add).
    pub async fn save_decision(
        &self,
        decision: &Decision,
    ) -> Result<Option<UnacceptedRules>, RuleFileError> {
        let scope = decision.scope().unwrap_or_default();
        let rules = Rules::from_decision(decision);
        if scope == RuleScope::Session || rules.is_empty() {
            return Ok(None);
        }
        let file = self.file(scope)?.clone();
        let (files, allows) = (self.clone(), !rules.allow.is_empty());
        let added = tokio::task::spawn_blocking(move || files.add(scope, rules)).await;
        let added = added.unwrap_or_else(|_| {
            let source = io::Error::other("the thread that wrote it panicked");
            Err(file.write_error(source))
        });
        Ok(added?.filter(|_| allows))
    }

    fn file(&self, scope: RuleScope) -> Result<&RuleFile, RuleFileError> {
        let file = self.files.iter().find(|file| file.scope() == scope);
        file.ok_or(RuleFileError::NoFile { scope })
    }

    /// Removes the rules that are not in force from the rules of a file.
    fn without_unaccepted(
        &self,
        file: &RuleFile,
        written: RuleFileContents,
    ) -> Result<LoadedRules, RuleFileError> {
        let mut state = AcceptanceState::Accepted;
        if needs_acceptance(file, &written) {
            let (subject, content) = (acceptance_subject(file), acceptance_content(&written));
            state = self.acceptances.state(subject, &content)?;
        }
        let mut loaded = LoadedRules {
            rules: written.rules,
            not_in_force: None,
        };
        if state != AcceptanceState::Accepted {
            let allow = std::mem::take(&mut loaded.rules.allow);
            loaded.not_in_force = Some(UnacceptedRules::new(file.path(), allow, state));
        }
        Ok(loaded)
    }

    /// Reads, changes and replaces a file under the lock between processes.
    fn change<T>(
        &self,
        file: &RuleFile,
        change: impl FnOnce(&mut Rules) -> T,
    ) -> Result<(T, LoadedRules), RuleFileError> {
        let lock = file.lock()?;
        let written = file.read()?;
        let mut rules = written.rules.clone();
        let changed = change(&mut rules);
        let is_new = rules != written.rules;
        let before = self.without_unaccepted(file, written)?;
        if !is_new {
            return Ok((changed, before));
        }
        let written = file.replace(&lock, rules)?;
        // An answer to a question accepts the new rule, and not the unaccepted rules of the file.
        let was_sound = before.not_in_force.is_none();
        if was_sound && needs_acceptance(file, &written) && self.acceptances.is_available() {
            let (subject, content) = (acceptance_subject(file)?, acceptance_content(&written));
            self.acceptances.record(&subject, &content)?;
        }
        Ok((changed, self.without_unaccepted(file, written)?))
    }
}

/// Reports whether a file contains allow rules that apply only after the user has accepted the file.
fn needs_acceptance(file: &RuleFile, written: &RuleFileContents) -> bool {
    file.scope() != RuleScope::User && !written.rules.allow.is_empty()
}

/// Returns the acceptance subject of a project's file, which lies in a folder of the project.
fn acceptance_subject(file: &RuleFile) -> Result<AcceptanceSubject, AcceptanceError> {
    AcceptanceSubject::from_file(AcceptanceKind::RuleFile, file.path(), 2)
}

/// Returns the content of a file that needs an acceptance.
fn acceptance_content(written: &RuleFileContents) -> AcceptanceContent {
    let allowed = written.rules.allow.iter();
    let entries = allowed.map(|rule| ContentEntry::from_name(EntryKind::Rule, rule.to_string()));
    AcceptanceContent::from_bytes(&written.content, entries)
}
