//! The ids of sandboxes and of their processes: plain text, so that another process can use them.

use std::fmt;
use std::sync::Arc;

use serde::{Deserialize, Serialize};

use super::SandboxError;
use crate::support::text::first_chars;

/// Declares an id type: short text that is safe as a file name.
macro_rules! define_id {
    ($($(#[doc = $doc:literal])* $name:ident;)*) => {$(
        $(#[doc = $doc])*
        ///
        /// An id consists of 1 to 64 of the characters `a-z`, `A-Z`, `0-9`, `-` and `_`.
        #[derive(Clone, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
        #[serde(try_from = "String", into = "String")]
        pub struct $name(Arc<str>);

        impl $name {
            /// Parses a text as an id.
            ///
            /// # Errors
            ///
            /// When the text is empty, too long, or contains another character.
            pub fn new(text: &str) -> Result<Self, SandboxError> {
                if is_valid_id(text) {
                    Ok(Self(text.into()))
                } else {
                    Err(SandboxError::Handle { text: first_chars(text, 80).to_owned() })
                }
            }

            /// Returns the text.
            #[must_use]
            pub fn as_str(&self) -> &str {
                &self.0
            }
        }

        impl TryFrom<String> for $name {
            type Error = SandboxError;

            fn try_from(text: String) -> Result<Self, SandboxError> {
                Self::new(&text)
            }
        }

        impl From<$name> for String {
            fn from(handle: $name) -> Self {
                handle.0.as_ref().to_owned()
            }
        }

        impl fmt::Display for $name {
            fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
                f.write_str(&self.0)
            }
        }

        impl fmt::Debug for $name {
            fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
                fmt::Debug::fmt(&*self.0, f)
            }
        }
    )*};
}

define_id! {
    /// The id of a sandbox, with which another process can attach to the sandbox.
    SandboxId;
    /// The id of a process in a sandbox, chosen by the caller that starts the process.
    ProcessId;
}

fn is_valid_id(text: &str) -> bool {
    (1..=64).contains(&text.len())
        && text
            .bytes()
            .all(|byte| byte.is_ascii_alphanumeric() || matches!(byte, b'-' | b'_'))
}

#[cfg(test)]
mod tests {
    use super::ProcessId;

    #[test]
    fn what_could_be_a_path_is_no_handle() {
        for text in ["", ".", "..", "a/b", "a b", "ä", "a\0", &"a".repeat(65)] {
            assert!(ProcessId::new(text).is_err(), "{text:?}");
        }
        assert_eq!(
            ProcessId::new("call_1-B").expect("a handle").as_str(),
            "call_1-B"
        );
    }
}
