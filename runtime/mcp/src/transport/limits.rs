//! The limits of all transports.

/// The most bytes of one message.
pub(super) const MAX_MESSAGE_BYTES: usize = 16 << 20;
