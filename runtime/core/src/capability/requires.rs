//! The declaration of the capabilities that a tool uses.

/// The capabilities that a tool declares, as in `#[tool(requires(fs, net, secrets("API_KEY")))]`.
///
/// ```
/// # extern crate helve_core as helve;
/// # use helve::capability::Requires;
/// const REQUIRES: Requires = Requires { fs: true, secrets: &["API_KEY"], ..Requires::NONE };
/// assert!(REQUIRES.fs && !REQUIRES.net);
/// ```
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct Requires {
    /// Whether the tool uses files.
    pub fs: bool,
    /// Whether the tool uses the network.
    pub net: bool,
    /// The hosts that the tool reaches, in the syntax of [`HostRules`](crate::network::HostRules). If empty,
    /// all hosts that the host program allows.
    pub hosts: &'static [&'static str],
    /// Whether the tool starts processes.
    pub process: bool,
    /// The names of the programs that the tool starts. If empty, all programs that the host allows.
    pub programs: &'static [&'static str],
    /// Whether the tool stores keys and values.
    pub kv: bool,
    /// Whether the tool reads the conversation.
    pub conversation: bool,
    /// Whether the tool reads and writes memory.
    pub memory: bool,
    /// Whether the tool reads and makes schedules.
    pub schedules: bool,
    /// The names of the secrets that the tool reads.
    pub secrets: &'static [&'static str],
}

impl Requires {
    /// The declaration of no capability.
    pub const NONE: Self = Self {
        fs: false,
        net: false,
        hosts: &[],
        process: false,
        programs: &[],
        kv: false,
        conversation: false,
        memory: false,
        schedules: false,
        secrets: &[],
    };
}
