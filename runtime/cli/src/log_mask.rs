//! A log without the secrets that tools use.

use std::borrow::Cow;
use std::io::{self, Write};

use helve_results::redact::mask_process_secrets;
use tracing_subscriber::fmt::MakeWriter;

/// Makes writers that mask the secrets which any part of the process has read.
pub(super) struct MaskedLog<M>(pub(super) M);

/// A writer of one event, which is written at once.
pub(super) struct MaskedWriter<W>(W);

impl<'w, M: MakeWriter<'w>> MakeWriter<'w> for MaskedLog<M> {
    type Writer = MaskedWriter<M::Writer>;

    fn make_writer(&'w self) -> Self::Writer {
        MaskedWriter(self.0.make_writer())
    }
}

impl<W: Write> Write for MaskedWriter<W> {
    fn write(&mut self, event: &[u8]) -> io::Result<usize> {
        self.write_all(event)?;
        Ok(event.len())
    }

    fn write_all(&mut self, event: &[u8]) -> io::Result<()> {
        let masked: Cow<'_, [u8]> = mask_process_secrets(event);
        self.0.write_all(&masked)
    }

    fn flush(&mut self) -> io::Result<()> {
        self.0.flush()
    }
}
