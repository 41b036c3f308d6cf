//! What tests look at.

/// Returns how many command lines this thread has analysed.
#[must_use]
pub fn analyses() -> u64 {
    crate::verdict::count()
}
