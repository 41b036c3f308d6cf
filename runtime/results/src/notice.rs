//! The notice that instructs the model how to read on in a result.

/// The beginning of the instruction; the arguments of the pager follow.
pub(super) const READ_ON: &str = "read on with read_result(";

/// Returns the instruction of the last notice in the text, if there is one.
pub(super) fn find_pointer(text: &str) -> Option<&str> {
    let start = text.rfind(READ_ON)?;
    let end = start + text[start..].find(')')? + 1;
    Some(&text[start..end])
}
