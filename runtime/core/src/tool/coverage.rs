//! Which parts of a call a rule covers.

/// Which parts of a call a rule covers; a call without parts counts as one part.
///
/// An allow rule lets a call run if it covers every part, alone or together with other rules; a deny rule stops the
/// call if it covers any part.
///
/// ```
/// # extern crate helve_core as helve;
/// use helve::tool::Coverage;
///
/// let one = Coverage::from_parts([true, false]);
/// let other = Coverage::from_parts([false, true]);
/// assert!(one.covers_any() && !one.covers_all());
/// assert!(one.union(&other).covers_all());
/// ```
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Coverage(Vec<bool>);

impl Coverage {
    /// Creates a coverage from whether each part is covered, in order. A call without any parts is not covered.
    #[must_use]
    pub fn from_parts(parts: impl IntoIterator<Item = bool>) -> Self {
        Self(parts.into_iter().collect())
    }

    /// Reports whether every part is covered.
    #[must_use]
    pub fn covers_all(&self) -> bool {
        !self.0.is_empty() && self.0.iter().all(|covered| *covered)
    }

    /// Reports whether any part is covered.
    #[must_use]
    pub fn covers_any(&self) -> bool {
        self.0.contains(&true)
    }

    /// Returns whether each part is covered, in the order of the parts.
    #[must_use]
    pub fn parts(&self) -> &[bool] {
        &self.0
    }

    /// Combines the coverage of two rules for the same call.
    #[must_use]
    pub fn union(mut self, other: &Self) -> Self {
        for (covered, also) in self.0.iter_mut().zip(&other.0) {
            *covered |= also;
        }
        self
    }
}

impl From<bool> for Coverage {
    fn from(covered: bool) -> Self {
        Self::from_parts([covered])
    }
}
