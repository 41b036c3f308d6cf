//! Pieces of bash's syntax in any order.

use super::Generator;

const PIECES: &[&str] = &[
    " ", " ", " ", "\n", "\n", ";", "&", "|", "&&", "||", "(", ")", "{", "}", "{ ", "; }", "$(", ")", "`", "'", "'", "\"", "\"", "\\", "\\\n", "#", " #", "$", "${x", "}",
    "${x#", "$((", "))", "((", "[[ ", " ]]", "<<E", "<<-E", "<<'E'", "<<<", "\nE\n", "E", "\n\tE\n", "<", ">", "2>&1", ">/dev/null", "$'", "\\'", "$\"", "case x in ", "x) ", ";;", " esac",
    "if ", "; then ", "; fi", "for i in ", "; do ", "; done", "while ", "! ", "echo ", "echo a", "cat ", "cat a.txt", "ls", "x=", "x=1 ", "$x", "a", "-o", "*", "~", "touch pwn", "rm -rf src",
    "pwn", "; pwn", "\npwn\n", "\ntouch pwn\n", "function ", "f() ", "time ", "coproc ", "]]", "!", "é", "\r", "\t", "=", ",", "{a,b}", "..",
];

impl Generator {
    pub(super) fn soup(&mut self) -> String {
        let mut text = self.rng.pick(&["echo ", "cat ", "ls ", "echo a", "cat <<E", "", "cat a.txt"]).to_owned();
        for _ in 0..1 + self.rng.below(10) {
            text.push_str(self.rng.pick(PIECES));
        }
        text
    }
}
