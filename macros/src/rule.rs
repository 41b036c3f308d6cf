//! The rules for tools. A test checks that each rule has a case with its name in `tests/ui/`.

/// A rule. The file of its case has the rule's name, in snake case.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Rule {
    // The keys of an attribute.
    /// A key is known.
    UnknownKey,
    /// A key occurs once.
    DuplicateKey,
    /// A key has a value of the right kind.
    WrongValue,
    /// A text is not empty.
    EmptyText,
    /// The name of a tool is valid for every provider.
    BadName,
    /// A risk is low, medium or high.
    UnknownRisk,
    /// A concurrency is parallel or exclusive.
    UnknownConcurrency,
    /// A requirement is a known capability.
    UnknownRequirement,
    /// A host is a name, the subdomains of a name, or an address.
    BadHost,
    /// A program is a name that is looked up in `PATH`.
    BadProgram,
    /// A timeout is a duration.
    BadTimeout,

    // Contradictions.
    /// A read-only tool is not destructive.
    ReadOnlyAndDestructive,
    /// A destructive tool is not of low risk.
    DestructiveLowRisk,
    /// A read-only tool is not of high risk.
    ReadOnlyHighRisk,
    /// A read-only tool is idempotent.
    ReadOnlyNotIdempotent,
    /// A cached tool is read-only.
    CachedNotReadOnly,
    /// A destructive tool is not parallel.
    DestructiveParallel,
    /// A tool that uses the network is open-world.
    ClosedWorldNetwork,
    /// A risk is either declared or computed.
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
    /// A tool has a description.
    NoDocs,
    /// A tool has no type or const parameters.
    Generic,
    /// A method is a tool only in a `#[tools]` block.
    SelfOutsideTools,
    /// A method takes `self` by shared reference.
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
    /// A parameter has a description.
    UndocumentedParameter,
    /// The `# Arguments` list only contains parameters that exist.
    UnknownDocumentedParameter,
    /// A parameter is an identifier.
    NonIdentifierPattern,
    /// The type of a parameter is not `impl Trait`.
    ImplTraitArgument,
    /// A parameter is not a mutable reference.
    MutableReference,
    /// `&String` is written `&str`.
    ReferenceToString,
    /// `&Vec<T>` is written `&[T]`.
    ReferenceToVec,
    /// A value of the model is taken by value.
    ReferenceToValue,
    /// A parameter has at most one level of reference.
    DoubleReference,
    /// A type that is taken by value does not borrow.
    BorrowInsideValue,
    /// Host state has no named lifetimes.
    BorrowInsideHostState,
    /// An optional list is an `Option<Vec<T>>`.
    OptionalSlice,
    /// The context is taken by reference.
    ContextByValue,
    /// The context is not optional.
    OptionalContext,
    /// Parameter names are unique.
    DuplicateParameter,
    /// The name of a parameter is valid for every provider.
    BadParameterName,

    // `#[arg]`.
    /// `#[arg]` has keys.
    ArgWithoutKeys,
    /// `#[arg]` is only used on parameters that the model supplies.
    ArgOnHostState,
    /// `min` and `max` are used on numbers; lengths and patterns on types that support them.
    ConstraintOnWrongType,
    /// A range is not empty.
    EmptyRange,
    /// A pattern is a valid regular expression.
    BadPattern,
    /// A default is within the range.
    DefaultOutOfRange,
    /// An `Option` needs no `default`.
    RedundantDefault,

    // `#[tools]` and `#[data]`.
    /// `#[tools]` can only be applied to `impl` blocks.
    ToolsNotImpl,
    /// The `impl` block is not of a trait.
    ToolsOnTrait,
    /// The `impl` block is not generic.
    ToolsGeneric,
    /// The `impl` block contains a tool.
    ToolsEmpty,
    /// `#[data]` can only be applied to structs and enums.
    DataNotData,
    /// The traits that `#[data]` derives are not derived again.
    DataDerivedTwice,
}
