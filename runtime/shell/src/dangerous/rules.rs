//! Commands that change what needs a question: an app's own `permissions trust` and `permissions remove`.

use super::{Danger, immune};
use crate::find::script::Word;

/// Says whether a command puts a project's rules in force, or takes rules away, whatever the app is called. Words between
/// may be its options, and a word that is not known before it runs may be any.
///
/// `gets_arguments` says whether more words follow that are not known.
pub(in super::super) fn changes_rules(words: &[Word<'_>], gets_arguments: bool) -> Option<Danger> {
    let arguments = words.get(1..).unwrap_or_default();
    let (mut is_named, mut is_open) = (false, false);
    for word in arguments {
        let trusts = may_be(word, "trust");
        let acts = trusts || may_be(word, "remove");
        if is_named && acts || is_open && trusts && !word.is_dynamic {
            return Some(CHANGED);
        }
        is_named |= !word.is_dynamic && may_be(word, "permissions");
        is_open |= word.is_dynamic;
    }
    (is_named && gets_arguments).then_some(CHANGED)
}

/// Reports whether a word is a name, or may come to be it.
fn may_be(word: &Word<'_>, name: &str) -> bool {
    let open = ['*', '?', '['];
    let ends = || {
        let first = word.text.find(open)?;
        let last = word.text.rfind(['*', '?', ']'])?;
        Some((&word.text[..first], &word.text[last + 1..]))
    };
    // What stands between two wildcards is not looked at: that asks too often rather than too seldom.
    let fits = || ends().is_none_or(|(head, tail)| name.starts_with(head) && name.ends_with(tail));
    word.is_dynamic || word.text == name || word.is_glob && fits()
}

const CHANGED: Danger = immune("it changes what runs without a question");
