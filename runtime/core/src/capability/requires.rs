//! What a tool declares that it uses.

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
    /// Whether it uses files.
    pub fs: bool,
    /// Whether it uses the network.
    pub net: bool,
    /// The hosts that it reaches, as in [`HostRules`](crate::network::HostRules); whatever the host allows where there are
    /// none.
    pub hosts: &'static [&'static str],
    /// Whether it starts processes.
    pub process: bool,
    /// The programs that it starts, by name; whatever the host allows where there are none.
    pub programs: &'static [&'static str],
    /// Whether it stores keys and values.
    pub kv: bool,
    /// The secrets that it reads, by name.
    pub secrets: &'static [&'static str],
}

impl Requires {
    /// Declares no capability.
    pub const NONE: Self = Self {
        fs: false,
        net: false,
        hosts: &[],
        process: false,
        programs: &[],
        kv: false,
        secrets: &[],
    };
}
