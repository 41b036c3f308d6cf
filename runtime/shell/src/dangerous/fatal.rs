//! Commands that are denied in every mode: removing the system or all of the user's files, and overwriting whole disks.

use super::arguments::Arguments;
use super::danger::{Danger, fatal};
use super::devices::{is_root_search, writes_device};
use super::removal::Removal;
use crate::name_list::NameList;
use crate::script::ScriptWord;

/// The system folders directly below the root. Other folders below the root may belong to any user.
const SYSTEM: NameList = NameList::new(
    "bin boot dev efi etc home lib lib32 lib64 libx32 lost+found media mnt opt proc root run sbin \
    srv sys usr var applications library system users volumes private",
);

/// Returns the danger of a command that is denied in every mode.
pub(super) fn find(
    program: &str,
    arguments: &Arguments<'_, '_>,
    home: Option<&str>,
) -> Option<Danger> {
    let is_recursive = || arguments.has(&['r', 'R'], "--recursive");
    match program {
        "rm" => {
            let removes = |word: &ScriptWord<'_>| {
                is_root(word, home) && (is_recursive() || word.text.ends_with('*'))
            };
            (arguments.includes_root() || arguments.places().any(removes)).then(|| fatal(REMOVED))
        }
        "mv" => {
            let all: Vec<&ScriptWord<'_>> = arguments.places().collect();
            // The last operand is the target, unless an option names the target.
            let moved = if arguments.has(&['t'], "--target-directory") {
                &all[..]
            } else {
                &all[..all.len().saturating_sub(1)]
            };
            let moves = moved.iter().any(|word| is_root(word, home));
            moves.then(|| fatal("it moves the system, or all of the user's files, away"))
        }
        "chmod" | "chown" | "chgrp" if is_recursive() => {
            let changes = arguments.places().any(|word| is_root(word, home));
            changes.then(|| {
                fatal("it changes the permissions or the owner of the whole system, or of all of the user's files")
            })
        }
        "find" => {
            let is_all = is_root_search(arguments) && arguments.has_word(&["-delete"])
                || removes_found(arguments)
                    && search_roots(arguments).any(|word| is_root(word, home));
            is_all.then(|| fatal(REMOVED))
        }
        "dd" => {
            let mut outputs = arguments
                .texts()
                .filter_map(|text| text.strip_prefix("of="));
            outputs.any(is_disk).then(|| fatal(OVERWRITTEN))
        }
        "wipefs" | "mkfs" | "mkswap" | "blkdiscard" | "badblocks" | "shred" | "tee" | "cp"
        | "install" | "truncate" | "sponge" => overwritten(arguments),
        _ if program.starts_with("mkfs.") => overwritten(arguments),
        _ => None,
    }
}

const REMOVED: &str = "it removes the whole system, or all of the user's files";
const OVERWRITTEN: &str = "it overwrites a disk";

/// Returns a removing command with its relative paths joined to a folder; `None` if the command does not remove files.
pub(super) fn from_folder<'a>(
    folder: &str,
    program: &str,
    words: &[ScriptWord<'a>],
) -> Option<Vec<ScriptWord<'a>>> {
    if !matches!(program, "rm" | "mv" | "chmod" | "chown" | "chgrp" | "find") {
        return None;
    }
    let join = |word: &ScriptWord<'a>| {
        let is_place = !word.text.starts_with(['-', '/', '~', '(', '!']) && !word.is_dynamic;
        if !is_place {
            return word.clone();
        }
        let folder = folder.trim_end_matches('/');
        ScriptWord {
            text: format!("{folder}/{}", word.text).into(),
            is_home: folder.starts_with('~'),
            ..word.clone()
        }
    };
    let mut joined = vec![words.first()?.clone()];
    joined.extend(words[1..].iter().map(join));
    if program == "find" && search_roots(&Arguments(words)).next().is_none() {
        joined.insert(1, join(&ScriptWord::literal(".")));
    }
    Some(joined)
}

/// Iterates over the starting points of `find`.
fn search_roots<'w, 'a>(arguments: &Arguments<'w, 'a>) -> impl Iterator<Item = &'w ScriptWord<'a>> {
    let words = arguments.0.iter().skip(1);
    words
        .skip_while(|word| matches!(&*word.text, "-H" | "-L" | "-P"))
        .take_while(|word| !word.text.starts_with(['-', '!', '(']))
}

/// Reports whether `find` removes everything that it visits, without a test that narrows the selection.
fn removes_found(arguments: &Arguments<'_, '_>) -> bool {
    const WIDE: NameList = NameList::new(
        "-H -L -P -delete -depth -d -mindepth -maxdepth -type -xdev -mount -print -exec -execdir",
    );
    let texts: Vec<&str> = arguments.texts().collect();
    let exec = texts.iter().position(|text| text.starts_with("-exec"));
    let (options, behind) = texts.split_at(exec.unwrap_or(texts.len()));
    let is_wide = |text: &&str| !text.starts_with(['-', '!', '(']) || WIDE.has(text);
    let runs_rm = behind
        .get(1)
        .is_some_and(|text| text.rsplit('/').next() == Some("rm"));
    options.iter().all(is_wide) && (runs_rm || arguments.has_word(&["-delete"]))
}

fn overwritten(arguments: &Arguments<'_, '_>) -> Option<Danger> {
    let writes = arguments.places().any(|word| is_disk(&word.text));
    writes.then(|| fatal(OVERWRITTEN))
}

fn is_disk(path: &str) -> bool {
    let path = path.to_ascii_lowercase().replace("//", "/");
    writes_device(&path.replace("/./", "/"))
}

/// Reports whether a word names the root, a system folder or a user's folder, or everything in one of them.
fn is_root(word: &ScriptWord<'_>, home: Option<&str>) -> bool {
    // Values that are unknown before the command runs need approval; only `$HOME` is treated as a known path.
    let is_home = word.text.starts_with("$HOME") || word.text.starts_with("${HOME}");
    if word.text.is_empty() || word.is_dynamic && !is_home {
        return false;
    }
    // A `~` that the shell does not expand is an ordinary character.
    if word.text.starts_with('~') && !word.is_home {
        return false;
    }
    match Removal::from_path(&word.text, home) {
        Some(Removal::Everything) => true,
        Some(Removal::System) => {
            let tidied = crate::paths::normalize(&word.text);
            let name = tidied.trim_start_matches('/').trim_end_matches("/*");
            let name = name.trim_end_matches('/').to_ascii_lowercase();
            SYSTEM.has(&name)
        }
        _ => false,
    }
}
