//! Applies the records that start or submit several calls at once.

use super::call::{CallSlot, SlotState};
use super::{Applied, Execution, Turn};
use helve_core::transcript::CallKey;

impl Turn {
    pub(super) fn apply_asked(&mut self, keys: &[CallKey]) -> Applied {
        let askable = self.askable_questions().map(|asking| asking.call);
        check_some_of(askable, keys, "be asked about")?;
        for key in keys {
            if let SlotState::Asking(asked) = &mut self.slot_mut(*key).state {
                asked.out = true;
            }
        }
        Ok(())
    }

    pub(super) fn apply_started(&mut self, keys: &[CallKey]) -> Applied {
        let (most, running) = (self.max_parallel(), self.count_running());
        if running + keys.len() > most {
            return Err(format!(
                "{running} calls are running, but at most {most} may run"
            ));
        }
        let is_here = |index: &usize| self.calls[*index].execution != Execution::External;
        let startable = self.ready_calls().filter(is_here).map(|at| self.key(at));
        check_some_of(startable, keys, "start")?;
        let places = keys.iter().map(|key| key.index as usize);
        let is_new =
            |index: &usize| self.is_delegation(*index) && self.calls[*index].granted.is_none();
        let delegations = places.filter(is_new);
        let granted = delegations.map(|index| (index, self.delegate_bounds(index)));
        let granted: Vec<_> = granted.collect();
        for (index, bounds) in granted {
            self.count_delegate(&bounds);
            self.calls[index].granted = Some(Box::new(bounds));
        }
        for key in keys {
            let slot = self.slot_mut(*key);
            slot.state = SlotState::Running;
            slot.began = true;
        }
        Ok(())
    }

    pub(super) fn apply_submitted(&mut self, keys: &[CallKey]) -> Applied {
        let is_outside = |index: &usize| self.calls[*index].execution == Execution::External;
        let outside = self.ready_calls().filter(is_outside).map(|at| self.key(at));
        check_some_of(outside, keys, "be submitted")?;
        for key in keys {
            self.slot_mut(*key).state = SlotState::Submitted;
        }
        Ok(())
    }

    /// Returns the slot of a call whose key was validated.
    fn slot_mut(&mut self, key: CallKey) -> &mut CallSlot {
        &mut self.calls[key.index as usize]
    }
}

/// Checks that the keys are a subset of the permitted calls, each once, in order.
fn check_some_of(may: impl Iterator<Item = CallKey>, keys: &[CallKey], what: &str) -> Applied {
    if keys.is_empty() {
        return Err("the record names no call".to_owned());
    }
    // One pass suffices, because both lists are in order. A key that is left over is not permitted, or is a duplicate.
    let mut wanted = keys.iter().peekable();
    for call in may {
        wanted.next_if_eq(&&call);
    }
    match wanted.next() {
        Some(key) => Err(format!("call {key} may not {what} now")),
        None => Ok(()),
    }
}
