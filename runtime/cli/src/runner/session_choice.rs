//! The session of a conversation: whether it is recorded, and in which session.

use clap::{Arg, ArgAction, ArgMatches};

use crate::app_context::AppContext;
use crate::output;
use crate::session_folder::{self, NoStateFolder};
use helve_agent::Conversation;
use helve_agent::session::{SessionError, SessionMetadata};
use helve_core::transcript::SessionId;

/// The session that records a conversation.
pub(crate) enum SessionChoice {
    /// None: the conversation is not recorded.
    Unrecorded,
    /// A new session.
    New,
    /// Of the sessions of this folder, the one that was written to last.
    Last,
    /// The session of this name.
    Existing(SessionId),
}

impl SessionChoice {
    /// Lists the flags that say it.
    pub(crate) fn arguments() -> [Arg; 3] {
        let session = Arg::new("session")
            .long("session")
            .visible_alias("resume")
            .value_name("ID")
            .help("Go on with this conversation [default: a new one]");
        let last = Arg::new("continue")
            .long("continue")
            .action(ArgAction::SetTrue)
            .conflicts_with("session")
            .help("Go on with the conversation that was had last in this folder");
        let unrecorded = Arg::new("no-session")
            .long("no-session")
            .action(ArgAction::SetTrue)
            .conflicts_with_all(["session", "continue"])
            .help("Record nothing: what is cut off cannot be gone on with");
        [session, last, unrecorded]
    }

    /// Reads those flags.
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

/// Says why a conversation could not be opened.
#[derive(Debug, thiserror::Error)]
pub(crate) enum OpenError {
    #[error("there is no conversation in this folder yet; `{binary} run PROMPT` begins one")]
    NoSession { binary: &'static str },
    #[error("{0}, or record nothing with `--no-session`")]
    StateFolder(#[from] NoStateFolder),
    #[error(transparent)]
    Session(#[from] SessionError),
}

/// Opens a conversation; `NoSession` where it is not kept.
pub(crate) async fn open_conversation(
    app: &AppContext,
    choice: &SessionChoice,
) -> Result<Option<Conversation>, OpenError> {
    let folder = app.folder_text();
    // Nothing of the state folder is touched for what is not kept.
    let sessions = || session_folder::sessions(app.package.name);
    let (sessions, id) = match choice {
        SessionChoice::Unrecorded => return Ok(None),
        SessionChoice::New => {
            let about = SessionMetadata::new(app.package.name).folder(folder);
            let session = sessions()?.create(about).await?;
            return Ok(Some(Conversation::new(session)));
        }
        SessionChoice::Existing(id) => (sessions()?, id.clone()),
        SessionChoice::Last => {
            let sessions = sessions()?;
            let list = sessions.list().await?;
            let here = |folder_of: &Option<String>| folder_of.as_ref() == Some(&folder);
            let last = list.into_iter().find(|summary| here(&summary.folder));
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
