//! Where a conversation is kept.

use crate::agent::Conversation;
use crate::agent::session::{About, SessionError, Sessions};
use crate::cli::assembly::Assembly;
use crate::cli::output;
use crate::transcript::SessionId;

/// Where a conversation is kept.
pub(super) enum Kept {
    /// It is not.
    Nowhere,
    /// In a new session.
    InNew,
    /// In the session that was written to last, of those that worked in this folder.
    InLast,
    /// In this session.
    In(SessionId),
}

/// Says why a conversation could not be opened.
#[derive(Debug, thiserror::Error)]
pub(super) enum OpenError {
    #[error("there is no conversation in this folder yet; `{binary} run PROMPT` begins one")]
    None { binary: &'static str },
    #[error(transparent)]
    Session(#[from] SessionError),
}

/// Opens a conversation; `None` where it is not kept.
pub(super) async fn open(
    assembly: &Assembly,
    sessions: &Sessions,
    kept: &Kept,
) -> Result<Option<Conversation>, OpenError> {
    let folder = assembly.shown_root();
    let id = match kept {
        Kept::Nowhere => return Ok(None),
        Kept::InNew => {
            let about = About::new(assembly.package.name).folder(folder);
            let session = sessions.create(about).await?;
            return Ok(Some(Conversation::new(session)));
        }
        Kept::In(id) => id.clone(),
        Kept::InLast => {
            let list = sessions.list().await?;
            let here = |folder_of: &Option<String>| folder_of.as_ref() == Some(&folder);
            let last = list.into_iter().find(|summary| here(&summary.folder));
            let binary = assembly.binary();
            last.ok_or(OpenError::None { binary })?.session
        }
    };
    let loaded = sessions.load(&id).await?;
    if let Some(repair) = &loaded.repair {
        output::note(&format!("note: {repair}"));
    }
    Ok(Some(Conversation::from(loaded)))
}
