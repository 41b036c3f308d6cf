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
pub struct Coverage {
    parts: Vec<bool>,
    /// The parts that the rule covers where it denies or asks, if they are others.
    restricted: Option<Vec<bool>>,
}

impl Coverage {
    /// Creates a coverage from whether each part is covered, in order. A call without any parts is not covered.
    #[must_use]
    pub fn from_parts(parts: impl IntoIterator<Item = bool>) -> Self {
        Self {
            parts: parts.into_iter().collect(),
            restricted: None,
        }
    }

    /// Sets which parts the rule covers where it denies or asks: in doubt more than those that it allows.
    #[must_use]
    pub fn with_restricted(mut self, parts: impl IntoIterator<Item = bool>) -> Self {
        self.restricted = Some(parts.into_iter().collect());
        self
    }

    /// Returns whether each part is covered where the rule denies or asks.
    #[must_use]
    pub fn restricted(&self) -> &[bool] {
        self.restricted.as_deref().unwrap_or(&self.parts)
    }

    /// Reports whether every part is covered.
    #[must_use]
    pub fn covers_all(&self) -> bool {
        !self.parts.is_empty() && self.parts.iter().all(|covered| *covered)
    }

    /// Reports whether any part is covered.
    #[must_use]
    pub fn covers_any(&self) -> bool {
        self.parts.contains(&true)
    }

    /// Returns whether each part is covered, in the order of the parts.
    #[must_use]
    pub fn parts(&self) -> &[bool] {
        &self.parts
    }

    /// Combines the coverage of two rules for the same call.
    #[must_use]
    pub fn union(mut self, other: &Self) -> Self {
        for (covered, also) in self.parts.iter_mut().zip(&other.parts) {
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
