//! What the driver knows of the calls of the round, beyond what the turn says of them.

use tokio_util::sync::CancellationToken;

use super::delegation::Parked;
use crate::call::Judged;
use crate::transcript::{CallKey, Origin};

/// What the driver knows of one call.
#[derive(Default)]
pub(super) struct CallWork {
    /// Whether it is being judged, or was: the turn offers it until it is planned.
    pub(super) is_judging: bool,
    /// What was found in this process when it was judged, until it runs.
    pub(super) judged: Option<Box<Judged>>,
    /// Where the question about it is, if this process asked one.
    pub(super) question: Option<Asked>,
    /// Whether its result was told.
    pub(super) is_told: bool,
    /// What its delegate waits for, if that was let go of.
    pub(super) parked: Option<Box<Parked>>,
    /// The turn of the delegate that works for it.
    pub(super) delegate: Option<Box<Origin>>,
}

/// Where a question is.
#[derive(Debug)]
pub(super) enum Asked {
    /// The approver has it; the token tells that it was answered elsewhere.
    Out(CancellationToken),
    /// The answer comes another way.
    Deferred,
}

/// The calls of one round, by their places: all calls of a round are done before the next one begins.
#[derive(Default)]
pub(super) struct RoundCalls {
    round: u32,
    calls: Vec<CallWork>,
}

impl RoundCalls {
    /// Returns what is known of a call of the round.
    pub(super) fn get(&self, key: CallKey) -> Option<&CallWork> {
        let calls = (key.round == self.round).then_some(&self.calls)?;
        calls.get(key.index as usize)
    }

    /// Returns the same, to be changed.
    pub(super) fn get_mut(&mut self, key: CallKey) -> Option<&mut CallWork> {
        let calls = (key.round == self.round).then_some(&mut self.calls)?;
        calls.get_mut(key.index as usize)
    }

    /// Returns what is known of a call of the turn's current round. The first call of a round drops the calls of the round
    /// before.
    pub(super) fn entry(&mut self, key: CallKey) -> &mut CallWork {
        if key.round != self.round {
            self.round = key.round;
            self.calls.clear();
        }
        let index = key.index as usize;
        if self.calls.len() <= index {
            self.calls.resize_with(index + 1, CallWork::default);
        }
        &mut self.calls[index]
    }

    /// Iterates over what is known of the calls, with their keys.
    pub(super) fn iter_mut(&mut self) -> impl Iterator<Item = (CallKey, &mut CallWork)> {
        let round = self.round;
        let calls = self.calls.iter_mut();
        calls
            .zip(0..)
            .map(move |(call, index)| (CallKey::new(round, index), call))
    }

    /// Iterates over the delegates that were let go of.
    pub(super) fn parked(&self) -> impl Iterator<Item = &Parked> {
        self.calls.iter().filter_map(|call| call.parked.as_deref())
    }
}
