//! Wrappers: the position of the inner command.

use super::getopt::{GetoptItem, GetoptIter};
use super::judged::{CommandJudgement, Effect, InnerCommand, ProofError};
use super::table::{
    NONE, OperandSpec, Spec, acts, acts_with, flag, optional, reads, spec, text, writes,
};
use super::word::Word;
use crate::name_list::names;

const UNKNOWN_OPTION: ProofError =
    ProofError("it has an option that may change the command that it runs");
const UNKNOWN_ARGUMENT: ProofError = ProofError("an argument is not known before it runs");
const UNKNOWN_PROGRAM: ProofError =
    ProofError("the program that it runs is not known before it runs");

const fn wrapper(name: &'static str) -> Spec {
    spec(name, OperandSpec::Text).stops_at_operand()
}

/// Sorted by name.
pub(crate) static TABLE: &[Spec] = &[
    // `-p` searches the system folders for the program.
    wrapper("command").flags("p", ""),
    // Without its variables, the command may search for programs and settings elsewhere.
    wrapper("env")
        .flags("0v", "debug null")
        .options(&[text('u', "unset", "NAME"), acts('i', "ignore-environment")]),
    wrapper("ionice")
        .flags("t", "ignore")
        .options(&[text('c', "class", "3"), text('n', "classdata", "4")]),
    wrapper("nice")
        .options(&[text('n', "adjustment", "5")])
        .takes_number(),
    // The output goes to the file `nohup.out` if the standard output is a terminal.
    wrapper("nohup"),
    wrapper("stdbuf").options(&[
        text('e', "error", "L"),
        text('i', "input", "0"),
        text('o', "output", "L"),
    ]),
    wrapper("time")
        .flags("pvq", "portability quiet verbose")
        .options(&[
            text('f', "format", "%e"),
            writes('o', "output"),
            acts('a', "append"),
        ]),
    wrapper("timeout")
        .flags("v", "foreground preserve-status verbose")
        .options(&[text('k', "kill-after", "5"), text('s', "signal", "TERM")]),
    // `-p` and `-o` prompt at the terminal.
    wrapper("xargs")
        .flags("rtx", "exit no-run-if-empty show-limits verbose")
        .options(&[
            flag('0', "null"),
            text('E', "", "end"),
            text('I', "", "{}"),
            text('L', "max-lines", "1"),
            text('P', "max-procs", "1"),
            text('n', "max-args", "1"),
            text('s', "max-chars", "1000"),
            optional('e', "eof", ""),
            optional('i', "replace", "{}"),
            optional('l', "", "1"),
            acts_with(NONE, "process-slot-var"),
            reads('a', "arg-file"),
        ]),
];

/// Judges a wrapper; returns `None` for another program.
pub(crate) fn judge(
    program: &str,
    arguments: &[Word],
) -> Option<Result<CommandJudgement, ProofError>> {
    let spec = super::table::find(TABLE, program)?;
    Some(match program {
        "command" if is_lookup(arguments) => Ok(CommandJudgement::new_reading()),
        "xargs" => xargs(spec, arguments),
        "env" => env(spec, arguments),
        "timeout" => behind(spec, arguments, 1),
        _ => behind(spec, arguments, 0),
    })
}

/// Reports whether the call is `command -v NAME`, which prints what would run, and runs nothing.
fn is_lookup(arguments: &[Word]) -> bool {
    let Some((option, names)) = arguments.split_first() else {
        return false;
    };
    option.is_one_of(names!("-v -V -pv -pV"))
        && names.iter().all(|word| !word.text.starts_with('-'))
}

/// The parsed options of a wrapper.
struct WrapperOptions<'w> {
    judged: CommandJudgement,
    /// The index of the first operand.
    operand: Option<usize>,
    unset: Vec<&'w str>,
    /// The text that `xargs` replaces.
    replaced: Option<&'w str>,
    /// Whether `xargs` reads its input from a file.
    has_file: bool,
    /// Whether `xargs` limits the number of inserted words, in which case it does not replace text.
    has_count: bool,
    /// Whether `xargs` splits its input only at NUL bytes.
    has_null: bool,
}

fn head<'w>(spec: &'static Spec, arguments: &'w [Word]) -> Result<WrapperOptions<'w>, ProofError> {
    let mut head = WrapperOptions {
        judged: CommandJudgement::new_reading(),
        operand: None,
        unset: Vec::new(),
        replaced: None,
        has_file: false,
        has_count: false,
        has_null: false,
    };
    for item in GetoptIter::new(spec, arguments) {
        match item {
            GetoptItem::Operand(_, at) => {
                head.operand = Some(at);
                break;
            }
            GetoptItem::Flag => {}
            GetoptItem::Unknown => return Err(UNKNOWN_OPTION),
            GetoptItem::Unclear(_) => return Err(UNKNOWN_PROGRAM),
            GetoptItem::Option(opt, value) => {
                let is_known = value.is_none_or(|value| value.word.is_exact);
                if !is_known || value.is_none() && opt.effect.takes_value() {
                    return Err(UNKNOWN_ARGUMENT);
                }
                match (spec.name, opt.short) {
                    ("env", b'u') => head.unset.extend(value.map(|value| value.text)),
                    ("xargs", b'I') => head.replaced = value.map(|value| value.text),
                    ("xargs", b'i') => {
                        head.replaced = Some(value.map_or("{}", |value| value.text));
                    }
                    ("xargs", b'0') => head.has_null = true,
                    ("xargs", b'a') => head.has_file = true,
                    ("xargs", b'n' | b'L' | b'l') => head.has_count = true,
                    _ => {}
                }
                head.judged.take_option(opt.effect, value);
            }
        }
    }
    Ok(head)
}

