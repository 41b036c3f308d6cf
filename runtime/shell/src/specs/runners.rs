//! Programs that act: which of their options start a program of the caller's choice.

use super::{Judged, Word};

/// Judges a program that no spec names.
pub(crate) fn judge(_program: &str, _words: &[Word]) -> Judged {
    Judged::acts()
}
