//! The checkers, and what each of them checks.

use std::fmt;

/// What is checked.
#[helve::data]
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
#[serde(rename_all = "snake_case")]
pub enum CheckKind {
    /// Whether the code compiles, or has the right types.
    Types,
    /// Lints, with what does not compile.
    Lint,
    /// The tests of the project.
    Tests,
}

/// A program that checks code.
#[helve::data]
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
#[serde(rename_all = "snake_case")]
pub enum Checker {
    /// `cargo check`, `cargo clippy` and `cargo test`.
    Cargo,
    /// The compiler of TypeScript.
    Tsc,
    /// ESLint.
    Eslint,
    /// Ruff.
    Ruff,
    /// pytest.
    Pytest,
    /// `go vet`, which finds what does not compile, too, and `go test`.
    Go,
}

impl CheckKind {
    /// Returns the name, as in an argument and in a rule.
    pub(crate) fn name(self) -> &'static str {
        match self {
            Self::Types => "types",
            Self::Lint => "lint",
            Self::Tests => "tests",
        }
    }
}

impl Checker {
    pub(crate) const ALL: [Self; 6] = [
        Self::Cargo,
        Self::Tsc,
        Self::Eslint,
        Self::Ruff,
        Self::Pytest,
        Self::Go,
    ];

    /// Returns the name of the program.
    pub(crate) fn program(self) -> &'static str {
        match self {
            Self::Cargo => "cargo",
            Self::Tsc => "tsc",
            Self::Eslint => "eslint",
            Self::Ruff => "ruff",
            Self::Pytest => "pytest",
            Self::Go => "go",
        }
    }

    /// Reports whether the program makes checks of this kind.
    pub(crate) fn makes(self, kind: CheckKind) -> bool {
        match self {
            Self::Cargo | Self::Go => true,
            Self::Tsc => kind == CheckKind::Types,
            Self::Eslint | Self::Ruff => kind == CheckKind::Lint,
            Self::Pytest => kind == CheckKind::Tests,
        }
    }

    /// Returns the files by which a project is recognized, for messages.
    pub(crate) fn marks(self) -> &'static str {
        match self {
            Self::Cargo => "Cargo.toml",
            Self::Tsc => "tsconfig.json",
            Self::Eslint => "eslint.config.*",
            Self::Ruff => "ruff.toml",
            Self::Pytest => "pytest.ini or conftest.py",
            Self::Go => "go.mod",
        }
    }

    /// Returns what to do where the program is missing.
    pub(crate) fn hint_to_install(self) -> &'static str {
        match self {
            Self::Cargo => "install Rust where the commands of the sandbox see it",
            Self::Tsc | Self::Eslint => {
                "install the packages of the project (`npm install`): the program is looked for in `node_modules/.bin`, then \
                 in the `PATH`"
            }
            Self::Ruff | Self::Pytest => {
                "install the program in the project's `.venv`, or in the `PATH` of the sandbox"
            }
            Self::Go => "install Go where the commands of the sandbox see it",
        }
    }
}

impl fmt::Display for Checker {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.program())
    }
}
