//! The session of a conversation: whether it is recorded, and in which session.

use clap::{Arg, ArgMatches};

use crate::app_context::AppContext;
use crate::args;
use crate::session_folder::{self, NoStateFolder};
use helve_agent::Conversation;
use helve_agent::session::{SessionError, SessionMetadata};
use helve_core::transcript::SessionId;
use helve_terminal::output;

/// The session that records a conversation.
pub(crate) enum SessionChoice {
    /// No session: the conversation is not recorded.
    Unrecorded,
    New,
    /// The most recent session of this folder.
    Last,
    Existing(SessionId),
}

impl SessionChoice {
    pub(crate) fn arguments() -> [Arg; 3] {
        let session = args::option(
            "session",
            "ID",
            "Continue this session [default: a new session]",
        );
        let last = args::flag(
            "continue",
            "Continue the most recent session of this folder",
        );
        let unrecorded = args::flag(
            "no-session",
            "Do not record a session; an interrupted turn cannot be resumed",
        );
        [
            session.visible_alias("resume"),
            last.short('c').conflicts_with("session"),
            unrecorded.conflicts_with_all(["session", "continue"]),
        ]
    }

    pub(crate) fn from_flags(matches: &ArgMatches) -> Self {
        let session = matches.get_one::<String>("session");
        match (session, matches.get_flag("continue")) {
            _ if matches.get_flag("no-session") => Self::Unrecorded,
            (Some(id), _) => Self::Existing(id.as_str().into()),
            (None, true) => Self::Last,
            (None, false) => Self::New,
        }
    }
}

/// The reason why a session could not be opened.
#[derive(Debug, thiserror::Error)]
pub(crate) enum OpenError {
    #[error("no session was found for this folder\nhelp: start one with `{binary} run PROMPT`")]
    NoSession { binary: &'static str },
    #[error("{0}, or use `--no-session`")]
    StateFolder(#[from] NoStateFolder),
    #[error(transparent)]
    Session(#[from] SessionError),
}

/// Opens a session; `None` if the conversation is not recorded.
pub(crate) async fn open_conversation(
    app: &AppContext,
    choice: &SessionChoice,
) -> Result<Option<Conversation>, OpenError> {
    let folder = app.folder_text();
    // The state folder is not accessed for an unrecorded conversation.
    let sessions = || session_folder::sessions(app.package.name);
    let (sessions, id) = match choice {
        SessionChoice::Unrecorded => return Ok(None),
        SessionChoice::New => {
            let about = SessionMetadata::new(app.package.name)
                .folder(folder)
                .principal(app.principal());
            let session = sessions()?.create(about).await?;
            return Ok(Some(Conversation::new(session)));
        }
        SessionChoice::Existing(id) => (sessions()?, id.clone()),
        SessionChoice::Last => {
            let sessions = sessions()?;
            let list = sessions.list().await?;
            let here = |folder_of: &Option<String>| folder_of.as_ref() == Some(&folder);
            let mut conversations = list.into_iter().filter(|summary| summary.job.is_none());
            let last = conversations.find(|summary| here(&summary.folder));
            let binary = app.binary();
            let last = last.ok_or(OpenError::NoSession { binary })?.session;
            (sessions, last)
        }
    };
    let loaded = sessions.load(&id).await?;
    if let Some(repair) = &loaded.repair {
        output::note(&format!("note: {repair}"));
    }
    Ok(Some(Conversation::from(loaded)))
}
