//! The methods of requests.

/// The method of a request.
#[helve::data]
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
#[serde(rename_all = "UPPERCASE")]
pub enum HttpMethod {
    /// Reads.
    #[default]
    Get,
    /// Reads the headers alone.
    Head,
    /// Asks what may be done.
    Options,
    /// Creates, or does what the service says.
    Post,
    /// Replaces.
    Put,
    /// Changes a part.
    Patch,
    /// Removes.
    Delete,
}

impl HttpMethod {
    pub(crate) const ALL: [Self; 7] = [
        Self::Get,
        Self::Head,
        Self::Options,
        Self::Post,
        Self::Put,
        Self::Patch,
        Self::Delete,
    ];

    pub(crate) fn as_str(self) -> &'static str {
        match self {
            Self::Get => "GET",
            Self::Head => "HEAD",
            Self::Options => "OPTIONS",
            Self::Post => "POST",
            Self::Put => "PUT",
            Self::Patch => "PATCH",
            Self::Delete => "DELETE",
        }
    }

    pub(crate) fn is_named(self, name: &str) -> bool {
        name == "*" || name.eq_ignore_ascii_case(self.as_str())
    }

    pub(crate) fn only_reads(self) -> bool {
        matches!(self, Self::Get | Self::Head | Self::Options)
    }

    pub(crate) fn may_have_body(self) -> bool {
        !self.only_reads()
    }
}
