//! `awk`: programs in a subset of the language, which only print.

use super::getopt::{GetoptItem, GetoptIter};
use super::judged::CommandJudgement;
use super::table::{OperandSpec, Spec, spec, text};
use super::word::Word;
use crate::name_list::NameList;

/// The options that all versions of awk support.
static SPEC: Spec = spec("awk", OperandSpec::Pattern)
    .options(&[text('F', "", ","), text('v', "", "n=5")])
    .stops_at_operand();

/// Judges the arguments of `awk`.
pub(crate) fn judge(arguments: &[Word]) -> CommandJudgement {
    let mut judged = CommandJudgement::new_reading();
    let mut has_program = false;
    for item in GetoptIter::new(&SPEC, arguments) {
        match item {
            GetoptItem::Flag => {}
            GetoptItem::Unknown | GetoptItem::Unclear(_) => judged.hide(),
            GetoptItem::Option(_, value) => {
                // The value is text, and names a file only if the program opens the file.
                if value.is_some_and(|value| value.word.may_be_many) {
                    judged.hide();
                }
            }
            GetoptItem::Operand(word, _) if !has_program => {
                has_program = true;
                if !word.known().is_some_and(only_prints) {
                    judged.hide();
                }
            }
            // `NAME=value` sets a variable, and may also be the name of a file.
            GetoptItem::Operand(word, _) => judged.read(word),
        }
    }
    judged
}

/// Words of the language that neither run a program nor open a file.
const WORDS: NameList = NameList::new(
    "BEGIN END FILENAME FNR FS NF NR OFS ORS RLENGTH RS RSTART SUBSEP atan2 break \
                     continue cos delete do else exit exp for gsub if in index int length log \
                     match next print printf rand sin split sprintf sqrt srand sub substr tolower \
                     toupper while",
);

/// Words that run programs, open or close files, or call unknown code.
const OTHERS: NameList = NameList::new(
    "system getline close fflush function func ENVIRON ARGV ARGC PROCINFO \
                      nextfile include load namespace eval SYMTAB FUNCTAB BINMODE",
);

/// Reports whether a program only prints to its standard output.
///
/// The program must not contain `|` except in `||`, `@`, or `>` after a `print` in the same statement, so that the
/// output goes nowhere else. Strings and regular expressions are not distinguished from other text, so a character in
/// them counts as well, except in strings without escapes.
fn only_prints(program: &str) -> bool {
    let Some(bare) = without_strings(program) else {
        return false;
    };
    if !bare.is_ascii() || bare.contains(['@', '\\', '`', '#', '"']) {
        return false;
    }
    if bare.replace("||", "").contains('|') || bare.contains("|&") {
        return false;
    }
    let is_part = |c: char| c.is_ascii_alphanumeric() || c == '_';
    let mut words = bare.split(|c| !is_part(c));
    if words.any(|word| OTHERS.has(word)) {
        return false;
    }
    // A name before `(` is a function of the language, since the program defines none.
    if bare.match_indices('(').any(|(at, _)| {
        let head = bare[..at].trim_end_matches(is_part);
        let name = &bare[head.len()..at];
        !name.is_empty() && !name.starts_with(|c: char| c.is_ascii_digit()) && !WORDS.has(name)
    }) {
        return false;
    }
    // Between `/` characters, a `;` or a brace may be a part of a regular expression, which ends no statement. A line
    // break after a comma ends no statement.
    let ends: &[char] = if bare.contains('/') {
        &[]
    } else {
        &[';', '{', '}']
    };
    bare.split(ends)
        .all(|statement| match statement.find("print") {
            Some(print) => !statement[print..].contains('>'),
            None => true,
        })
}

/// Removes the strings without special content. The program is rejected if a string continues beyond a line or contains
/// an escape other than `\t` and `\n`, or if a `/` could begin a regular expression that contains a `"`.
fn without_strings(program: &str) -> Option<String> {
    let mut bare = String::with_capacity(program.len());
    let mut rest = program;
    while let Some((before, behind)) = rest.split_once('"') {
        // In a regular expression, a `"` does not begin a string.
        if before.contains('/') {
            return None;
        }
        let (text, after) = behind.split_once('"')?;
        if text.contains('\n') || text.contains('\\') && !has_plain_escapes(text) {
            return None;
        }
        bare.push_str(before);
        bare.push_str(" 0 ");
        rest = after;
    }
    bare.push_str(rest);
    Some(bare)
}

/// Reports whether a text contains only the escapes `\t` and `\n`, neither of which can escape a `"`.
fn has_plain_escapes(text: &str) -> bool {
    let mut rest = text;
    while let Some((_, behind)) = rest.split_once('\\') {
        let Some(behind) = behind.strip_prefix(['t', 'n']) else {
            return false;
        };
        rest = behind;
    }
    true
}

#[cfg(test)]
mod tests {
    use super::only_prints;

    #[test]
    fn programs_that_only_print_are_known() {
        for program in [
            "{print $1}",
            "{print $2, $3}",
            "NR==10",
            "NR>=10 && NR<=20",
            "$3 > 100 {print $1}",
            "{sum += $1} END {print sum}",
            "{ printf \"%s\\t%d\\n\", $1, $2 }",
            "/foo/ {print}",
            "!seen[$0]++",
            "length($0) > 80",
            "{print \"a > b | c\"}",
            "$1 == \"x\" || $2 == 3",
            "{n = split($0, a, \",\"); for (i = 1; i <= n; i++) print a[i]}",
        ] {
            assert!(only_prints(program), "{program}");
        }
    }

    #[test]
    fn programs_that_may_do_more_are_not() {
        for program in [
            "BEGIN{system(\"id\")}",
            "{print > \"f\"}",
            "{print $1 >> \"f\"}",
            "{print | \"sh\"}",
            "{\"id\" | getline x}",
            "{getline x < \"f\"}",
            "{print\n> \"f\"}",
            "{printf(\"x\") > \"f\"}",
            "{@f()}",
            "{print ENVIRON[\"K\"]}",
            "{x(\"id\")}",
            "{print \"a\\\" > \\\"f\"}",
            "/\"/ {print > \"f\"}",
            "{close(\"f\")}",
            "# x\n{print > \"f\"}",
            "{print (1) > \"f\"}",
            "{if (1) print 1 > \"f\"}",
            "{print 1,\n2 > \"f\"}",
            "{print /;/ > \"f\"}",
            "{print 1 /2; } /}/ { } { print /{/ > \"f\"}",
        ] {
            assert!(!only_prints(program), "{program}");
        }
    }
}
