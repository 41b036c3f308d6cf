//! A session as one document: Markdown, JSON, HTML or plain text.

use helve_agent::session::{ExportFormat, SessionError, Sessions};
use helve_core::transcript::SessionId;
#[cfg(feature = "chat")]
use helve_markdown::{html, plain};

/// The format of a document.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum DocumentFormat {
    Markdown,
    Json,
    /// A page that contains everything that it shows, and loads nothing.
    #[cfg(feature = "chat")]
    Html,
    #[cfg(feature = "chat")]
    Text,
}

impl DocumentFormat {
    /// The formats, with their names and the extensions of their files.
    const ALL: &[(Self, &'static str, &'static [&'static str])] = &[
        (Self::Markdown, "markdown", &["md"]),
        (Self::Json, "json", &["json"]),
        #[cfg(feature = "chat")]
        (Self::Html, "html", &["html", "htm"]),
        #[cfg(feature = "chat")]
        (Self::Text, "text", &["txt"]),
    ];

    pub(crate) fn names() -> impl Iterator<Item = &'static str> {
        Self::ALL.iter().map(|(_, name, _)| *name)
    }

    pub(crate) fn from_name(name: &str) -> Option<Self> {
        let found = Self::ALL.iter().find(|(_, own, _)| *own == name);
        found.map(|(format, _, _)| *format)
    }

    /// Returns the format of a file by its extension; Markdown if the extension says nothing.
    pub(crate) fn of_file(name: &str) -> Self {
        let extension = name.rsplit_once('.').map_or("", |(_, extension)| extension);
        let extension = extension.to_ascii_lowercase();
        let found = Self::ALL
            .iter()
            .find(|(_, _, own)| own.contains(&&*extension));
        found.map_or(Self::Markdown, |(format, _, _)| *format)
    }

    /// Exports a session in this format.
    pub(crate) async fn export(
        self,
        sessions: &Sessions,
        id: &SessionId,
    ) -> Result<String, SessionError> {
        let markdown = || sessions.export(id, ExportFormat::Markdown);
        match self {
            Self::Markdown => markdown().await,
            Self::Json => sessions.export(id, ExportFormat::Json).await,
            #[cfg(feature = "chat")]
            Self::Html => Ok(html::page(&format!("Session {id}"), &markdown().await?)),
            #[cfg(feature = "chat")]
            Self::Text => Ok(plain::render(&markdown().await?)),
        }
    }
}
