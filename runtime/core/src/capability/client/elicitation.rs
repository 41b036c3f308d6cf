//! Requests of a tool to the user, as in MCP's `elicitation/create`.

use serde_json::{Map, Value};

/// A request to the user of the program.
#[derive(Debug, Clone, PartialEq)]
#[non_exhaustive]
pub struct Elicitation {
    /// The question, as text.
    pub message: String,
    /// The form of the answer.
    pub request: ElicitationRequest,
    /// The name of the MCP server that sends the request; `None` if the program itself sends it.
    pub requester: Option<String>,
    /// The key that identifies the request to an MCP client; a key is generated if this is `None`.
    pub key: Option<String>,
}

/// The kind of answer that is requested.
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

/// The user's response.
#[derive(Debug, Clone, PartialEq)]
pub enum ElicitationResult {
    /// The user answered; contains the values of the form.
    Accept(Map<String, Value>),
    /// The user declined.
    Decline,
    /// The user dismissed the request without an answer.
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

    /// Sets the key that identifies the request to an MCP client among the requests of the call. The client
    /// may use the key to answer in advance.
    #[must_use]
    pub fn with_key(mut self, key: impl Into<String>) -> Self {
        self.key = Some(key.into());
        self
    }

    /// Sets the requester.
    #[must_use]
    pub fn with_requester(mut self, asker: impl Into<String>) -> Self {
        self.requester = Some(asker.into());
        self
    }
}
