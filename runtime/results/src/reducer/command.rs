//! The classification of command lines.

/// The maximum length of a command line that is classified, in bytes.
const MAX_LINE_BYTES: usize = 4_096;

/// The kind of a command line, which determines how its output is shortened.
///
/// A line of several commands has a kind only if all of its commands with output have that kind.
///
/// ```
/// use helve::results::reducer::CommandKind;
///
/// assert_eq!(CommandKind::parse("cd app && RUST_LOG=debug cargo test --lib 2>&1"), CommandKind::Tests);
/// assert_eq!(CommandKind::parse("npm ci && npm test"), CommandKind::Other);
/// ```
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
#[non_exhaustive]
pub enum CommandKind {
    /// The command runs tests.
    Tests,
    /// The command installs packages.
    Install,
    /// The command is `git status`.
    GitStatus,
    /// The command prints requested text verbatim: a file, a difference, matching lines.
    Contents,
    /// Any other command, and any line that cannot be classified by its text.
    Other,
}

impl CommandKind {
    /// Classifies a command line. Nothing is expanded: a line with substitutions, loops or here documents is
    /// [`Other`](Self::Other).
    #[must_use]
    pub fn parse(line: &str) -> Self {
        let Some(pipelines) = split_line(line) else {
            return Self::Other;
        };
        let mut kind = None;
        for pipeline in &pipelines {
            let Some(own) = pipeline_kind(pipeline) else {
                continue;
            };
            if *kind.get_or_insert(own) != own {
                return Self::Other;
            }
        }
        kind.unwrap_or(Self::Other)
    }
}

type Words = Vec<String>;

/// Returns the kind of a pipeline; `None` if the pipeline has no output.
fn pipeline_kind(commands: &[Words]) -> Option<CommandKind> {
    match commands {
        [only] => command_kind(only),
        [.., last] => Some(match command_kind(last) {
            Some(CommandKind::Contents) => CommandKind::Contents,
            _ => CommandKind::Other,
        }),
        [] => None,
    }
}

/// Returns the kind of a command; `None` if the command has no output.
fn command_kind(words: &[String]) -> Option<CommandKind> {
    let words: Vec<&str> = words.iter().map(String::as_str).collect();
    let words = without_wrappers(&words);
    let [program, arguments @ ..] = words else {
        return None;
    };
    let program = program.rsplit('/').next().unwrap_or(program);
    let arguments = without_package_choice(program, arguments);
    let plain: Vec<&str> = arguments
        .iter()
        .copied()
        .filter(|word| !word.starts_with(['-', '+']))
        .collect();
    let first = plain.first().copied().unwrap_or_default();
    let second = plain.get(1).copied().unwrap_or_default();
    Some(match (program, first) {
        ("cd" | "export" | "set" | "unset" | "true" | ":" | "mkdir", _) => return None,
        ("cargo", "test" | "t" | "nextest")
        | ("go" | "playwright", "test")
        | ("npm", "test" | "t")
        // These programs run the program of a package by its name alone, as `npx` does.
        | ("pnpm" | "yarn" | "bun", "test" | "t" | "vitest" | "jest" | "mocha")
        | ("vitest" | "jest" | "mocha" | "pytest" | "py.test", _) => CommandKind::Tests,
        ("pnpm" | "yarn", "playwright") if second == "test" => CommandKind::Tests,
        ("npm" | "pnpm" | "yarn" | "bun", "run") if second.starts_with("test") => {
            CommandKind::Tests
        }
        (
            "npm" | "pnpm" | "yarn" | "bun",
            "install" | "i" | "ci" | "add" | "update" | "upgrade" | "up",
        )
        | ("pip" | "pip3", "install")
        | ("cargo", "install" | "add" | "fetch" | "update")
        | ("uv", "sync" | "add") => CommandKind::Install,
        ("uv", "pip") if second == "install" => CommandKind::Install,
        ("yarn", "") if arguments.is_empty() => CommandKind::Install,
        ("git", _) => git_kind(arguments),
        (
            "cat" | "bat" | "head" | "tail" | "sed" | "awk" | "cut" | "nl" | "diff" | "jq" | "grep"
            | "rg" | "sort" | "uniq" | "wc",
            _,
        ) => CommandKind::Contents,
        _ => CommandKind::Other,
    })
}

