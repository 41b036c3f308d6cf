//! What the records change by which several calls go out at once.

use super::call::{Slot, State};
use super::{Execution, Turn};
use crate::transcript::CallKey;

impl Turn {
    pub(super) fn asked(&mut self, keys: &[CallKey]) -> Result<(), String> {
        let askable: Vec<_> = self.askable().map(|asking| asking.call).collect();
        check_some_of(&askable, keys, "be asked about")?;
        for slot in self.slots(keys) {
            if let State::Asking(asked) = &mut slot.state {
                asked.out = true;
            }
        }
        Ok(())
    }

    pub(super) fn started(&mut self, keys: &[CallKey]) -> Result<(), String> {
        let (most, running) = (self.most_parallel(), self.running());
        if running + keys.len() > most {
            return Err(format!("{running} calls are running, and {most} may"));
        }
        let ready = self.ready();
        let is_here = |index: &&usize| self.calls[**index].execution != Execution::External;
        let startable: Vec<_> = ready
            .iter()
            .filter(is_here)
            .map(|at| self.key(*at))
            .collect();
        check_some_of(&startable, keys, "start")?;
        let places = keys.iter().map(|key| key.index as usize);
        let delegations = places.filter(|index| self.is_delegation(*index));
        let granted: Vec<_> = delegations
            .map(|index| (index, self.grant(&ready, index)))
            .collect();
        for (index, bounds) in granted {
            self.calls[index].granted = Some(Box::new(bounds));
        }
        for slot in self.slots(keys) {
            slot.state = State::Running;
            slot.began = true;
        }
        Ok(())
    }

    pub(super) fn submitted(&mut self, keys: &[CallKey]) -> Result<(), String> {
        let ready = self.ready().into_iter();
        let outside = ready.filter(|index| self.calls[*index].execution == Execution::External);
        let outside: Vec<_> = outside.map(|index| self.key(index)).collect();
        check_some_of(&outside, keys, "be handed out")?;
        self.slots(keys)
            .for_each(|slot| slot.state = State::Submitted);
        Ok(())
    }

    /// Iterates over the slots of calls that were checked.
    fn slots<'a>(&'a mut self, keys: &'a [CallKey]) -> impl Iterator<Item = &'a mut Slot> {
        let slots = self.calls.iter_mut().enumerate();
        let is_meant = |index: usize| keys.iter().any(|key| key.index as usize == index);
        slots.filter_map(move |(index, slot)| is_meant(index).then_some(slot))
    }
}

/// Checks that calls are some of those that may do something, each once, in order.
fn check_some_of(may: &[CallKey], keys: &[CallKey], what: &str) -> Result<(), String> {
    if keys.is_empty() {
        return Err("it names no call".to_owned());
    }
    // One walk, since both lists are in order; what is left over may not, or is named twice.
    let mut wanted = keys.iter().peekable();
    for call in may {
        wanted.next_if_eq(&call);
    }
    match wanted.next() {
        Some(key) => Err(format!("call {key} may not {what} now")),
        None => Ok(()),
    }
}
