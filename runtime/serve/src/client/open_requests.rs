//! The requests for input of one call that the client has not answered.

use rmcp::model::{InputRequests, InputResponses};

use super::pending_request::PendingRequest;

/// The requests for input of one call that the client has not answered, each under a key.
///
/// A request that the call no longer waits for, such as one that took too long, is closed, and counts as removed.
#[derive(Default)]
pub(crate) struct OpenRequests {
    requests: Vec<(String, PendingRequest)>,
    /// The number of requests so far, answered ones included: no key is used twice.
    count: u64,
}

impl OpenRequests {
    /// Adds requests. The key of a request is the one that the tool has given it, if no open request has that key.
    pub(crate) fn add(&mut self, requests: Vec<PendingRequest>) {
        self.requests.retain(|(_, request)| request.is_open());
        for request in requests {
            self.count += 1;
            let key = request
                .key()
                .filter(|key| self.requests.iter().all(|(open, _)| open != key));
            let key = key.map_or_else(|| format!("question-{}", self.count), str::to_owned);
            self.requests.push((key, request));
        }
    }

    /// Hands responses to the call; responses without an open request are ignored.
    pub(crate) fn resolve(&mut self, mut responses: InputResponses) {
        for (key, request) in std::mem::take(&mut self.requests) {
            match responses.remove(&key) {
                Some(response) => request.resolve_json(response),
                None => self.requests.push((key, request)),
            }
        }
    }

    pub(crate) fn clear(&mut self) {
        self.requests.clear();
    }

    pub(crate) fn is_empty(&self) -> bool {
        !self.requests.iter().any(|(_, request)| request.is_open())
    }

    pub(crate) fn to_rmcp(&self) -> InputRequests {
        let open = self.requests.iter();
        open.filter(|(_, request)| request.is_open())
            .map(|(key, pending)| (key.clone(), pending.request.clone()))
            .collect()
    }
}
