//! What a server can do wrong.

/// What is sent to it in the header `authorization`, and must reach nobody else.
pub(crate) const SECRET: &str = "Bearer of-the-first-origin";

/// One way to misbehave; everything else that the server does is right.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Fault {
    /// It does nothing wrong.
    Nothing,
    /// It reads and never writes, nor ends when its input does.
    HangsAtOnce,
    /// It writes why to standard error and ends.
    DiesAtOnce,
    /// It greets on the wire before it speaks the protocol.
    Greets,
    /// It speaks only a protocol that never was.
    SpeaksAnotherProtocol,
    /// It never answers the request for its list.
    HangsListing,
    /// Its pages lead back to themselves.
    RepeatsACursor,
    /// Its pages never end.
    NeverEndsItsPages,
    /// It has 10,000 tools, on one page.
    HasTenThousandTools,
    /// It has 30,000 tools, on pages of 1,000.
    HasThirtyThousandTools,
    /// Its list has 100 MB.
    ListsTooMuch,
    /// The schema of a tool leads back to itself; another tool is as it should be.
    HasCycles,
    /// Two of its tools have one name, and some look like those of another server.
    Shadows,
    /// The names and descriptions of its tools speak to the model, and to the terminal.
    Injects,
    /// A description has 1 MB.
    DescribesTooMuch,
    /// What it says of a tool is another thing once it was called.
    ChangesItsMind,
    /// It never answers a call.
    HangsCalling,
    /// It dies in the middle of an answer.
    DiesAnswering,
    /// Its answer has 100 MB.
    AnswersTooMuch,
    /// Its answer has 100 MB, and comes as an event where it can.
    StreamsTooMuch,
    /// Its answer is no JSON.
    AnswersProse,
    /// It answers a request that was never made.
    AnswersAnother,
    /// Its answer is JSON, and not the result of a call.
    AnswersAnotherShape,
    /// It sends a hundred thousand notifications before it answers.
    Floods,
    /// It says ten thousand times that its list changed before it answers.
    FloodsWithChanges,
    /// It sends whoever asks to another origin.
    Redirects,
    /// It names a place to post to that lies at another origin.
    PointsElsewhere,
}

impl Fault {
    const ALL: [Self; 27] = [
        Self::Nothing,
        Self::HangsAtOnce,
        Self::DiesAtOnce,
        Self::Greets,
        Self::SpeaksAnotherProtocol,
        Self::HangsListing,
        Self::RepeatsACursor,
        Self::NeverEndsItsPages,
        Self::HasTenThousandTools,
        Self::HasThirtyThousandTools,
        Self::ListsTooMuch,
        Self::HasCycles,
        Self::Shadows,
        Self::Injects,
        Self::DescribesTooMuch,
        Self::ChangesItsMind,
        Self::HangsCalling,
        Self::DiesAnswering,
        Self::AnswersTooMuch,
        Self::StreamsTooMuch,
        Self::AnswersProse,
        Self::AnswersAnother,
        Self::AnswersAnotherShape,
        Self::Floods,
        Self::FloodsWithChanges,
        Self::Redirects,
        Self::PointsElsewhere,
    ];

    pub(crate) fn name(self) -> String {
        format!("{self:?}")
    }

    pub(crate) fn from_name(word: &str) -> Option<Self> {
        Self::ALL.into_iter().find(|fault| fault.name() == word)
    }
}
