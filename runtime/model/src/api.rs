//! The names of the native clients' protocols, as in [`ReplySource::api`](helve_core::transcript::ReplySource::api),
//! and the methods that the clients share.

pub(super) const ANTHROPIC_MESSAGES: &str = "anthropic.messages";
pub(super) const OPENAI_CHAT: &str = "openai.chat";
pub(super) const OPENAI_RESPONSES: &str = "openai.responses";

/// Implements [`Model`](crate::Model) for a client, and the methods for callers with their own transport.
macro_rules! native_client {
    ($client:ty, $decoder:ty) => {
        impl $client {
            /// Returns the JSON body of a request, for callers with their own transport.
            #[must_use]
            pub fn body(&self, request: &$crate::ModelRequest) -> Vec<u8> {
                request::body(self, request)
            }

            /// Decodes a response from any transport: its head, and its body in chunks of any size. The method does
            /// no I/O of its own.
            pub fn decode<'a, B: AsRef<[u8]> + 'a>(
                &'a self,
                head: $crate::ResponseHead,
                body: impl futures_core::Stream<Item = Result<B, $crate::ModelError>> + Send + 'a,
            ) -> futures_core::stream::BoxStream<'a, Result<$crate::ModelEvent, $crate::ModelError>>
            {
                let linger = std::time::Duration::ZERO;
                $crate::http::decode(&self.endpoint, head, body, self.decoder(), linger)
            }

            fn decoder(&self) -> $decoder {
                <$decoder>::new(self.endpoint.provider(), self.name.model())
            }
        }

        impl $crate::Model for $client {
            fn reply<'a>(&'a self, request: &'a $crate::ModelRequest) -> $crate::ReplyStream<'a> {
                let (path, body) = (self.path(), self.body(request));
                $crate::http::post_stream(&self.endpoint, &path, body, self.decoder())
            }

            fn name(&self) -> Option<&$crate::ModelName> {
                Some(&self.name)
            }
        }
    };
}
pub(super) use native_client;
