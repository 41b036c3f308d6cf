//! Recording: a record is written before it is applied.

use super::event_order::RecordedEntries;
use super::state::{Driver, Recorded, Unrecorded};
use crate::session::SessionError;
use crate::turn::Record;
use helve_core::tool::chain_text;

impl<'a, 's: 'a> Driver<'a, 's> {
    /// Writes records, after the notes of tools.
    async fn write(&mut self, records: &[Record]) -> Recorded<Option<RecordedEntries>> {
        let notes = self.context.take_unsaved_notes();
        let (recorder, origin) = (&self.recorder, self.turn.origin());
        let order = self.events.order();
        let writing = async {
            recorder.write_notes(notes, order).await?;
            recorder.write(origin, records, order).await
        };
        let written = self.in_flight.drive_while(writing).await;
        written.map_err(|error| self.unrecorded(&error))
    }

    /// Records the reason why the driver must not continue.
    pub(super) fn unrecorded(&mut self, error: &SessionError) -> Unrecorded {
        self.error = Some(chain_text(error));
        Unrecorded
    }

    /// Writes records and then applies them. A stale record changes nothing, neither now nor when the session is
    /// loaded.
    pub(super) async fn record(&mut self, mut records: Vec<Record>) -> Recorded {
        self.record_all(&mut records).await
    }

    /// Like [`record`](Self::record), for one record.
    pub(super) async fn record_one(&mut self, mut record: Record) -> Recorded {
        self.record_all(std::slice::from_mut(&mut record)).await
    }

    /// Like [`record`](Self::record), for records in place: a record is large, and each function in between would copy
    /// it.
    pub(super) async fn record_all(&mut self, records: &mut [Record]) -> Recorded {
        let mut recorded = None;
        if self.recorder.is_recording() {
            // The future is boxed: writing waits for the disk, and most futures of the driver contain it.
            let written = Box::pin(self.write(records)).await;
            if written.is_err() {
                self.put_back_notes(records);
            }
            recorded = written?;
        }
        for record in records {
            self.apply_record(record, recorded.as_mut());
            if let Record::Answered { call, decision } = record {
                Box::pin(self.apply_decision(*call, decision)).await;
            }
        }
        Ok(())
    }

    /// Puts the notes back that could not be recorded.
    fn put_back_notes(&self, records: &mut [Record]) {
        for record in records {
            if let (Record::Noted { notes }, Some(queue)) = (record, &self.agent.notes) {
                queue.put_back(std::mem::take(notes), self.origin());
            }
        }
    }
}
