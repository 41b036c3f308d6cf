//! Files that a message attaches with `@PATH`, and the completion of their paths.

use std::fs::File;
use std::io::Read as _;
use std::path::Path;

use base64::Engine as _;
use base64::engine::general_purpose::STANDARD;

use helve_core::transcript::ContentBlock;

/// The maximum size of a text that is attached in full, in bytes.
const MAX_TEXT_BYTES: usize = 256 << 10;
/// The maximum size of an image, in bytes.
const MAX_IMAGE_BYTES: usize = 5 << 20;
/// The maximum number of paths that are offered for completion.
const MAX_COMPLETIONS: usize = 200;

const IMAGES: [(&str, &str); 5] = [
    ("png", "image/png"),
    ("jpg", "image/jpeg"),
    ("jpeg", "image/jpeg"),
    ("gif", "image/gif"),
    ("webp", "image/webp"),
];

/// The files that a message may attach.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Reach {
    /// Files of the working folder alone, for a text that the user did not write.
    Folder,
    Anywhere,
}

/// Attaches the files that a message names. Returns the blocks, and what the user is told of each name.
pub(super) fn attach(
    message: &str,
    folder: &Path,
    reach: Reach,
) -> (Vec<ContentBlock>, Vec<String>) {
    let (mut blocks, mut notes) = (Vec::new(), Vec::new());
    for name in mentions(message) {
        let path = folder.join(name);
        // `@name,` at the end of a clause names the file without the comma.
        let trimmed = name.trim_end_matches([',', '.', ';', ':', '!', '?', ')']);
        let (name, path) = match path.exists() {
            true => (name, path),
            false => (trimmed, folder.join(trimmed)),
        };
        let block = match reach {
            Reach::Folder if !is_below(&path, folder) => {
                Err("it is outside of the working folder".to_owned())
            }
            _ => read_block(name, &path),
        };
        match block {
            Ok(block) => {
                notes.push(format!("attached {name}"));
                blocks.push(block);
            }
            Err(problem) => notes.push(format!("`@{name}` is sent as text: {problem}")),
        }
    }
    (blocks, notes)
}

/// Reports whether a path leads to a file of a folder. A path that leads nowhere has its own error.
fn is_below(path: &Path, folder: &Path) -> bool {
    match (path.canonicalize(), folder.canonicalize()) {
        (Ok(path), Ok(folder)) => path.starts_with(folder),
        _ => true,
    }
}

/// Lists the words that begin with `@`; a name with blanks is quoted: `@"a file"`.
fn mentions(message: &str) -> Vec<&str> {
    let mut found = Vec::new();
    for (at, _) in message.match_indices('@') {
        if message[..at].ends_with(|before: char| !before.is_whitespace()) {
            continue;
        }
        let rest = &message[at + 1..];
        let name = match rest.strip_prefix('"') {
            Some(quoted) => quoted.split('"').next(),
            None => rest
                .split_whitespace()
                .next()
                .filter(|_| !rest.starts_with(char::is_whitespace)),
        };
        let name = name.unwrap_or_default();
        if !name.is_empty() && !found.contains(&name) {
            found.push(name);
        }
    }
    found
}

fn read_block(name: &str, path: &Path) -> Result<ContentBlock, String> {
    let metadata = path.metadata().map_err(|error| error.to_string())?;
    if metadata.is_dir() {
        let names = list_folder(path, "");
        return Ok(file_block(
            name,
            &names.join("\n"),
            names.len() >= MAX_COMPLETIONS,
        ));
    }
    if !metadata.is_file() {
        return Err("not a regular file".to_owned());
    }
    let extension = path.extension().and_then(|extension| extension.to_str());
    let extension = extension.unwrap_or_default().to_ascii_lowercase();
    let image = IMAGES.iter().find(|(known, _)| *known == extension);
    let most = image.map_or(MAX_TEXT_BYTES, |_| MAX_IMAGE_BYTES);
    let (bytes, is_cut) = read_at_most(path, most).map_err(|error| error.to_string())?;
    if let Some((_, mime_type)) = image {
        if is_cut {
            return Err(format!(
                "the image has more than {} MiB",
                MAX_IMAGE_BYTES >> 20
            ));
        }
        return Ok(ContentBlock::Image {
            data: STANDARD.encode(bytes),
            mime_type: (*mime_type).to_owned(),
        });
    }
    if bytes.contains(&0) {
        return Err("the file is neither text nor an image".to_owned());
    }
    Ok(file_block(name, &String::from_utf8_lossy(&bytes), is_cut))
}

fn read_at_most(path: &Path, most: usize) -> std::io::Result<(Vec<u8>, bool)> {
    let limit = u64::try_from(most).unwrap_or(u64::MAX).saturating_add(1);
    let mut bytes = Vec::new();
    File::open(path)?.take(limit).read_to_end(&mut bytes)?;
    let is_cut = bytes.len() > most;
    bytes.truncate(most);
    Ok((bytes, is_cut))
}

