//! The ids and names of calls: unique in a reply whatever the provider sends, and in a form that the next provider takes.

use std::borrow::Cow;
use std::collections::HashSet;
use std::hash::{DefaultHasher, Hash as _, Hasher as _};

use crate::transcript::CallId;

/// The ids of calls that a provider takes in a conversation, which may have begun elsewhere.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
#[non_exhaustive]
pub enum CallIdForm {
    /// Any id of that many bytes at most.
    UpTo(usize),
    /// Nine letters and digits, as Mistral has it.
    NineAlphanumeric,
}

impl CallIdForm {
    /// Returns the id as the provider takes it. The same id gives the same one, for a call and for its result.
    pub(super) fn write(self, id: &CallId) -> Cow<'_, str> {
        let fits = match self {
            Self::UpTo(most) => !id.is_empty() && id.len() <= most,
            Self::NineAlphanumeric => {
                id.len() == 9 && id.bytes().all(|byte| byte.is_ascii_alphanumeric())
            }
        };
        if fits {
            return Cow::Borrowed(id);
        }
        let digest = digest(id);
        Cow::Owned(match self {
            Self::UpTo(_) => format!("call_{digest:016x}"),
            Self::NineAlphanumeric => format!("{:09x}", digest >> 28),
        })
    }
}

/// The longest name of a tool that is taken.
const LONGEST_NAME: usize = 64;

/// Returns the name of a call as providers take it: a model may have made one up that holds anything.
pub(super) fn name(name: &str) -> Cow<'_, str> {
    let fits = |letter: char| letter.is_ascii_alphanumeric() || matches!(letter, '_' | '-');
    if !name.is_empty() && name.len() <= LONGEST_NAME && name.chars().all(fits) {
        return Cow::Borrowed(name);
    }
    let mended = name.chars().map(|letter| match fits(letter) {
        true => letter,
        false => '_',
    });
    let mended: String = mended.take(LONGEST_NAME).collect();
    match mended.is_empty() {
        true => "_".into(),
        false => mended.into(),
    }
}

/// Hashes a text, the same in every process.
pub(super) fn digest(text: &str) -> u64 {
    let mut hasher = DefaultHasher::new();
    text.hash(&mut hasher);
    hasher.finish()
}

/// Hands out the ids of a reply's calls.
#[derive(Debug, Default)]
pub(super) struct CallIds {
    taken: HashSet<CallId>,
}

impl CallIds {
    /// Returns the id that the provider sent, or one like it where it sent none or one that is taken.
    ///
    /// `reply` is the id of the reply, so that ids of our own differ from one reply to the next.
    pub(super) fn take(&mut self, sent: Option<&str>, reply: Option<&str>) -> CallId {
        let wanted = sent.filter(|id| !id.is_empty()).map_or_else(
            || {
                let reply = reply.map_or(0, digest) >> 32;
                format!("call_{reply:08x}_{}", self.taken.len())
            },
            str::to_owned,
        );
        let mut id = CallId::from(&*wanted);
        let mut number = 1;
        while !self.taken.insert(id.clone()) {
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
        assert_eq!(ids.take(Some("a"), None), *"a");
        assert_eq!(ids.take(Some("a"), None), *"a_2");
        assert_eq!(ids.take(Some("a_2"), None), *"a_2_2");
        assert_eq!(ids.take(Some(""), None), *"call_00000000_3");
        assert_ne!(ids.take(None, Some("r1")), ids.take(None, Some("r2")));
    }

    #[test]
    fn ids_from_elsewhere_take_the_form_that_is_wanted() {
        let id = CallId::from("toolu_01A09q90qw90lq917835lq9");
        assert_eq!(CallIdForm::UpTo(40).write(&id), &*id);
        let nine = CallIdForm::NineAlphanumeric;
        let written = nine.write(&id);
        assert!(
            written.len() == 9 && written.bytes().all(|byte| byte.is_ascii_alphanumeric()),
            "{written}"
        );
        assert_eq!(written, nine.write(&id));
        assert_eq!(nine.write(&"D681PevKs".into()), "D681PevKs");
        assert_eq!(name("a.b c"), "a_b_c");
        assert_eq!((name("read"), name("")), ("read".into(), "_".into()));
        let long = CallId::from("x".repeat(100));
        assert_eq!(CallIdForm::UpTo(40).write(&long).len(), 21);
    }
}