fn git_kind(arguments: &[&str]) -> CommandKind {
    let mut arguments = arguments.iter();
    while let Some(argument) = arguments.next() {
        match *argument {
            // These flags have a separate value.
            "-C" | "-c" | "--git-dir" | "--work-tree" => {
                arguments.next();
            }
            "status" => {
                // Output with names that end in a zero byte is for programs.
                return match arguments.any(|word| matches!(*word, "-z" | "--porcelain=v2")) {
                    true => CommandKind::Other,
                    false => CommandKind::GitStatus,
                };
            }
            "diff" | "show" | "log" | "blame" | "grep" => return CommandKind::Contents,
            flag if flag.starts_with('-') => {}
            _ => return CommandKind::Other,
        }
    }
    CommandKind::Other
}

/// Removes prefixes that run the command: assignments, `time`, `npx`, `python -m`.
fn without_wrappers<'w, 't>(words: &'w [&'t str]) -> &'w [&'t str] {
    let mut words = words;
    loop {
        words = match words {
            [first, rest @ ..] if is_assignment(first) => rest,
            [
                "env" | "time" | "sudo" | "npx" | "bunx" | "nohup" | "stdbuf" | "nice",
                rest @ ..,
            ]
            | ["pnpm" | "npm" | "yarn", "exec" | "dlx", rest @ ..]
            | ["bun", "x", rest @ ..]
            | ["uv" | "poetry" | "pipenv", "run", rest @ ..] => without_flags(rest),
            ["timeout", rest @ ..] => without_flags(rest).get(1..).unwrap_or_default(),
            [program, "-m", rest @ ..] if is_python(program) => rest,
            _ => return words,
        };
    }
}

/// Removes the options that select the packages of a workspace and the directory.
fn without_package_choice<'w, 't>(program: &str, arguments: &'w [&'t str]) -> &'w [&'t str] {
    match (program, arguments) {
        (
            "pnpm" | "npm" | "yarn" | "bun",
            [
                "--filter" | "-F" | "--workspace" | "-w" | "--prefix" | "-C" | "--cwd" | "--dir",
                _,
                rest @ ..,
            ],
        )
        | ("yarn", ["workspace", _, rest @ ..]) => without_package_choice(program, rest),
        _ => arguments,
    }
}

/// Skips flags, and the number of a flag such as `-n 10`.
fn without_flags<'w, 't>(words: &'w [&'t str]) -> &'w [&'t str] {
    let is_flag =
        |word: &&str| word.starts_with('-') || word.bytes().all(|byte| byte.is_ascii_digit());
    let flags = match words.first() {
        Some(first) if first.starts_with('-') => {
            words.iter().take_while(|word| is_flag(word)).count()
        }
        _ => 0,
    };
    &words[flags..]
}

fn is_assignment(word: &str) -> bool {
    let fits = |byte: u8| byte.is_ascii_alphanumeric() || byte == b'_';
    let assigned = word.split_once('=');
    assigned.is_some_and(|(name, _)| !name.is_empty() && name.bytes().all(fits))
}

fn is_python(program: &str) -> bool {
    let name = program.rsplit('/').next().unwrap_or(program);
    let version = name.strip_prefix("python");
    let version = version.or_else(|| name.strip_prefix("py"));
    let fits = |byte: u8| byte.is_ascii_digit() || byte == b'.';
    version.is_some_and(|version| version.bytes().all(fits))
}

/// Splits a line into pipelines of commands of words; `None` if the line has any other syntax.
fn split_line(line: &str) -> Option<Vec<Vec<Words>>> {
    if line.len() > MAX_LINE_BYTES {
        return None;
    }
    let mut splitter = Splitter::default();
    let mut letters = line.chars().peekable();
    while let Some(letter) = letters.next() {
        match letter {
            '\'' => splitter.push_quoted(letters.by_ref().take_while(|&letter| letter != '\'')),
            '"' => splitter.push_double_quoted(&mut letters)?,
            '\\' => match letters.next()? {
                '\n' => {}
                letter => splitter.push_char(letter),
            },
            '$' | '`' | '(' | ')' | '{' | '}' | '<' => return None,
            '>' => splitter.skip_redirect(&mut letters)?,
            '&' | '|' if letters.next_if_eq(&letter).is_some() => splitter.end_pipeline(),
            // The `&` of `2>&1` belongs to the redirect.
            '&' if letters.next_if_eq(&'>').is_some() => splitter.skip_redirect(&mut letters)?,
            ';' | '\n' | '&' => splitter.end_pipeline(),
            '|' => {
                letters.next_if_eq(&'&');
                splitter.end_command();
            }
            '#' if splitter.word.is_none() => {
                letters
                    .by_ref()
                    .take_while(|&letter| letter != '\n')
                    .for_each(drop);
                splitter.end_pipeline();
            }
            letter if letter.is_whitespace() => splitter.end_word(),
            letter => splitter.push_char(letter),
        }
    }
    splitter.end_pipeline();
    Some(splitter.pipelines)
}

