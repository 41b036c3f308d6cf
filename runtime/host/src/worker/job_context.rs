//! The API of a job: its bytes, its output, and its host.

use std::fmt;
use std::io::{self, Read, Write};

use serde_json::Value;

use super::HostCall;
use super::frames::{self, FrameKind, MAX_BODY_BYTES};

/// The socket to the app, which is the standard input of the worker.
pub(super) struct HostSocket;

/// The context of a job: its input bytes, its output, and calls to its host.
pub struct JobContext {
    channel: HostSocket,
    data: Vec<u8>,
}

impl JobContext {
    pub(super) fn receive(mut channel: HostSocket, length: usize) -> io::Result<Self> {
        let mut data = Vec::with_capacity(length);
        while data.len() < length {
            let frame = frames::read(&mut channel)?.ok_or(io::ErrorKind::UnexpectedEof)?;
            if frame.kind != FrameKind::Data {
                return Err(io::ErrorKind::InvalidData.into());
            }
            data.extend_from_slice(&frame.body);
        }
        Ok(Self { channel, data })
    }

    /// Takes the input bytes of the job; later calls return no bytes.
    pub fn take_data(&mut self) -> Vec<u8> {
        std::mem::take(&mut self.data)
    }

    /// Appends bytes to [`JobOutput::data`](super::JobOutput::data).
    ///
    /// # Errors
    ///
    /// Fails if the app is gone.
    pub fn write(&mut self, bytes: &[u8]) -> io::Result<()> {
        bytes
            .chunks(MAX_BODY_BYTES)
            .try_for_each(|chunk| frames::write(&mut self.channel, FrameKind::Data, chunk))
    }

    /// Calls a function of the host, and waits for its result.
    ///
    /// # Errors
    ///
    /// Fails if the host refuses the call, if its function fails, or if a message is larger than 1 MiB.
    pub fn call(&mut self, name: &str, arguments: Value) -> Result<Value, String> {
        let call = HostCall {
            name: name.to_owned(),
            arguments,
        };
        let text = |error: io::Error| error.to_string();
        let body = serde_json::to_vec(&call).map_err(|error| error.to_string())?;
        frames::write(&mut self.channel, FrameKind::Call, &body).map_err(text)?;
        match frames::read(&mut self.channel).map_err(text)? {
            Some(frame) if frame.kind == FrameKind::Return => {
                serde_json::from_slice::<Result<Value, String>>(&frame.body)
                    .map_err(|error| error.to_string())?
            }
            _ => Err("the host gave no answer".to_owned()),
        }
    }

    #[cfg(target_os = "linux")]
    pub(super) fn finish(mut self, kind: FrameKind, body: &[u8]) -> io::Result<()> {
        frames::write(&mut self.channel, kind, body)
    }
}

impl fmt::Debug for JobContext {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("JobContext")
            .field("data", &self.data.len())
            .finish_non_exhaustive()
    }
}

// The filter allows `read` and `write`, but no socket calls.
impl Read for HostSocket {
    fn read(&mut self, buffer: &mut [u8]) -> io::Result<usize> {
        #[cfg(unix)]
        let read = rustix::io::read(rustix::stdio::stdin(), buffer)?;
        #[cfg(not(unix))]
        let read = unsupported(buffer)?;
        Ok(read)
    }
}

impl Write for HostSocket {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        #[cfg(unix)]
        let written = rustix::io::write(rustix::stdio::stdin(), bytes)?;
        #[cfg(not(unix))]
        let written = unsupported(bytes)?;
        Ok(written)
    }

    fn flush(&mut self) -> io::Result<()> {
        Ok(())
    }
}

#[cfg(not(unix))]
fn unsupported(_: &[u8]) -> io::Result<usize> {
    Err(io::ErrorKind::Unsupported.into())
}
