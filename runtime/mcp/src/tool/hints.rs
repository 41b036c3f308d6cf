//! Decides which hints of a server are trusted.

use rmcp::model::ToolAnnotations;

use helve_core::tool::Annotations;

/// Returns the hints that are trusted.
///
/// A hint that requires more caution is always used. A hint that requires less caution is used only if the server is
/// `believed` and the hint does not contradict another one, such as read-only and destructive.
pub(crate) fn counting(declared: Option<&ToolAnnotations>, believed: bool) -> Annotations {
    let Some(declared) = declared else {
        return Annotations::NONE;
    };
    let is_contradiction =
        declared.read_only_hint == Some(true) && declared.destructive_hint == Some(true);
    if believed && !is_contradiction {
        return Annotations::new(
            declared.read_only_hint,
            declared.destructive_hint,
            declared.idempotent_hint,
            declared.open_world_hint,
        );
    }
    let careful = |hint: Option<bool>| hint.filter(|said| *said);
    Annotations::new(
        None,
        careful(declared.destructive_hint),
        None,
        careful(declared.open_world_hint),
    )
}

#[cfg(test)]
mod tests {
    use super::counting;
    use helve_core::tool::{Annotations, Risk};
    use rmcp::model::ToolAnnotations;

    #[test]
    fn less_care_is_for_who_is_believed() {
        let reader = ToolAnnotations::from_raw(None, Some(true), None, Some(true), Some(false));
        let believed = Annotations::new(Some(true), None, Some(true), Some(false));
        assert_eq!(counting(Some(&reader), true), believed);
        assert_eq!(counting(Some(&reader), false), Annotations::NONE);
        assert_eq!(counting(None, true), Annotations::NONE);
    }

    #[test]
    fn more_care_is_for_everybody() {
        let careful = ToolAnnotations::from_raw(None, Some(false), Some(true), None, Some(true));
        let counts = counting(Some(&careful), false);
        assert_eq!(counts, Annotations::new(None, Some(true), None, Some(true)));
        assert_eq!(counts.implied_risk(), Risk::High);
    }

    #[test]
    fn a_reader_that_destroys_is_not_believed() {
        let both = ToolAnnotations::from_raw(None, Some(true), Some(true), Some(true), None);
        let counts = counting(Some(&both), true);
        assert_eq!(counts, Annotations::new(None, Some(true), None, None));
    }
}