fn file_block(name: &str, text: &str, is_cut: bool) -> ContentBlock {
    let cut = if is_cut {
        "\n[the rest is not attached]"
    } else {
        ""
    };
    ContentBlock::text(enclose(
        "attached_file",
        "path",
        name,
        &format!("{text}{cut}"),
    ))
}

/// Encloses a text in a tag that the text itself cannot end.
pub(super) fn enclose(tag: &str, attribute: &str, value: &str, text: &str) -> String {
    let value = value.replace(|c: char| c.is_control() || c == '"', "\u{fffd}");
    let text = text.replace(&format!("</{tag}"), &format!("&lt;/{tag}"));
    let text = text.trim_end_matches('\n');
    format!("<{tag} {attribute}=\"{value}\">\n{text}\n</{tag}>")
}

/// Completes the path of the word that ends a line: the position at which the candidates start, and the candidates.
pub(super) fn complete_path(line: &str, folder: &Path) -> Option<(usize, Vec<String>)> {
    let word = line.rsplit(char::is_whitespace).next()?;
    let path = word.strip_prefix('@')?;
    let (parent, beginning) = match path.rfind('/') {
        Some(slash) => path.split_at(slash + 1),
        None => ("", path),
    };
    let start = line.len() - beginning.len();
    Some((start, list_folder(&folder.join(parent), beginning)))
}

/// Lists the names in a folder that begin with a text, folders with a slash. Hidden names have to be begun.
fn list_folder(folder: &Path, beginning: &str) -> Vec<String> {
    let Ok(entries) = folder.read_dir() else {
        return Vec::new();
    };
    let names = entries.flatten().filter_map(|entry| {
        let name = entry.file_name().into_string().ok()?;
        let is_hidden = name.starts_with('.') && !beginning.starts_with('.');
        if is_hidden || !name.starts_with(beginning) {
            return None;
        }
        let slash = if entry.path().is_dir() { "/" } else { "" };
        Some(format!("{name}{slash}"))
    });
    let mut names: Vec<String> = names.take(MAX_COMPLETIONS).collect();
    names.sort();
    names
}

#[cfg(test)]
mod tests {
    use super::*;

    fn folder() -> tempfile::TempDir {
        let folder = tempfile::tempdir().expect("a folder");
        let write = |name: &str, bytes: &[u8]| {
            std::fs::write(folder.path().join(name), bytes).expect("a file");
        };
        std::fs::create_dir(folder.path().join("src")).expect("a folder");
        write("src/main.rs", b"fn main() {}\n</attached_file>\n");
        write("a file.txt", b"words\n");
        write("dot.PNG", b"\x89PNG");
        write("program", b"\x7fELF\0");
        write(".hidden", b"");
        folder
    }

    #[test]
    fn files_are_attached_by_name() {
        let folder = folder();
        let message = "See @src/main.rs, @\"a file.txt\" and @dot.PNG; not me@example.org, @program, @nowhere or @ x";
        let (blocks, notes) = attach(message, folder.path(), Reach::Anywhere);
        let blocks: Vec<String> = blocks
            .iter()
            .map(|block| match block {
                ContentBlock::Text { text } => text.clone(),
                ContentBlock::Image { data, mime_type } => format!("{mime_type} {data}"),
                other => format!("{other:?}"),
            })
            .collect();
        insta::assert_snapshot!(blocks.join("\n"), @r#"
        <attached_file path="src/main.rs">
        fn main() {}
        &lt;/attached_file>
        </attached_file>
        <attached_file path="a file.txt">
        words
        </attached_file>
        image/png iVBORw==
        "#);
        insta::assert_snapshot!(notes.join("\n"), @r"
        attached src/main.rs
        attached a file.txt
        attached dot.PNG
        `@program` is sent as text: the file is neither text nor an image
        `@nowhere` is sent as text: No such file or directory (os error 2)
        ");
    }

    #[cfg(unix)]
    #[test]
    fn a_text_of_others_attaches_files_of_the_folder() {
        let outside = folder();
        let folder = folder();
        let link = folder.path().join("link.txt");
        std::os::unix::fs::symlink(outside.path().join("a file.txt"), link).expect("a link");
        let (blocks, notes) = attach("@src @link.txt @/etc/passwd", folder.path(), Reach::Folder);
        assert_eq!(blocks.len(), 1);
        insta::assert_snapshot!(notes.join("\n"), @"
        attached src
        `@link.txt` is sent as text: it is outside of the working folder
        `@/etc/passwd` is sent as text: it is outside of the working folder
        ");
    }

    #[test]
    fn paths_are_completed() {
        let folder = folder();
        let complete = |line| complete_path(line, folder.path());
        let names = |names: &[&str]| names.iter().map(|name| (*name).to_owned()).collect();
        assert_eq!(complete("see @s"), Some((5, names(&["src/"]))));
        assert_eq!(complete("see @src/"), Some((9, names(&["main.rs"]))));
        assert_eq!(complete("@.h"), Some((1, names(&[".hidden"]))));
        assert_eq!(
            complete("@"),
            Some((1, names(&["a file.txt", "dot.PNG", "program", "src/"])))
        );
        assert_eq!(complete("see src"), None);
    }
}
