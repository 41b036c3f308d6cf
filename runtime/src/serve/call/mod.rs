//! One call of a tool: begun, driven to its end or to a question, and answered.

mod ask;
mod connections;
mod result;
mod turn;
mod work;

use std::sync::Arc;
use std::sync::atomic::AtomicBool;

use futures_util::FutureExt as _;
use futures_util::future::BoxFuture;
use futures_util::stream::{FuturesUnordered, StreamExt as _};
use rmcp::model::{CallToolRequestParams, CallToolResponse, ErrorData, JsonObject};
use rmcp::service::{RequestContext, RoleServer};
use tokio::sync::mpsc;
use tokio_util::sync::{CancellationToken, DropGuard};

use super::client::{self, Ask, CallClient, Features, Line, Outgoing};
use super::house::Place;
use super::reply::{Answered, Reply};
use super::session::Session;
use super::{Server, changes, list, parked, tasks};
use crate::transcript::{CallId, ToolCall};

mod drive;

pub(super) use drive::{Way, drive, long};

/// Answers `tools/call`: with the result, with what the call has to know first, or with a task.
pub(super) async fn answer(
    server: &Server,
    session: &Arc<Session>,
    request: CallToolRequestParams,
    context: RequestContext<RoleServer>,
) -> Result<CallToolResponse, ErrorData> {
    let policy = &server.inner.tasks.policy;
    let takes_tasks = client::is_modern(&context) && tasks::are_taken(&context);
    if !takes_tasks
        && policy.requires(&request.name)
        && server.toolset().get(&request.name).is_some()
    {
        return Err(tasks::needed());
    }
    let way = Way {
        delay: policy.delay(&request.name).filter(|_| takes_tasks),
        context,
    };
    let answered = match request.request_state {
        Some(state) => {
            let arguments = arguments(request.arguments.as_ref())?;
            let back = parked::Back {
                name: &request.name,
                arguments: &arguments,
                state: &state,
                answers: request.input_responses.unwrap_or_default(),
            };
            parked::go_on(server, session, back, way).boxed().await
        }
        None => {
            let call = Call::begin(server, session, &request, &way.context)?;
            let ahead = request.input_responses.unwrap_or_default();
            drive(server, session, call, ahead, way).await
        }
    };
    changes::look(server);
    answered?.tool()
}

/// Writes arguments down as a call has them.
pub(super) fn arguments(given: Option<&JsonObject>) -> Result<String, ErrorData> {
    match given {
        None => Ok("{}".to_owned()),
        Some(arguments) => serde_json::to_string(arguments)
            .map_err(|error| ErrorData::invalid_params(error.to_string(), None)),
    }
}

/// Says that the client ended the call; nobody reads it, as a rule.
pub(super) fn cancelled() -> ErrorData {
    ErrorData::internal_error("the call was cancelled", None)
}

/// A call that has begun. Dropping it stops the call.
pub(crate) struct Call {
    /// What is called, and with what.
    pub(crate) made: ToolCall,
    work: BoxFuture<'static, Reply>,
    /// What the call has to say to the client.
    out: mpsc::Receiver<Outgoing>,
    /// Whether the tool itself has begun, and with it holds the order of its session.
    pub(super) begun: Arc<AtomicBool>,
    stop: Option<DropGuard>,
    _place: Place,
}

/// How far a call has come.
pub(crate) enum Step {
    /// To its end.
    Done(Box<Reply>),
    /// To questions that have to be answered before it goes on, on a line that asks by answers.
    Asked(Vec<Ask>),
}