/// Adds the inner command, which begins after the options and this many operands.
fn behind(
    spec: &'static Spec,
    arguments: &[Word],
    operands: usize,
) -> Result<CommandJudgement, ProofError> {
    let mut head = head(spec, arguments)?;
    let Some(first) = head.operand else {
        return Ok(head.judged);
    };
    let before = &arguments[first..arguments.len().min(first + operands)];
    if before
        .iter()
        .any(|word| !word.is_exact && (word.may_be_many || word.text.is_empty()))
    {
        return Err(UNKNOWN_PROGRAM);
    }
    let words = arguments.get(first + operands..).unwrap_or_default();
    head.judged.run(words, Vec::new(), None);
    Ok(head.judged)
}

fn env(spec: &'static Spec, arguments: &[Word]) -> Result<CommandJudgement, ProofError> {
    // For `env`, a lone `-` is `-i`.
    if arguments.first().and_then(Word::known) == Some("-") {
        return Err(UNKNOWN_OPTION);
    }
    let mut head = head(spec, arguments)?;
    let mut assignments: Vec<Word> = head
        .unset
        .iter()
        .map(|name| Word::from_text(format!("{name}=")))
        .collect();
    let rest = head.operand.map_or(&[][..], |at| &arguments[at..]);
    let count = rest
        .iter()
        .take_while(|word| word.text.contains('='))
        .count();
    if rest[..count].iter().any(|word| word.may_be_many) {
        return Err(UNKNOWN_PROGRAM);
    }
    assignments.extend_from_slice(&rest[..count]);
    // Without a command, it prints the variables, which may include secrets.
    if rest.len() == count {
        head.judged.raise(Effect::Acts);
    }
    head.judged.run(&rest[count..], assignments, None);
    Ok(head.judged)
}

fn xargs(spec: &'static Spec, arguments: &[Word]) -> Result<CommandJudgement, ProofError> {
    let mut head = head(spec, arguments)?;
    let words = match head.operand {
        Some(at) => arguments[at..].to_vec(),
        None => vec![Word::from_text("echo")],
    };
    let input = Word {
        may_be_many: true,
        is_whole: head.has_null,
        ..Word::default()
    };
    let Some(replaced) = head.replaced else {
        let mut words = words;
        words.push(input);
        let at = (!head.has_file).then_some(words.len() - 1);
        head.judged.run(&words, Vec::new(), at);
        return Ok(head.judged);
    };
    if head.has_count {
        return Err(UNKNOWN_ARGUMENT);
    }
    let words = replace(&words, replaced, &Word::default())?;
    let at = words
        .iter()
        .position(|word| *word == Word::default())
        .filter(|_| !head.has_file);
    head.judged.run(&words, Vec::new(), at);
    Ok(head.judged)
}

/// Replaces a text in each word with `found`.
///
/// If the text is a part of a word, only the beginning of the word before the text is known.
pub(crate) fn replace(words: &[Word], text: &str, found: &Word) -> Result<Vec<Word>, ProofError> {
    if text.is_empty() {
        return Err(UNKNOWN_ARGUMENT);
    }
    let mut replaced = Vec::with_capacity(words.len());
    for (at, word) in words.iter().enumerate() {
        if !word.is_exact && at == 0 {
            return Err(UNKNOWN_PROGRAM);
        }
        match word.text.split_once(text) {
            None => replaced.push(word.clone()),
            Some(_) if at == 0 => return Err(UNKNOWN_PROGRAM),
            Some(("", "")) if word.is_exact => replaced.push(found.clone()),
            Some((before, _)) => replaced.push(Word {
                is_tilde: word.is_tilde,
                ..Word::with_known_prefix(if before.is_empty() {
                    found.text.as_str()
                } else {
                    before
                })
            }),
        }
    }
    Ok(replaced)
}

impl CommandJudgement {
    /// Adds an inner command; does nothing if there are no words.
    pub(crate) fn run(&mut self, words: &[Word], assignments: Vec<Word>, input: Option<usize>) {
        if words.is_empty() {
            return;
        }
        self.runs.push(InnerCommand {
            words: words.to_vec(),
            assignments,
            input,
        });
    }
}
