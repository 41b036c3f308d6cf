//! Quotes words for a POSIX shell: each word becomes one argument with the same bytes.

/// Quotes a text, which must not contain NUL, since no argument can.
pub(crate) fn quote(text: &str) -> String {
    // Between single quotes, only a single quote is special.
    format!("'{}'", text.replace('\'', r"'\''"))
}

/// Joins words to a command in UTF-8, even if a word is not UTF-8: an engine accepts commands as JSON.
pub(crate) fn quote_command(words: &[Vec<u8>]) -> String {
    let (mut before, mut command) = (String::new(), String::new());
    for (index, word) in words.iter().enumerate() {
        if index > 0 {
            command.push(' ');
        }
        if let Ok(text) = std::str::from_utf8(word) {
            command.push_str(&quote(text));
            continue;
        }
        // A command substitution removes trailing line breaks, so a letter is appended until the value is used.
        before.push_str(&format!("w{index}=$(printf '"));
        for byte in word {
            before.push_str(&format!("\\{byte:03o}"));
        }
        before.push_str("x'); ");
        command.push_str(&format!("\"${{w{index}%x}}\""));
    }
    before + &command
}

#[cfg(test)]
mod tests {
    use std::process::Command;

    use proptest::prelude::*;

    use super::quote_command;

    /// Passes words through a real shell.
    fn through_a_shell(words: &[Vec<u8>]) -> Vec<Vec<u8>> {
        let mut all = vec![b"printf".to_vec(), b"%s\\000".to_vec()];
        all.extend_from_slice(words);
        let output = Command::new("sh")
            .arg("-c")
            .arg(quote_command(&all))
            .env("LC_ALL", "C")
            .output()
            .expect("a shell");
        let mut parts: Vec<Vec<u8>> = output
            .stdout
            .split(|&b| b == 0)
            .map(<[u8]>::to_vec)
            .collect();
        parts.pop();
        parts
    }

    #[test]
    fn hard_words_come_out_as_they_went_in() {
        let words = [
            &b"it's"[..],
            b"",
            b"$HOME `id` $(id)",
            b"a\nb\n",
            b"\\",
            b"*",
            b"-n",
            b"\xff\n",
            b"!x",
            b"~",
            b"%s",
            b"\xc3(",
        ];
        let words: Vec<Vec<u8>> = words.iter().map(|word| word.to_vec()).collect();
        assert_eq!(through_a_shell(&words), words);
    }

    proptest! {
        #![proptest_config(ProptestConfig::with_cases(64))]
        #[test]
        fn any_words_come_out_as_they_went_in(
            words in prop::collection::vec(prop::collection::vec(1u8..=255, 0..40), 1..8)
        ) {
            prop_assert_eq!(through_a_shell(&words), words);
        }
    }
}