impl Call {
    /// Begins a call; nothing of it runs before the first [`step`](Self::step).
    ///
    /// # Errors
    ///
    /// What is no fault of the tool's: it does not exist, or its client has too many calls at once.
    pub(crate) fn begin(
        server: &Server,
        session: &Arc<Session>,
        request: &CallToolRequestParams,
        context: &RequestContext<RoleServer>,
    ) -> Result<Self, ErrorData> {
        let toolset = server.toolset();
        let tool = toolset
            .get(&request.name)
            .filter(|tool| list::is_served(&**tool));
        let unknown = || toolset.unknown(&request.name).to_string();
        let tool = tool.ok_or_else(|| ErrorData::invalid_params(unknown(), None))?;
        let arguments = arguments(request.arguments.as_ref())?;
        let made = ToolCall::new(
            CallId::from(context.id.to_string()),
            tool.spec().name.clone().as_ref(),
            arguments,
        );
        let begun = Arc::<AtomicBool>::default();
        let key = session.next_call();
        Self::of(server, session, made.clone(), context, |client, stop| {
            let work = work::Work {
                server: server.clone(),
                session: session.clone(),
                tool,
                made,
                key,
                begun: begun.clone(),
                tells_progress: context.meta.get_progress_token().is_some(),
                client,
                stop,
            };
            (work.run().boxed(), begun)
        })
    }

    /// Begins what may ask the client before it answers.
    ///
    /// # Errors
    ///
    /// Where its client has too many calls at once.
    pub(super) fn of(
        server: &Server,
        session: &Arc<Session>,
        made: ToolCall,
        context: &RequestContext<RoleServer>,
        work: impl FnOnce(
            Arc<CallClient>,
            CancellationToken,
        ) -> (BoxFuture<'static, Reply>, Arc<AtomicBool>),
    ) -> Result<Self, ErrorData> {
        let place = session.house.enter().ok_or_else(|| {
            let why = "too many calls of yours are at work; wait for one to end, then try again";
            ErrorData::internal_error(why, None)
        })?;
        let (out, outgoing) = mpsc::channel(client::WAITING);
        let stop = CancellationToken::new();
        let client = Arc::new(CallClient {
            out,
            features: Features::of(context),
            log: client::log_of(session, context),
            redactor: server.inner.settings.results.secrets().clone(),
        });
        let (work, begun) = work(client, stop.clone());
        Ok(Self {
            made,
            work,
            out: outgoing,
            begun,
            stop: Some(stop.drop_guard()),
            _place: place,
        })
    }

    /// Drives the call to its end; on a line that asks by answers, to its next questions.
    ///
    /// Nothing of the call is lost where this is dropped; a note that was being sent is.
    pub(crate) async fn step(&mut self, line: &Line) -> Step {
        let mut telling = Telling::default();
        let mut asking = FuturesUnordered::new();
        let result = loop {
            tokio::select! {
                biased;
                result = &mut self.work => break result,
                () = telling.told(), if telling.is_busy() => {}
                Some(outgoing) = self.out.recv(), if !telling.is_busy() => match outgoing {
                    Outgoing::Note(note) => telling.begin(line.tell(*note)),
                    Outgoing::Ask(ask) if line.asks_by_answer => {
                        let mut asks = vec![*ask];
                        asks.extend(self.other_asks(line).await);
                        return Step::Asked(asks);
                    }
                    Outgoing::Ask(ask) => asking.push(line.ask(*ask)),
                },
                Some(()) = asking.next() => {}
            }
        };
        telling.told().await;
        // What was said before the end is told before the end.
        while let Ok(outgoing) = self.out.try_recv() {
            if let Outgoing::Note(note) = outgoing {
                line.tell(*note).await;
            }
        }
        // What the tool left at work goes on; only a call that has not ended is stopped.
        self.stop.take().map(DropGuard::disarm);
        Step::Done(Box::new(result))
    }

    /// Takes the questions that came at the same time as another.
    async fn other_asks(&mut self, line: &Line) -> Vec<Ask> {
        let mut asks = Vec::new();
        while let Ok(outgoing) = self.out.try_recv() {
            match outgoing {
                Outgoing::Ask(ask) => asks.push(*ask),
                Outgoing::Note(note) => line.tell(*note).await,
            }
        }
        asks
    }
}

/// A note that is being sent; the next waits for it, so that they keep their order.
#[derive(Default)]
struct Telling<'a>(Option<BoxFuture<'a, ()>>);

impl<'a> Telling<'a> {
    fn begin(&mut self, note: BoxFuture<'a, ()>) {
        self.0 = Some(note);
    }

    fn is_busy(&self) -> bool {
        self.0.is_some()
    }

    async fn told(&mut self) {
        if let Some(note) = &mut self.0 {
            note.await;
            self.0 = None;
        }
    }
}
