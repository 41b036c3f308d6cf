//! The rules that a tool is held against. Each has a case of its name in `tests/ui/`, and a test that looks.

/// A rule. Its name is the file of its case, in snake case.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Rule {
    // The keys of an attribute.
    /// A key is one of those that are read.
    UnknownKey,
    /// A key stands once.
    DuplicateKey,
    /// A key has the kind of value that it takes.
    WrongValue,
    /// A text is not empty.
    EmptyText,
    /// A tool's name is one that every provider takes.
    BadName,
    /// A risk is low, medium or high.
    UnknownRisk,
    /// A concurrency is parallel or exclusive.
    UnknownConcurrency,
    /// A requirement is one that can be granted.
    UnknownRequirement,
    /// A host is a name, what is below one, or an address.
    BadHost,
    /// A program is named as `PATH` finds it.
    BadProgram,
    /// A timeout is a time.
    BadTimeout,

    // Contradictions.
    /// What only reads destroys nothing.
    ReadOnlyAndDestructive,
    /// What destroys is not of low risk.
    DestructiveLowRisk,
    /// What only reads is not of high risk.
    ReadOnlyHighRisk,
    /// What only reads can be repeated.
    ReadOnlyNotIdempotent,
    /// What is not done again only reads.
    CachedNotReadOnly,
    /// What destroys does not run beside others.
    DestructiveParallel,
    /// What reaches the network reaches an open world.
    ClosedWorldNetwork,
    /// A risk is declared or judged, not both.
    RiskTwice,
    /// An async function does not block.
    BlockingAsync,
    /// A blocking function has no stream.
    BlockingStream,

    // The function.
    /// A tool is a function.
    NotAFunction,
    /// A tool has a body.
    NoBody,
    /// The model can read what a tool does.
    NoDocs,
    /// A tool has no type or const parameters.
    Generic,
    /// A method is a tool only in a `#[tools]` block.
    SelfOutsideTools,
    /// A method takes itself by shared reference.
    SelfNotShared,
    /// A tool is safe to call.
    UnsafeFunction,
    /// A tool is a Rust function.
    ForeignFunction,
    /// A tool is not const.
    ConstFunction,
    /// A tool has at most 64 parameters.
    TooManyParameters,
    /// The only opaque type that a tool returns is a stream of updates.
    OpaqueReturn,
    /// A tool returns.
    NeverReturns,

    // Its parameters.
    /// The model can read what a parameter means.
    UndocumentedParameter,
    /// The `# Arguments` list names parameters that are there.
    UnknownDocumentedParameter,
    /// A parameter has a plain name.
    NonIdentifierPattern,
    /// A parameter's type is written out.
    ImplTraitArgument,
    /// Nothing is taken by mutable reference.
    MutableReference,
    /// `&String` is written `&str`.
    ReferenceToString,
    /// `&Vec<T>` is written `&[T]`.
    ReferenceToVec,
    /// What the model supplies is taken by value.
    ReferenceToValue,
    /// A reference is single.
    DoubleReference,
    /// What is taken by value borrows nothing.
    BorrowInsideValue,
    /// Host state borrows nothing that has a name here.
    BorrowInsideHostState,
    /// An optional list is an `Option<Vec<T>>`.
    OptionalSlice,
    /// The context is taken by reference.
    ContextByValue,
    /// The context is always there.
    OptionalContext,
    /// Two parameters have two names.
    DuplicateParameter,
    /// A parameter's name is one that every provider takes.
    BadParameterName,

    // `#[arg]`.
    /// `#[arg]` has keys.
    ArgWithoutKeys,
    /// `#[arg]` stands on what the model supplies.
    ArgOnHostState,
    /// `min` and `max` are for numbers, lengths and patterns for what has them.
    ConstraintOnWrongType,
    /// A range has a value in it.
    EmptyRange,
    /// A pattern is a regular expression.
    BadPattern,
    /// A default is within the range.
    DefaultOutOfRange,
    /// An `Option` needs no `default`.
    RedundantDefault,

    // `#[tools]` and `#[data]`.
    /// `#[tools]` can only be applied to `impl` blocks.
    ToolsNotImpl,
    /// The `impl` block is of the type itself.
    ToolsOnTrait,
    /// The `impl` block has no parameters.
    ToolsGeneric,
    /// The `impl` block has a tool in it.
    ToolsEmpty,
    /// `#[data]` can only be applied to structs and enums.
    DataNotData,
    /// `#[data]` derives what it derives.
    DataDerivedTwice,
}
