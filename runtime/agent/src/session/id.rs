//! The ids of sessions: creation and validation.

use super::SessionError;
use helve_core::support::random;
use helve_core::transcript::SessionId;
use helve_storage::timestamp::Timestamp;

/// The maximum length of an id, so that the names of all files of a session are valid on every system.
const MAX_ID_LENGTH: usize = 100;

/// Creates a unique id: the time, so that ids sort by age, and random bytes of the operating system.
pub(super) fn new_id() -> SessionId {
    let now = Timestamp::now().to_string();
    let digits = now.chars().filter(char::is_ascii_digit);
    let time: String = digits.take(14).collect();
    let (day, hour) = time.split_at(8);
    SessionId::from(format!("{day}-{hour}-{}", random::hex::<5>()))
}

/// Checks that an id is a valid file name on every system and does not refer to a file outside of the folder.
pub(super) fn validate_id(id: &SessionId) -> Result<(), SessionError> {
    let is_plain = |byte: u8| byte.is_ascii_alphanumeric() || b"._-".contains(&byte);
    let starts_well = id.starts_with(|first: char| first.is_ascii_alphanumeric());
    if starts_well && id.len() <= MAX_ID_LENGTH && id.bytes().all(is_plain) {
        return Ok(());
    }
    Err(SessionError::InvalidId { id: id.clone() })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn new_ids_differ_and_may_name_files() {
        let ids: std::collections::HashSet<_> = (0..1_000).map(|_| new_id()).collect();
        assert_eq!(ids.len(), 1_000);
        let is_fit = |id: &SessionId| validate_id(id).is_ok() && id.len() == 26;
        assert!(ids.iter().all(is_fit));
    }

    #[test]
    fn an_id_names_nothing_outside_its_folder() {
        let long = "a".repeat(101);
        for bad in [
            "", ".", "..", "../x", "a/b", "a\\b", ".hidden", "a b", "ä", "-x", &long,
        ] {
            assert!(validate_id(&SessionId::from(bad)).is_err(), "{bad:?}");
        }
        for good in ["a", "2026-11-22.x_y", &"a".repeat(100)] {
            assert!(validate_id(&SessionId::from(good)).is_ok(), "{good:?}");
        }
    }
}
