//! Compilers, package managers and what else builds.

use super::spec::Operands::Judged;
use super::spec::{ReadOnlySpec, read_only};
use super::subcommands::{Subcommand, SubcommandSet, alone, sub};
use crate::heuristics::command_facts::{CommandEffect, CommandFacts};
use crate::script::ScriptWord;

/// Sorted by name.
pub(super) static TABLE: &[ReadOnlySpec] = &[
    read_only("black", Judged(version), "", &[]),
    read_only("bun", Judged(version), "", &[]),
    read_only(
        "bundle",
        Judged(|words, facts| BUNDLE.judge(words, facts)),
        "",
        &[],
    ),
    read_only("cargo", Judged(cargo), "", &[]),
    read_only("clang", Judged(version), "", &[]),
    read_only("clang++", Judged(version), "", &[]),
    read_only("cmake", Judged(version), "", &[]),
    read_only(
        "composer",
        Judged(|words, facts| COMPOSER.judge(words, facts)),
        "",
        &[],
    ),
    read_only(
        "conda",
        Judged(|words, facts| CONDA.judge(words, facts)),
        "",
        &[],
    ),
    read_only("deno", Judged(version), "", &[]),
    read_only(
        "dotnet",
        Judged(|words, facts| DOTNET.judge(words, facts)),
        "",
        &[],
    ),
    read_only("elixir", Judged(version), "", &[]),
    read_only("g++", Judged(version), "", &[]),
    read_only("gcc", Judged(version), "", &[]),
    read_only(
        "gem",
        Judged(|words, facts| GEM.judge(words, facts)),
        "",
        &[],
    ),
    read_only("ghc", Judged(version), "", &[]),
    read_only("go", Judged(|words, facts| GO.judge(words, facts)), "", &[]),
    read_only("gradle", Judged(version), "", &[]),
    read_only("java", Judged(version), "", &[]),
    read_only("javac", Judged(version), "", &[]),
    read_only("lua", Judged(version), "", &[]),
    read_only("make", Judged(version), "", &[]),
    read_only("mvn", Judged(version), "", &[]),
    read_only("mypy", Judged(version), "", &[]),
    read_only("ninja", Judged(version), "", &[]),
    read_only("node", Judged(version), "", &[]),
    read_only(
        "npm",
        Judged(|words, facts| NPM.judge(words, facts)),
        "",
        &[],
    ),
    read_only("npx", Judged(version), "", &[]),
    read_only("perl", Judged(version), "", &[]),
    read_only("php", Judged(version), "", &[]),
    read_only(
        "pip",
        Judged(|words, facts| PIP.judge(words, facts)),
        "",
        &[],
    ),
    read_only(
        "pip3",
        Judged(|words, facts| PIP.judge(words, facts)),
        "",
        &[],
    ),
    read_only(
        "pnpm",
        Judged(|words, facts| NPM.judge(words, facts)),
        "",
        &[],
    ),
    read_only(
        "poetry",
        Judged(|words, facts| POETRY.judge(words, facts)),
        "",
        &[],
    ),
    read_only("pytest", Judged(version), "", &[]),
    read_only("python", Judged(version), "", &[]),
    read_only("python2", Judged(version), "", &[]),
    read_only("python3", Judged(version), "", &[]),
    read_only("ruby", Judged(version), "", &[]),
    read_only("ruff", Judged(version), "", &[]),
    read_only("rustc", Judged(version), "", &[]),
    read_only("rustfmt", Judged(version), "", &[]),
    read_only(
        "rustup",
        Judged(|words, facts| RUSTUP.judge(words, facts)),
        "",
        &[],
    ),
    read_only("swift", Judged(version), "", &[]),
    read_only("tsc", Judged(version), "", &[]),
    read_only("uv", Judged(|words, facts| UV.judge(words, facts)), "", &[]),
    read_only(
        "yarn",
        Judged(|words, facts| YARN.judge(words, facts)),
        "",
        &[],
    ),
    read_only("zig", Judged(version), "", &[]),
];

/// The ways to ask a program who it is.
const WHO: &[&str] = &[
    "--version",
    "--help",
    "-version",
    "-V",
    "-v",
    "-h",
    "version",
    "help",
];

