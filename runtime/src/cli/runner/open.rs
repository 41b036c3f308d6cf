//! Where a conversation is kept.

use clap::{Arg, ArgAction, ArgMatches};

use crate::agent::Conversation;
use crate::agent::session::{About, SessionError};
use crate::cli::app_context::AppContext;
use crate::cli::output;
use crate::cli::session_folder::{self, NoStateFolder};
use crate::transcript::SessionId;

/// Where a conversation is kept.
pub(in crate::cli) enum Kept {
    /// It is not.
    Nowhere,
    /// In a new session.
    InNew,
    /// In the session that was written to last, of those that worked in this folder.
    InLast,
    /// In this session.
    In(SessionId),
}

impl Kept {
    /// Lists the flags that say it.
    pub(in crate::cli) fn arguments() -> [Arg; 3] {
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
    pub(in crate::cli) fn of(matches: &ArgMatches) -> Self {
        let session = matches.get_one::<String>("session");
        match (session, matches.get_flag("continue")) {
            _ if matches.get_flag("no-session") => Self::Nowhere,
            (Some(id), _) => Self::In(id.as_str().into()),
            (None, true) => Self::InLast,
            (None, false) => Self::InNew,
        }
    }
}

/// Says why a conversation could not be opened.
#[derive(Debug, thiserror::Error)]
pub(in crate::cli) enum OpenError {
    #[error("there is no conversation in this folder yet; `{binary} run PROMPT` begins one")]
    None { binary: &'static str },
    #[error("{0}, or record nothing with `--no-session`")]
    Place(#[from] NoStateFolder),
    #[error(transparent)]
    Session(#[from] SessionError),
}

/// Opens a conversation; `None` where it is not kept.
pub(in crate::cli) async fn open(
    app: &AppContext,
    kept: &Kept,
) -> Result<Option<Conversation>, OpenError> {
    let folder = app.shown_root();
    // Nothing of the state folder is touched for what is not kept.
    let sessions = || session_folder::sessions(app.package.name);
    let (sessions, id) = match kept {
        Kept::Nowhere => return Ok(None),
        Kept::InNew => {
            let about = About::new(app.package.name).folder(folder);
            let session = sessions()?.create(about).await?;
            return Ok(Some(Conversation::new(session)));
        }
        Kept::In(id) => (sessions()?, id.clone()),
        Kept::InLast => {
            let sessions = sessions()?;
            let list = sessions.list().await?;
            let here = |folder_of: &Option<String>| folder_of.as_ref() == Some(&folder);
            let last = list.into_iter().find(|summary| here(&summary.folder));
            let binary = app.binary();
            let last = last.ok_or(OpenError::None { binary })?.session;
            (sessions, last)
        }
    };
    let loaded = sessions.load(&id).await?;
    if let Some(repair) = &loaded.repair {
        output::note(&format!("note: {repair}"));
    }
    Ok(Some(Conversation::from(loaded)))
}
