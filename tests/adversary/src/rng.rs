//! Numbers that look random and are the same for the same seed.

/// `SplitMix64`.
#[derive(Debug, Clone)]
pub struct Rng(u64);

impl Rng {
    /// Begins at a seed.
    #[must_use]
    pub const fn new(seed: u64) -> Self {
        Self(seed)
    }

    /// Returns the next number.
    pub fn next_u64(&mut self) -> u64 {
        self.0 = self.0.wrapping_add(0x9e37_79b9_7f4a_7c15);
        let mut mixed = self.0;
        mixed = (mixed ^ (mixed >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
        mixed = (mixed ^ (mixed >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
        mixed ^ (mixed >> 31)
    }

    /// Returns a number below `end`; 0 where `end` is 0.
    pub fn below(&mut self, end: usize) -> usize {
        (self.next_u64() % end.max(1) as u64) as usize
    }

    /// Returns true once in `of` times.
    pub fn one_in(&mut self, of: usize) -> bool {
        self.below(of) == 0
    }

    /// Picks one of a list that is not empty.
    pub fn pick<T: Copy>(&mut self, from: &[T]) -> T {
        from[self.below(from.len())]
    }

    /// Makes a generator of its own, which goes on independently.
    #[must_use]
    pub fn fork(&mut self) -> Self {
        Self(self.next_u64())
    }
}
