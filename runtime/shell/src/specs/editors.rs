//! Programs that create, change and remove files.

use super::getopt::{GetoptItem, GetoptIter};
use super::judged::{CommandJudgement, Effect};
use super::table::{
    self, NONE, OptEffect, Spec, acts, acts_with, flag, optional, reads, spec, text, writes,
};
use super::word::Word;

const fn editor(name: &'static str) -> Spec {
    spec(name, table::OperandSpec::Names)
}

/// Sorted by name. The names of backup files are unknown, so options that create backups have the effect `Acts`.
pub(crate) static TABLE: &[Spec] = &[
    editor("chmod")
        .flags(
            "Rcfv",
            "changes preserve-root quiet recursive silent verbose",
        )
        .options(&[reads(NONE, "reference")]),
    // A hard link is another name of the source, and a write through the link changes the source.
    editor("cp")
        .flags(
            "HLPdfinpuvx",
            "attributes-only dereference force interactive no-clobber no-dereference \
             one-file-system remove-destination strip-trailing-slashes update verbose",
        )
        .options(&[
            flag('R', ""),
            flag('T', "no-target-directory"),
            flag('a', "archive"),
            flag('r', "recursive"),
            acts('l', "link"),
            writes('t', "target-directory"),
            optional(NONE, "preserve", "mode"),
            optional(NONE, "reflink", "never"),
            text(NONE, "no-preserve", "mode"),
            text(NONE, "sparse", "auto"),
            acts('b', "backup"),
            acts('s', "symbolic-link"),
            acts_with('S', "suffix"),
        ]),
    editor("ln")
        .flags(
            "LPfinrsv",
            "force interactive logical no-dereference physical relative symbolic verbose",
        )
        .options(&[
            flag('T', "no-target-directory"),
            writes('t', "target-directory"),
            acts('b', "backup"),
            acts_with('S', "suffix"),
        ]),
    editor("mkdir")
        .flags("v", "verbose")
        .options(&[flag('p', "parents"), text('m', "mode", "700")]),
    editor("mv")
        .flags(
            "finuv",
            "force interactive no-clobber strip-trailing-slashes update verbose",
        )
        .options(&[
            flag('T', "no-target-directory"),
            writes('t', "target-directory"),
            acts('b', "backup"),
            acts_with('S', "suffix"),
        ]),
    editor("rm")
        .flags("IRdfirv", "dir force one-file-system recursive verbose")
        .options(&[
            optional(NONE, "interactive", "never"),
            optional(NONE, "preserve-root", "all"),
        ]),
    // `-p` also removes parent folders, which the command does not name.
    editor("rmdir")
        .flags("v", "ignore-fail-on-non-empty verbose")
        .options(&[acts('p', "parents")]),
    editor("tee")
        .flags("aip", "append ignore-interrupts")
        .options(&[optional(NONE, "output-error", "warn")]),
    editor("touch")
        .flags("acfhm", "no-create no-dereference")
        .options(&[
            text('d', "date", "yesterday"),
            text('t', "", "202001010000"),
            text(NONE, "time", "mtime"),
            reads('r', "reference"),
        ]),
];

/// Judges a program that edits files; returns `None` for another program.
pub(crate) fn judge(program: &str, arguments: &[Word]) -> Option<CommandJudgement> {
    let spec = table::find(TABLE, program)?;
    Some(edit(spec, arguments))
}

/// The parsed arguments of a program that edits files.
#[derive(Default)]
struct EditorOperands<'w> {
    words: Vec<&'w Word>,
    /// The target folder, if an option names it.
    folder: Option<&'w Word>,
    is_recursive: bool,
    is_plain_target: bool,
    /// Whether missing parent folders are created as well.
    makes_parents: bool,
}

fn edit(spec: &'static Spec, arguments: &[Word]) -> CommandJudgement {
    let mut judged = CommandJudgement::new(Effect::Edits);
    let mut operands = EditorOperands::default();
    for item in GetoptIter::new(spec, arguments) {
        match item {
            GetoptItem::Flag => {}
            GetoptItem::Unknown | GetoptItem::Unclear(_) => judged.hide(),
            GetoptItem::Operand(word, _) => operands.words.push(word),
            GetoptItem::Option(opt, value) => {
                if value.is_some_and(|value| value.word.may_be_many) {
                    judged.hide();
                }
                match (opt.effect, value) {
                    (OptEffect::Writes, Some(value)) if value.is_whole => {
                        operands.folder = Some(value.word);
                    }
                    (OptEffect::Writes, _) => judged.raise(Effect::Acts),
                    (effect, value) => judged.take_option(effect, value),
                }
                operands.is_recursive |= matches!(opt.short, b'r' | b'R' | b'a');
                operands.is_plain_target |= opt.short == b'T';
                operands.makes_parents |= opt.short == b'p';
            }
        }
    }
    if operands.words.is_empty() {
        judged.raise(Effect::Acts);
    }
    // `mkdir -p a/../b` creates `a`, which is not a parent of `b`.
    let leads_back = |word: &&Word| !word.is_exact || word.text.split('/').any(|name| name == "..");
    if operands.makes_parents && operands.words.iter().any(leads_back) {
        judged.raise(Effect::Acts);
    }
    // `touch -` sets the times of its standard output, which may be any file.
    if spec.name == "touch" && operands.words.iter().any(|word| word.text == "-") {
        judged.raise(Effect::Acts);
    }
    match spec.name {
        "cp" | "mv" | "ln" => moves(spec.name, operands, &mut judged),
        _ => {
            let modes = usize::from(spec.name == "chmod");
            let files = operands.words.iter().skip(modes);
            files.for_each(|word| judged.write(word));
        }
    }
    // A later write through a link goes elsewhere, and a file that is executable is more than text.
    if matches!(spec.name, "ln" | "chmod") {
        judged.raise(Effect::Acts);
    }
    judged
}

/// Adds the accesses of `cp`, `mv` and `ln`: the target, and the path of each source inside of the target, in case the
/// target is a folder.
fn moves(program: &str, mut operands: EditorOperands<'_>, judged: &mut CommandJudgement) {
    let Some(target) = operands.folder.or_else(|| operands.words.pop()) else {
        return;
    };
    judged.write(target);
    if !target.is_exact {
        judged.raise(Effect::Acts);
    }
    for source in operands.words {
        if program == "mv" {
            judged.write(source);
        } else {
            judged.read(source);
        }
        let path = source.pattern.as_deref().unwrap_or(&source.text);
        let name = path
            .trim_end_matches('/')
            .rsplit('/')
            .next()
            .unwrap_or_default();
        let has_name = !matches!(name, "" | "." | "..") && !operands.is_plain_target;
        if operands.is_recursive && !has_name {
            // All files in the source folder are written into the target.
            judged.raise(Effect::Acts);
        }
        if has_name {
            let inside = format!("{}/{name}", target.text.trim_end_matches('/'));
            judged.write(&Word {
                is_exact: source.is_exact,
                is_tilde: target.is_tilde,
                pattern: source.pattern.is_some().then(|| inside.clone()),
                text: inside,
                ..Word::default()
            });
        }
    }
}