/// A program that runs code, and only says who it is where that is all it is asked.
fn version(words: &[ScriptWord<'_>], _: &mut CommandFacts) -> CommandEffect {
    let asks = words.len() == 2
        && words[1].fixed().is_some_and(|text| match &*words[0].text {
            "rustc" if text.starts_with("-vV") => true,
            "make" | "lua" | "perl" | "ruby" | "python" | "python2" | "python3" | "node"
            | "bun" | "deno" | "php" => {
                matches!(text, "--version" | "--help" | "-V" | "-v" | "-h")
            }
            _ => WHO.contains(&text),
        });
    // `perl -v`, `make -v` and the like; `-h` of `lua` and `version` of `make` would be names of files.
    if asks {
        CommandEffect::Reads
    } else {
        CommandEffect::Other
    }
}

const fn family(subs: &'static [Subcommand]) -> SubcommandSet {
    SubcommandSet {
        flags: &[],
        value_options: &[],
        version_options: WHO,
        allows_no_subcommand: false,
        subcommands: subs,
    }
}

/// What makes cargo run something of the caller's choosing, or write.
const CARGO: &[&str] = &["--config", "-Z", "-C", "--target-dir", "--lockfile-path"];

static CARGO_FAMILY: SubcommandSet = SubcommandSet {
    flags: &[
        "-q",
        "--quiet",
        "--verbose",
        "--offline",
        "--frozen",
        "--locked",
    ],
    value_options: &["--color"],
    version_options: &[
        "--version",
        "-V",
        "--list",
        "--help",
        "-h",
        "-vV",
        "version",
        "help",
    ],
    allows_no_subcommand: true,
    subcommands: &[
        sub("tree", CARGO),
        sub("metadata", CARGO),
        sub("pkgid", CARGO),
        sub("locate-project", CARGO),
        sub("version", CARGO),
        sub("help", CARGO),
        sub("read-manifest", CARGO),
        sub("verify-project", CARGO),
        sub("search", &["--config", "-Z", "-C", "--index", "--registry"]),
        sub("info", &["--config", "-Z", "-C", "--index", "--registry"]),
    ],
};

fn cargo(words: &[ScriptWord<'_>], facts: &mut CommandFacts) -> CommandEffect {
    let is_format = words.get(1).is_some_and(|word| word.text == "fmt");
    if is_format {
        let harmless = ["--check", "--all", "-v", "-q", "--", "--verbose", "--quiet"];
        let is_harmless = words[2..]
            .iter()
            .all(|word| word.fixed().is_some_and(|text| harmless.contains(&text)));
        let checks = words.iter().any(|word| word.text == "--check");
        return if is_harmless && checks {
            CommandEffect::Reads
        } else {
            CommandEffect::Other
        };
    }
    CARGO_FAMILY.judge(words, facts)
}

/// What sends npm to another registry, or makes it read other settings.
const NPM_OPTIONS: &[&str] = &[
    "--registry",
    "--userconfig",
    "--globalconfig",
    "--cache",
    "--node-options",
    "--script-shell",
    "--prefix",
    "-C",
    "--fix",
    "--viewer",
    "--shell",
    "--otp",
    "--proxy",
    "--https-proxy",
    "--scope",
    "--logs-dir",
    "--location",
];

static NPM: SubcommandSet = family(&[
    sub("ls", NPM_OPTIONS),
    sub("list", NPM_OPTIONS),
    sub("ll", NPM_OPTIONS),
    sub("la", NPM_OPTIONS),
    sub("view", NPM_OPTIONS),
    sub("info", NPM_OPTIONS),
    sub("show", NPM_OPTIONS),
    sub("outdated", NPM_OPTIONS),
    alone("audit", NPM_OPTIONS),
    sub("why", NPM_OPTIONS),
    sub("explain", NPM_OPTIONS),
    alone("root", NPM_OPTIONS),
    alone("bin", NPM_OPTIONS),
    alone(
        "prefix",
        &["--registry", "--userconfig", "--globalconfig", "--prefix"],
    ),
    sub("help", NPM_OPTIONS),
    sub("search", NPM_OPTIONS),
    sub("config get", NPM_OPTIONS),
    sub("config list", NPM_OPTIONS),
    sub("config ls", NPM_OPTIONS),
    sub("pkg get", NPM_OPTIONS),
    alone("run", NPM_OPTIONS),
    alone("fund", &["--browser", "--which", "--registry"]),
    alone("version", NPM_OPTIONS),
    sub("query", NPM_OPTIONS),
    alone("licenses", NPM_OPTIONS),
]);

static YARN: SubcommandSet = family(&[
    sub("list", NPM_OPTIONS),
    sub("info", NPM_OPTIONS),
    sub("why", NPM_OPTIONS),
    sub("outdated", NPM_OPTIONS),
    alone("licenses", NPM_OPTIONS),
    sub("config get", NPM_OPTIONS),
    alone("audit", NPM_OPTIONS),
]);

/// What sends pip elsewhere, or makes it write.
const PIP_OPTIONS: &[&str] = &[
    "--log",
    "--log-file",
    "--index-url",
    "-i",
    "--extra-index-url",
    "-f",
    "--find-links",
    "--python",
    "--proxy",
    "--trusted-host",
    "--cert",
    "--client-cert",
    "--cache-dir",
    "--keyring-provider",
];

static PIP: SubcommandSet = family(&[
    sub("list", PIP_OPTIONS),
    sub("show", PIP_OPTIONS),
    sub("freeze", PIP_OPTIONS),
    sub("check", PIP_OPTIONS),
    sub("help", PIP_OPTIONS),
    sub("inspect", PIP_OPTIONS),
    sub("config list", PIP_OPTIONS),
    sub("config get", PIP_OPTIONS),
    sub("cache list", PIP_OPTIONS),
    sub("cache dir", PIP_OPTIONS),
    sub("cache info", PIP_OPTIONS),
    sub("debug", PIP_OPTIONS),
]);

static GO: SubcommandSet = family(&[
    sub("version", &[]),
    sub("env", &["-w", "-u"]),
    sub("help", &[]),
    sub("doc", &["-C", "-http"]),
    sub(
        "list",
        &[
            "-C",
            "-export",
            "-toolexec",
            "-exec",
            "-overlay",
            "-modfile",
            "-mod",
            "-compiled",
            "-modcacherw",
            "-pkgdir",
            "-test",
        ],
    ),
    sub("mod graph", &["-C"]),
    sub("mod why", &["-C"]),
    sub("mod verify", &["-C"]),
]);

static RUSTUP: SubcommandSet = family(&[
    alone("show", &[]),
    alone("show active-toolchain", &[]),
    alone("show home", &[]),
    alone("show profile", &[]),
    alone("toolchain list", &[]),
    alone("target list", &[]),
    alone("component list", &[]),
    sub("which", &[]),
    alone("check", &[]),
    sub("help", &[]),
    alone("override list", &[]),
]);

static UV: SubcommandSet = family(&[
    alone(
        "version",
        &["--bump", "--python", "--directory", "--project"],
    ),
    alone(
        "tree",
        &[
            "--python",
            "--index",
            "--default-index",
            "--index-url",
            "--script",
            "--directory",
            "--project",
            "--config-file",
        ],
    ),
    sub(
        "pip list",
        &["--python", "-p", "--config-file", "--index", "--index-url"],
    ),
    sub("pip show", &["--python", "-p", "--config-file"]),
    sub("pip freeze", &["--python", "-p", "--config-file"]),
    sub("pip tree", &["--python", "-p", "--config-file"]),
    alone(
        "python list",
        &["--config-file", "--python-downloads-json-url"],
    ),
    alone("tool list", &[]),
    alone("cache dir", &[]),
    sub("help", &[]),
]);

static GEM: SubcommandSet = family(&[
    sub(
        "list",
        &[
            "-r",
            "--remote",
            "-b",
            "--both",
            "-s",
            "--source",
            "--config-file",
            "-C",
        ],
    ),
    sub("contents", &["--config-file"]),
    sub("which", &["--config-file"]),
    alone("env", &["--config-file"]),
    sub("environment", &["--config-file"]),
    sub("help", &[]),
    sub("specification", &["-r", "--remote", "--config-file"]),
    sub("dependency", &["-r", "--remote", "--config-file"]),
]);

static BUNDLE: SubcommandSet = family(&[
    alone("list", &[]),
    sub("show", &[]),
    sub("info", &[]),
    alone("platform", &[]),
]);

static POETRY: SubcommandSet = family(&[
    sub("show", &["-P", "--project", "-C", "--directory"]),
    alone("check", &["-P", "--project", "-C", "--directory"]),
    alone("env info", &["-P", "--project", "-C", "--directory"]),
    alone("env list", &["-P", "--project", "-C", "--directory"]),
    alone("version", &["-P", "--project", "-C", "--directory"]),
    alone("config --list", &[]),
]);

static COMPOSER: SubcommandSet = family(&[
    sub("show", &["-d", "--working-dir"]),
    sub("why", &["-d", "--working-dir"]),
    alone("licenses", &["-d", "--working-dir"]),
    alone("validate", &["-d", "--working-dir"]),
]);

static CONDA: SubcommandSet = family(&[
    sub("list", &[]),
    alone("info", &[]),
    alone("env list", &[]),
    alone("config --show", &[]),
]);

static DOTNET: SubcommandSet = SubcommandSet {
    version_options: &[
        "--version",
        "--info",
        "--list-sdks",
        "--list-runtimes",
        "--help",
        "-h",
        "help",
    ],
    ..family(&[])
};
