//! Command lines of git: the position of the sub-command, and the effect of a `git push`.

mod push;

use crate::name_list::NameList;
use crate::script::ScriptWord;

pub use push::GitPush;
pub(crate) use push::push;

/// The options before the sub-command that do not change its meaning.
const FLAGS: NameList = NameList::new(
    "--no-pager -P --bare --no-replace-objects --literal-pathspecs --glob-pathspecs \
    --noglob-pathspecs --icase-pathspecs --no-optional-locks --no-advice --no-lazy-fetch",
);

const VALUED: &[&str] = &["-C", "--git-dir", "--work-tree", "--namespace"];

/// Returns the index of the sub-command among the words; `None` if an option before it could change what runs.
pub(crate) fn subcommand(words: &[ScriptWord<'_>]) -> Option<usize> {
    let mut at = 1;
    while let Some(word) = words.get(at).filter(|word| word.text.starts_with('-')) {
        let text = word.fixed()?;
        let name = text.split_once('=').map_or(text, |(name, _)| name);
        if VALUED.contains(&name) {
            at += if text.contains('=') { 1 } else { 2 };
        } else if FLAGS.has(text) {
            at += 1;
        } else {
            return None;
        }
    }
    (at < words.len()).then_some(at)
}
