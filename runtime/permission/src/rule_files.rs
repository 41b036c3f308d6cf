//! The files of rules that a session works with.

use std::io;
use std::path::Path;

use super::rule_file::RuleFileContents;
use super::{Decision, Rule, RuleFile, RuleFileError, RuleScope, Rules, UnacceptedRules};
use crate::acceptances::{
    Acceptance, AcceptanceContent, AcceptanceError, AcceptanceKind, AcceptanceState,
    AcceptanceSubject, Acceptances, ContentEntry, Difference, EntryKind,
};

/// The files of rules that a session works with.
///
/// What the user's file says holds. What a project's file says may come from anybody: its rules that ask or deny hold,
/// and those that allow hold only while the file says, to the byte, what the user [accepted](Self::accept).
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct RuleFiles {
    files: Vec<RuleFile>,
    acceptances: Acceptances,
}

/// The rules that are in force, and those that are not.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
#[non_exhaustive]
pub struct LoadedRules {
    /// The rules that are in force.
    pub rules: Rules,
    /// What the user should know of: rules that allow, which they have not accepted.
    pub not_in_force: Option<UnacceptedRules>,
}

impl RuleFiles {
    /// Names the file of a project and that of the user, with what the user has accepted.
    #[must_use]
    pub fn for_project(project: &Path) -> Self {
        let files = [Some(RuleFile::for_project(project)), RuleFile::for_user()];
        Self::new(files.into_iter().flatten())
            .with_acceptances(Acceptances::for_user().unwrap_or_default())
    }

    /// Names the files, at most one a scope, each in a folder of its own. Nothing of them is accepted.
    pub fn new(files: impl IntoIterator<Item = RuleFile>) -> Self {
        let files = files.into_iter().collect();
        Self {
            files,
            ..Self::default()
        }
    }

    /// Sets where it is kept what the user has accepted.
    #[must_use]
    pub fn with_acceptances(mut self, acceptances: Acceptances) -> Self {
        self.acceptances = acceptances;
        self
    }

    /// Returns the files.
    #[must_use]
    pub fn files(&self) -> &[RuleFile] {
        &self.files
    }

    /// Reads all rules.
    ///
    /// # Errors
    ///
    /// As [`load_from`](Self::load_from), for the first file that fails.
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
    /// As [`RuleFile::read_rules`], where there is no file of that scope, and where nothing can be read of what was accepted.
    pub fn load_from(&self, scope: RuleScope) -> Result<LoadedRules, RuleFileError> {
        let file = self.file(scope)?;
        self.without_unaccepted(file, file.read()?)
    }

    /// Adds rules, each once. An acceptance of the file is renewed where it held, or where there was nothing to accept;
    /// the answer says what is not in force otherwise.
    ///
    /// # Errors
    ///
    /// As [`load_from`](Self::load_from), and where the file cannot be written.
    pub fn add(
        &self,
        scope: RuleScope,
        rules: Rules,
    ) -> Result<Option<UnacceptedRules>, RuleFileError> {
        let ((), after) = self.change(self.file(scope)?, |own| own.extend(rules))?;
        Ok(after.not_in_force)
    }

    /// Removes a rule, and says in how many of the lists it stood. An acceptance of the file is renewed where it held.
    ///
    /// # Errors
    ///
    /// As [`add`](Self::add).
    pub fn remove(&self, scope: RuleScope, rule: &Rule) -> Result<usize, RuleFileError> {
        let file = self.file(scope)?;
        if !file.path().exists() {
            return Ok(0);
        }
        let (removed, _) = self.change(file, |own| own.remove(rule))?;
        Ok(removed)
    }

    /// Compares what the project's file allows with what the user accepted; `None` where it allows nothing.
    ///
    /// # Errors
    ///
    /// As [`load_from`](Self::load_from), and where the project has no path that can be recorded.
    pub fn difference(&self) -> Result<Option<Difference>, RuleFileError> {
        let file = self.file(RuleScope::Project)?;
        let written = file.read()?;
        if written.rules.allow.is_empty() {
            return Ok(None);
        }
        let (subject, content) = (acceptance_subject(file)?, acceptance_content(&written));
        Ok(Some(self.acceptances.read()?.difference(subject, content)))
    }

    /// Accepts what was shown of the project's file, and nothing that it says since then.
    ///
    /// # Errors
    ///
    /// Fails where it cannot be recorded.
    pub fn accept(&self, shown: &Difference) -> Result<(), RuleFileError> {
        Ok(self.acceptances.accept(shown)?)
    }

    /// Names the project's file.
    #[doc(hidden)]
    pub fn subject(&self) -> Result<AcceptanceSubject, AcceptanceError> {
        let file = self.file(RuleScope::Project);
        acceptance_subject(file.map_err(|_| AcceptanceError::NoStorage)?)
    }

    /// Revokes the acceptance of the project's file, and reports whether there was one.
    ///
    /// # Errors
    ///
    /// As [`accept`](Self::accept), and where the project has no path that can be recorded.
    pub fn revoke(&self) -> Result<bool, RuleFileError> {
        let subject = acceptance_subject(self.file(RuleScope::Project)?)?;
        let is_of_file = |acceptance: &Acceptance| acceptance.matches(&subject);
        Ok(!self.acceptances.revoke(is_of_file)?.is_empty())
    }

    /// Writes the rules of an answer to the file of their scope; what is for the session alone is written nowhere. The
    /// answer is that of [`add`](Self::add), where the rules allow something.
    ///
    /// The disk is waited for on a thread where that is allowed.
    ///
    /// # Errors
    ///
    /// As [`add`](Self::add).
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

    /// Takes out what is not in force of what a file says.
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

    /// Reads, changes and replaces a file while no other process does the same.
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
        // An answer to a question accepts the rule that it gives, not unaccepted rules of the file.
        let was_sound = before.not_in_force.is_none();
        if was_sound && needs_acceptance(file, &written) && self.acceptances.is_available() {
            let (subject, content) = (acceptance_subject(file)?, acceptance_content(&written));
            self.acceptances.record(&subject, &content)?;
        }
        Ok((changed, self.without_unaccepted(file, written)?))
    }
}

/// Reports whether a file allows something that only holds where the user has accepted it.
fn needs_acceptance(file: &RuleFile, written: &RuleFileContents) -> bool {
    file.scope() != RuleScope::User && !written.rules.allow.is_empty()
}

/// Names the file of a project, which lies in a folder of it.
fn acceptance_subject(file: &RuleFile) -> Result<AcceptanceSubject, AcceptanceError> {
    AcceptanceSubject::from_file(AcceptanceKind::RuleFile, file.path(), 2)
}

/// Takes down what a file allows.
fn acceptance_content(written: &RuleFileContents) -> AcceptanceContent {
    let allowed = written.rules.allow.iter();
    let entries = allowed.map(|rule| ContentEntry::from_name(EntryKind::Rule, rule.to_string()));
    AcceptanceContent::from_bytes(&written.content, entries)
}
