//! What a person is asked for by a tool, as in MCP's `elicitation/create`.

use serde_json::{Map, Value};

/// A request to the person who drives the program.
#[derive(Debug, Clone, PartialEq)]
#[non_exhaustive]
pub struct Elicitation {
    /// What is asked, in words.
    pub message: String,
    /// What the answer looks like.
    pub request: ElicitationRequest,
    /// Who asks, where that is not the program itself: the name of an MCP server.
    pub requester: Option<String>,
    /// The key under which a client of MCP finds it among other questions; one is made up where there is none.
    pub key: Option<String>,
}

/// What kind of answer is asked for.
#[derive(Debug, Clone, PartialEq)]
pub enum ElicitationRequest {
    /// Values for a form: a flat object schema, whose properties are strings, numbers, booleans or choices.
    Form {
        /// The schema, as in MCP's `requestedSchema`.
        schema: Value,
    },
    /// A visit to an address, for what the program must not see: a login, a payment.
    Url {
        /// The address.
        url: String,
        /// The id under which the end of the visit is reported.
        id: String,
    },
}

/// What the person did.
#[derive(Debug, Clone, PartialEq)]
pub enum ElicitationResult {
    /// They answered; the values of a form.
    Accept(Map<String, Value>),
    /// They said no.
    Decline,
    /// They went away without an answer.
    Cancel,
}

impl Elicitation {
    /// Asks for the values of a form; `schema` is a flat JSON Schema object.
    ///
    /// ```
    /// # extern crate helve_core as helve;
    /// use helve::capability::Elicitation;
    /// use serde_json::json;
    ///
    /// let schema = json!({ "type": "object", "properties": { "name": { "type": "string" } }, "required": ["name"] });
    /// let elicitation = Elicitation::form("What shall the branch be called?", schema);
    /// assert_eq!(elicitation.message, "What shall the branch be called?");
    /// ```
    pub fn form(message: impl Into<String>, schema: Value) -> Self {
        Self::new(message, ElicitationRequest::Form { schema })
    }

    /// Asks for a visit to an address.
    pub fn url(message: impl Into<String>, url: impl Into<String>, id: impl Into<String>) -> Self {
        let (url, id) = (url.into(), id.into());
        Self::new(message, ElicitationRequest::Url { url, id })
    }

    fn new(message: impl Into<String>, request: ElicitationRequest) -> Self {
        Self {
            message: message.into(),
            request,
            requester: None,
            key: None,
        }
    }

    /// Sets the key under which a client of MCP finds it among other questions of the call, and may answer it ahead.
    #[must_use]
    pub fn with_key(mut self, key: impl Into<String>) -> Self {
        self.key = Some(key.into());
        self
    }

    /// Sets who asks.
    #[must_use]
    pub fn with_requester(mut self, asker: impl Into<String>) -> Self {
        self.requester = Some(asker.into());
        self
    }
}
