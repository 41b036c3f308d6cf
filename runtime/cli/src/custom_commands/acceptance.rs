//! The acceptance of the commands of a project.

use std::path::Path;

use super::{CommandScope, CustomCommand, CustomCommands};
use helve_permission::acceptances::{
    AcceptanceContent, AcceptanceError, AcceptanceKind, AcceptanceState, AcceptanceSubject,
    Acceptances, ContentEntry, Difference, EntryKind,
};

/// Compares the commands of the project around a folder with what the user accepted.
pub(crate) fn differences(
    folder: &Path,
    acceptances: &Acceptances,
) -> Result<Vec<Difference>, AcceptanceError> {
    let commands = CustomCommands::read(folder);
    let ours = commands
        .commands
        .iter()
        .filter(|command| command.is_of_project());
    ours.map(|command| command.difference(acceptances))
        .collect()
}

/// Lists the subjects of the commands of the project around a folder.
pub(crate) fn subjects(folder: &Path) -> Vec<Result<AcceptanceSubject, AcceptanceError>> {
    let commands = CustomCommands::read(folder);
    let ours = commands
        .commands
        .iter()
        .filter(|command| command.is_of_project());
    ours.map(CustomCommand::subject).collect()
}

impl CustomCommand {
    pub(super) fn is_of_project(&self) -> bool {
        self.scope == CommandScope::Project
    }

    /// Returns whether the user has accepted the text of the command. The user's own commands need no acceptance.
    pub(crate) fn state(
        &self,
        acceptances: &Acceptances,
    ) -> Result<AcceptanceState, AcceptanceError> {
        if !self.is_of_project() {
            return Ok(AcceptanceState::Accepted);
        }
        acceptances.state(self.subject(), &self.content())
    }

    pub(super) fn difference(
        &self,
        acceptances: &Acceptances,
    ) -> Result<Difference, AcceptanceError> {
        let accepted = acceptances.read()?;
        Ok(accepted.difference(self.subject()?, self.content()))
    }

    fn subject(&self) -> Result<AcceptanceSubject, AcceptanceError> {
        AcceptanceSubject::from_file(AcceptanceKind::CommandFile, &self.path, self.levels)
    }

    fn content(&self) -> AcceptanceContent {
        let entry = ContentEntry::with_text(EntryKind::Command, &*self.stem, &self.text);
        AcceptanceContent::from_bytes(self.text.as_bytes(), [entry])
    }
}
