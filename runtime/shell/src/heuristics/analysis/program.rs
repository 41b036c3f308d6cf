//! Programs by their names, and helpers for their arguments.

use crate::heuristics::command_facts::{CommandEffect, CommandFacts, is_descriptor};
use crate::paths;
use crate::script::ScriptWord;

/// Joins a relative path to a folder.
pub(super) fn below(folder: &str, path: &str) -> Option<String> {
    let is_relative = !path.starts_with(['/', '~']);
    is_relative.then(|| format!("{}/{path}", folder.trim_end_matches('/')))
}

pub(super) fn join_words(words: &[ScriptWord<'_>]) -> String {
    let texts: Vec<&str> = words.iter().map(|word| &*word.text).collect();
    texts.join(" ")
}

/// Reports whether a path discards or displays the data written to it.
pub(super) fn is_sink(path: &str) -> bool {
    matches!(
        path,
        "/dev/null" | "/dev/stdin" | "/dev/stdout" | "/dev/stderr" | "/dev/tty"
    ) || is_descriptor(path)
}

/// Adds the possible accesses of an argument of an unknown program.
pub(crate) fn acted_on(word: &ScriptWord<'_>, facts: &mut CommandFacts) {
    let text = &*word.text;
    for piece in [
        Some(text),
        text.split_once('=').map(|(_, value)| value),
        text.split_once('@').map(|(_, file)| file),
    ] {
        let Some(piece) = piece.filter(|piece| !piece.is_empty()) else {
            continue;
        };
        let piece = piece.trim_start_matches('@');
        let piece = piece.strip_prefix("file://").unwrap_or(piece);
        facts.writes_descriptor |= is_descriptor(piece);
        facts.read_text(piece, word);
    }
    if let Some(attached) = text
        .strip_prefix('-')
        .filter(|rest| rest.len() > 1 && !rest.starts_with('-'))
    {
        facts.read_text(
            attached[attached.chars().next().map_or(0, char::len_utf8)..].trim_start_matches('@'),
            word,
        );
    }
    if let Some((_, file)) = text.split_once(':') {
        facts.read_text(file, word);
    }
}

/// Returns the effect of a program that creates, changes or removes files, and adds the accessed files; returns `None`
/// for other programs.
pub(super) fn edits(
    program: &str,
    words: &[ScriptWord<'_>],
    facts: &mut CommandFacts,
    gets_arguments: bool,
) -> Option<CommandEffect> {
    let edits = matches!(program, "mkdir" | "touch" | "rm" | "rmdir" | "mv" | "cp");
    let changes = matches!(program, "chmod" | "chown" | "chgrp" | "ln");
    if !edits && !changes {
        return None;
    }
    let mut is_over = false;
    let mut places = 0;
    let mut is_known = !gets_arguments;
    for word in &words[1..] {
        let text = &*word.text;
        if text == "--" && !is_over {
            is_over = true;
            continue;
        }
        is_known &= !word.is_dynamic;
        if !is_over && text.starts_with('-') && text.len() > 1 {
            if let Some((_, value)) = text.split_once('=') {
                facts.write(&ScriptWord {
                    text: value.into(),
                    is_home: word.is_home,
                    ..ScriptWord::default()
                });
            }
            continue;
        }
        places += 1;
        facts.write(word);
    }
    let only_edits = edits && is_known && places > 0;
    Some(if only_edits {
        CommandEffect::Edits
    } else {
        CommandEffect::Other
    })
}

/// The program of a command.
pub(crate) struct Program<'w> {
    /// The name of the program without its folder.
    pub(crate) name: &'w str,
    /// Whether the program is written as a bare name, or lies in a system folder of programs.
    pub(crate) is_trusted: bool,
}

impl<'w> Program<'w> {
    pub(crate) fn parse(text: &'w str) -> Self {
        match text.rsplit_once('/') {
            None => Self {
                name: text,
                is_trusted: true,
            },
            Some((folder, name)) => Self {
                name,
                is_trusted: paths::holds_programs(folder),
            },
        }
    }
}
