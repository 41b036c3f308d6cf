//! Making a conversation shorter.

use crate::model::ModelRequest;
use crate::transcript::Message;

/// What the model is asked for.
const ASKS: &str = "Sum up this conversation so that you can go on from the summary alone: what the user wants and has \
    decided, what was found out, which files were read or changed and how, what is done, and what is still to do. Keep \
    names, paths, numbers and error messages exactly. Write the summary only.";

/// Makes the request for a summary of another request's conversation. It offers no tools: there is nothing to do but
/// write.
pub(super) fn request(of: &ModelRequest) -> ModelRequest {
    let mut messages = of.messages.clone();
    messages.push(Message::user(ASKS));
    let mut request = ModelRequest::new(messages);
    request.system.clone_from(&of.system);
    request
}
