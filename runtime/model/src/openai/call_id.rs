//! The ids and names of calls: unique within a reply, and in a form that the next provider accepts.

use std::borrow::Cow;
use std::collections::HashSet;
use std::hash::{DefaultHasher, Hash as _, Hasher as _};

use crate::http::sanitize_identifier;
use helve_core::transcript::CallId;

/// The form of call ids that a provider accepts; a conversation may contain ids of other providers.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
#[non_exhaustive]
pub enum CallIdForm {
    /// Any id of at most this number of bytes.
    UpTo(usize),
    /// Nine letters and digits, as Mistral requires.
    NineAlphanumeric,
}

impl CallIdForm {
    /// Returns the id in the form that the provider accepts. The mapping is deterministic, so that a call and its
    /// result match.
    pub(super) fn format_id(self, id: &CallId) -> Cow<'_, str> {
        let fits = match self {
            Self::UpTo(most) => !id.is_empty() && id.len() <= most,
            Self::NineAlphanumeric => {
                id.len() == 9 && id.bytes().all(|byte| byte.is_ascii_alphanumeric())
            }
        };
        if fits {
            return Cow::Borrowed(id);
        }
        let digest = hash_text(id);
        Cow::Owned(match self {
            Self::UpTo(_) => format!("call_{digest:016x}"),
            Self::NineAlphanumeric => format!("{:09x}", digest >> 28),
        })
    }
}

const MAX_NAME_LEN: usize = 64;

pub(super) fn sanitize_name(name: &str) -> Cow<'_, str> {
    sanitize_identifier(name, MAX_NAME_LEN)
}

/// Hashes a text; the hash is the same in every process.
pub(super) fn hash_text(text: &str) -> u64 {
    let mut hasher = DefaultHasher::new();
    text.hash(&mut hasher);
    hasher.finish()
}

#[derive(Debug, Default)]
pub(super) struct CallIds {
    used: HashSet<CallId>,
}

impl CallIds {
    /// Returns the id that the provider sent, or a generated one if the id is missing or already used.
    ///
    /// `reply` is the id of the reply, which makes generated ids differ between replies.
    pub(super) fn assign(&mut self, sent: Option<&str>, reply: Option<&str>) -> CallId {
        let wanted = sent.filter(|id| !id.is_empty()).map_or_else(
            || {
                let reply = reply.map_or(0, hash_text) >> 32;
                format!("call_{reply:08x}_{}", self.used.len())
            },
            str::to_owned,
        );
        let mut id = CallId::from(&*wanted);
        let mut number = 1;
        while !self.used.insert(id.clone()) {
            number += 1;
            id = CallId::from(format!("{wanted}_{number}"));
        }
        id
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn ids_are_unique_in_a_reply() {
        let mut ids = CallIds::default();
        assert_eq!(ids.assign(Some("a"), None), *"a");
        assert_eq!(ids.assign(Some("a"), None), *"a_2");
        assert_eq!(ids.assign(Some("a_2"), None), *"a_2_2");
        assert_eq!(ids.assign(Some(""), None), *"call_00000000_3");
        assert_ne!(ids.assign(None, Some("r1")), ids.assign(None, Some("r2")));
    }

    #[test]
    fn ids_from_elsewhere_take_the_form_that_is_wanted() {
        let id = CallId::from("toolu_01A09q90qw90lq917835lq9");
        assert_eq!(CallIdForm::UpTo(40).format_id(&id), &*id);
        let nine = CallIdForm::NineAlphanumeric;
        let written = nine.format_id(&id);
        let is_plain = written.bytes().all(|byte| byte.is_ascii_alphanumeric());
        assert!(written.len() == 9 && is_plain, "{written}");
        assert_eq!(written, nine.format_id(&id));
        assert_eq!(nine.format_id(&"D681PevKs".into()), "D681PevKs");
        assert_eq!(sanitize_name("a.b c"), "a_b_c");
        assert_eq!(sanitize_name("read"), "read");
        assert_eq!(sanitize_name(""), "_");
        let long = CallId::from("x".repeat(100));
        assert_eq!(CallIdForm::UpTo(40).format_id(&long).len(), 21);
    }
}