#[derive(Default)]
struct Splitter {
    pipelines: Vec<Vec<Words>>,
    pipeline: Vec<Words>,
    command: Words,
    word: Option<String>,
}

type CharIter<'l> = std::iter::Peekable<std::str::Chars<'l>>;

impl Splitter {
    fn push_char(&mut self, letter: char) {
        self.word.get_or_insert_default().push(letter);
    }

    fn push_quoted(&mut self, letters: impl Iterator<Item = char>) {
        self.word.get_or_insert_default().extend(letters);
    }

    fn push_double_quoted(&mut self, letters: &mut CharIter<'_>) -> Option<()> {
        self.word.get_or_insert_default();
        loop {
            match letters.next()? {
                '"' => return Some(()),
                '\\' => {
                    let letter = letters.next()?;
                    self.push_char(letter);
                }
                '$' | '`' => return None,
                letter => self.push_char(letter),
            }
        }
    }

    /// Skips the target of a redirect.
    fn skip_redirect(&mut self, letters: &mut CharIter<'_>) -> Option<()> {
        // The number of the file descriptor is directly before the sign.
        self.word
            .take_if(|word| word.bytes().all(|byte| byte.is_ascii_digit()));
        self.end_word();
        while letters
            .next_if(|letter| matches!(letter, '>' | '&' | '|' | ' '))
            .is_some()
        {}
        let is_place =
            |letter: &char| !letter.is_whitespace() && !";|&<>()$`'\"\\".contains(*letter);
        letters.next_if(is_place)?;
        while letters.next_if(is_place).is_some() {}
        Some(())
    }

    fn end_word(&mut self) {
        self.command.extend(self.word.take());
    }

    fn end_command(&mut self) {
        self.end_word();
        self.pipeline.push(std::mem::take(&mut self.command));
    }

    fn end_pipeline(&mut self) {
        self.end_word();
        if !self.command.is_empty() || !self.pipeline.is_empty() {
            self.end_command();
            self.pipelines.push(std::mem::take(&mut self.pipeline));
        }
    }
}

#[cfg(test)]
mod tests {
    use super::CommandKind::{self, Contents, GitStatus, Install, Other, Tests};

    #[test]
    fn kinds_are_told_by_all_that_runs() {
        for (line, kind) in [
            ("cargo test", Tests),
            ("cargo nextest run -p app", Tests),
            ("cargo +nightly test || true", Tests),
            ("nice -n 10 cargo test & wait", Other),
            (
                "cd app && RUST_BACKTRACE=1 timeout 60 cargo test --lib 2>&1",
                Tests,
            ),
            ("python3 -m pytest -q 'a b.py'; echo", Other),
            ("python3.12 -m pytest -q 'a b.py'", Tests),
            ("npx --yes vitest run &> out.txt", Tests),
            ("npm run test:unit", Tests),
            ("pnpm vitest", Tests),
            ("pnpm vitest run --reporter=dot", Tests),
            ("yarn jest --ci", Tests),
            ("npx jest", Tests),
            ("bunx vitest", Tests),
            ("bun x vitest", Tests),
            ("bun --bun vitest", Tests),
            ("pnpm --filter app vitest", Tests),
            ("pnpm -r test", Tests),
            ("npm exec -- jest", Tests),
            ("npx playwright test", Tests),
            ("yarn playwright test", Tests),
            ("npx mocha", Tests),
            ("yarn build", Other),
            ("pnpm tsc", Other),
            ("npm vitest", Other),
            ("pnpm exec tsc --filter jest", Other),
            ("cargo test && cargo test --doc", Tests),
            ("go test ./...", Tests),
            ("uv run pytest", Tests),
            ("pnpm install --frozen-lockfile", Install),
            ("yarn", Install),
            ("pip install -r requirements.txt", Install),
            ("cargo install ripgrep", Install),
            ("npm ci && npm test", Other),
            ("cargo test | tail -20", Contents),
            ("cargo test | tee log", Other),
            ("cargo test\nrm -rf target", Other),
            ("git  status", GitStatus),
            ("git -C app status --short", GitStatus),
            ("git status -z", Other),
            ("git diff HEAD~1", Contents),
            ("echo 'cargo test'", Other),
            ("$(which cargo) test", Other),
            ("bash -c 'cargo test'", Other),
            ("cargo test <<EOF\nEOF", Other),
            ("cargo test > 'a b'", Other),
            ("\"cargo", Other),
            ("# cargo test", Other),
            ("cd app", Other),
            ("", Other),
        ] {
            assert_eq!(CommandKind::parse(line), kind, "{line}");
        }
    }
}
