//! The secrets that a program holds: found in text by their value, in the usual encodings, and masked.
//!
//! [`LiveSecrets`] finds a secret verbatim, percent-encoded, escaped as in JSON or HTML, as the numbers of its bytes
//! (hexadecimal, or decimal in a list), and in base64 and base64url at any offset, also where an encoder broke the lines. One
//! matcher serves the results of tools, their progress, the responses of HTTP, and the log.

mod base64_form;
mod byte_forms;
mod escaped_form;
mod live_secrets;
mod outcome;
mod pattern;

pub use live_secrets::LiveSecrets;
