//! Embedded agents: sets of files made of constants.

/// An agent file, as of the build of the binary.
#[derive(Debug)]
pub struct EmbeddedAgent {
    path: &'static str,
    text: &'static str,
}

/// The agents of one folder, and the package that embeds them.
#[derive(Debug)]
pub struct AgentSet {
    package: &'static str,
    folder: &'static str,
    agents: &'static [EmbeddedAgent],
}

impl EmbeddedAgent {
    /// Creates an agent. For generated code.
    #[doc(hidden)]
    #[must_use]
    pub const fn new(path: &'static str, text: &'static str) -> Self {
        Self { path, text }
    }

    /// Returns the path of the file, relative to the folder of the set.
    #[must_use]
    pub const fn path(&self) -> &'static str {
        self.path
    }

    /// Returns the whole text of the file, front matter included.
    #[must_use]
    pub const fn text(&self) -> &'static str {
        self.text
    }
}

impl AgentSet {
    /// Creates a set. For generated code.
    #[doc(hidden)]
    #[must_use]
    pub const fn new(
        package: &'static str,
        folder: &'static str,
        agents: &'static [EmbeddedAgent],
    ) -> Self {
        Self {
            package,
            folder,
            agents,
        }
    }

    /// Returns the name of the package that embeds the set.
    #[must_use]
    pub const fn package(&self) -> &'static str {
        self.package
    }

    /// Returns the folder, relative to that of the package.
    #[must_use]
    pub const fn folder(&self) -> &'static str {
        self.folder
    }

    /// Returns the agents.
    #[must_use]
    pub const fn agents(&self) -> &'static [EmbeddedAgent] {
        self.agents
    }
}
