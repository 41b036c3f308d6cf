//! What a tool declares that it uses.

/// The capabilities that a tool declares, as in `#[tool(requires(fs, net, secrets("API_KEY")))]`.
///
/// ```
/// # use helve_runtime::capability::Requires;
/// const REQUIRES: Requires = Requires { fs: true, secrets: &["API_KEY"], ..Requires::NONE };
/// assert!(REQUIRES.fs && !REQUIRES.net);
/// ```
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct Requires {
    /// Whether it uses files.
    pub fs: bool,
    /// Whether it uses the network.
    pub net: bool,
    /// Whether it starts processes.
    pub process: bool,
    /// Whether it stores keys and values.
    pub kv: bool,
    /// The secrets that it reads, by name.
    pub secrets: &'static [&'static str],
}

impl Requires {
    /// Declares nothing, so that every door stays shut.
    pub const NONE: Self = Self {
        fs: false,
        net: false,
        process: false,
        kv: false,
        secrets: &[],
    };
}
