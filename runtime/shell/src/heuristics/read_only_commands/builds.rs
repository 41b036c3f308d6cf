//! Compilers, package managers and other build tools.

use super::spec::{ReadOnlySpec, judged, subcommands};
use super::subcommands::{SubcommandSet, Subcommands, alone, sub};
use crate::heuristics::command_facts::{CommandEffect, CommandFacts};
use crate::name_list::{NameList, names};
use crate::script::ScriptWord;

pub(super) static TABLE: &[ReadOnlySpec] = &[
    judged(
        "black bun clang clang++ cmake deno elixir g++ gcc ghc gradle java javac lua make mvn mypy \
         ninja node npx perl php pytest python python2 python3 ruby ruff rustc rustfmt swift tsc \
         zig",
        version,
    ),
    subcommands("bundle", &BUNDLE),
    judged("cargo", cargo),
    subcommands("composer", &COMPOSER),
    subcommands("conda", &CONDA),
    subcommands("dotnet", &DOTNET),
    subcommands("gem", &GEM),
    subcommands("go", &GO),
    subcommands("npm pnpm", &NPM),
    subcommands("pip pip3", &PIP),
    subcommands("poetry", &POETRY),
    subcommands("rustup", &RUSTUP),
    subcommands("uv", &UV),
    subcommands("yarn", &YARN),
];

/// The options and sub-commands that print a version or help.
const WHO: NameList = NameList::new("--version --help -version -V -v -h version help");

/// Judges a program that runs code, and that only reads if it is called to print its version.
fn version(words: &[ScriptWord<'_>], _: &mut CommandFacts) -> CommandEffect {
    // Programs for which a word such as `version` would be the name of a file.
    const TAKE_FILES: NameList =
        NameList::new("make lua perl ruby python python2 python3 node bun deno php");
    let [program, option] = words else {
        return CommandEffect::Other;
    };
    CommandEffect::reads_if(option.fixed().is_some_and(|text| match &*program.text {
        "rustc" if text.starts_with("-vV") => true,
        program if TAKE_FILES.has(program) => names!("--version --help -V -v -h").has(text),
        _ => WHO.has(text),
    }))
}

const fn family(subcommands: &'static [Subcommands]) -> SubcommandSet {
    SubcommandSet {
        version_options: WHO,
        ..super::subcommands::family(subcommands)
    }
}

/// The options with which cargo runs a program that the caller chooses, or writes.
const CARGO: &str = "--config -Z -C --target-dir --lockfile-path";

static CARGO_FAMILY: SubcommandSet = SubcommandSet {
    flags: names!("-q --quiet --verbose --offline --frozen --locked"),
    value_options: names!("--color"),
    version_options: names!("--version -V --list --help -h -vV version help"),
    allows_no_subcommand: true,
    ..family(&[
        sub(
            "tree, metadata, pkgid, locate-project, version, help, read-manifest, verify-project",
            CARGO,
        ),
        sub("search, info", "--config -Z -C --index --registry"),
    ])
};

fn cargo(words: &[ScriptWord<'_>], facts: &mut CommandFacts) -> CommandEffect {
    const FORMAT: NameList = NameList::new("--check --all -v -q -- --verbose --quiet");
    if words.get(1).is_none_or(|word| word.text != "fmt") {
        return CARGO_FAMILY.judge(words, facts);
    }
    let is_harmless = |word: &ScriptWord<'_>| word.fixed().is_some_and(|text| FORMAT.has(text));
    let checks = words.iter().any(|word| word.text == "--check");
    CommandEffect::reads_if(checks && words[2..].iter().all(is_harmless))
}

/// The options with which npm uses another registry, or reads other settings.
const NPM_OPTIONS: &str = "--registry --userconfig --globalconfig --cache --node-options \
                           --script-shell --prefix -C --fix --viewer --shell --otp --proxy \
                           --https-proxy --scope --logs-dir --location";

static NPM: SubcommandSet = family(&[
    sub(
        "ls, list, ll, la, view, info, show, outdated, why, explain, help, search, config get, \
         config list, config ls, pkg get, query",
        NPM_OPTIONS,
    ),
    alone("audit, root, bin, run, version, licenses", NPM_OPTIONS),
    alone("prefix", "--registry --userconfig --globalconfig --prefix"),
    alone("fund", "--browser --which --registry"),
]);

static YARN: SubcommandSet = family(&[
    sub("list, info, why, outdated, config get", NPM_OPTIONS),
    alone("licenses, audit", NPM_OPTIONS),
]);

/// The options with which pip uses another index, or writes.
const PIP_OPTIONS: &str = "--log --log-file --index-url -i --extra-index-url -f --find-links \
                           --python --proxy --trusted-host --cert --client-cert --cache-dir \
                           --keyring-provider";

static PIP: SubcommandSet = family(&[sub(
    "list, show, freeze, check, help, inspect, config list, config get, cache list, cache dir, \
     cache info, debug",
    PIP_OPTIONS,
)]);

static GO: SubcommandSet = family(&[
    sub("version, help", ""),
    sub("env", "-w -u"),
    sub("doc", "-C -http"),
    sub(
        "list",
        "-C -export -toolexec -exec -overlay -modfile -mod -compiled -modcacherw -pkgdir -test",
    ),
    sub("mod graph, mod why, mod verify", "-C"),
]);

static RUSTUP: SubcommandSet = family(&[
    alone(
        "show, show active-toolchain, show home, show profile, toolchain list, target list, \
         component list, check, override list",
        "",
    ),
    sub("which, help", ""),
]);

static UV: SubcommandSet = family(&[
    alone("version", "--bump --python --directory --project"),
    alone(
        "tree",
        "--python --index --default-index --index-url --script --directory --project --config-file",
    ),
    sub("pip list", "--python -p --config-file --index --index-url"),
    sub(
        "pip show, pip freeze, pip tree",
        "--python -p --config-file",
    ),
    alone("python list", "--config-file --python-downloads-json-url"),
    alone("tool list, cache dir", ""),
    sub("help", ""),
]);

static GEM: SubcommandSet = family(&[
    sub("list", "-r --remote -b --both -s --source --config-file -C"),
    sub("contents, which, environment", "--config-file"),
    alone("env", "--config-file"),
    sub("help", ""),
    sub("specification, dependency", "-r --remote --config-file"),
]);

static BUNDLE: SubcommandSet = family(&[alone("list, platform", ""), sub("show, info", "")]);

static POETRY: SubcommandSet = family(&[
    sub("show", "-P --project -C --directory"),
    alone(
        "check, env info, env list, version",
        "-P --project -C --directory",
    ),
    alone("config --list", ""),
]);

static COMPOSER: SubcommandSet = family(&[
    sub("show, why", "-d --working-dir"),
    alone("licenses, validate", "-d --working-dir"),
]);

static CONDA: SubcommandSet =
    family(&[sub("list", ""), alone("info, env list, config --show", "")]);

static DOTNET: SubcommandSet = SubcommandSet {
    version_options: names!("--version --info --list-sdks --list-runtimes --help -h help"),
    ..family(&[])
};
