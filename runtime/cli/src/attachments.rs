//! Files that a message attaches with `@PATH`, and the completion of their paths.

use std::borrow::Cow;
use std::fs::File;
use std::io::Read as _;
use std::path::Path;

use base64::Engine as _;
use base64::engine::general_purpose::STANDARD;

use helve_core::transcript::ContentBlock;
use helve_model::{KnownModel, ModelName};

/// The maximum size of a text that is attached in full, in bytes.
const MAX_TEXT_BYTES: usize = 256 << 10;
/// The maximum size of an image that is sent as it is, in bytes: in base64 it has the 5 MB that providers accept.
const MAX_IMAGE_BYTES: usize = 3_750_000;
/// The maximum size of an image, in bytes.
#[cfg(feature = "image")]
const MAX_READ_BYTES: usize = helve_image::MAX_INPUT_BYTES;
/// The maximum size of an image, in bytes.
#[cfg(not(feature = "image"))]
const MAX_READ_BYTES: usize = MAX_IMAGE_BYTES;
/// The maximum number of paths that are offered for completion.
const MAX_COMPLETIONS: usize = 200;

/// The extensions of images.
const IMAGES: [&str; 5] = ["png", "jpg", "jpeg", "gif", "webp"];

/// The files that a message may attach.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Reach {
    /// Files of the working folder alone, for a text that the user did not write.
    Folder,
    Anywhere,
}

/// Attaches the files that a message names. Returns the blocks, and what the user is told of each name.
///
/// Images are decoded in a worker and encoded again without their metadata, where the program can do that. A model that is
/// known to read no images gets none: its provider would refuse the conversation.
pub(super) async fn attach(
    message: &str,
    folder: &Path,
    reach: Reach,
    model: Option<&ModelName>,
) -> (Vec<ContentBlock>, Vec<String>) {
    let (mut blocks, mut notes) = (Vec::new(), Vec::new());
    let blind = model.filter(|model| KnownModel::reads_images(model) == Some(false));
    let mut names: Vec<Cow<'_, str>> = mentions(message).into_iter().map(Cow::Borrowed).collect();
    if reach == Reach::Anywhere {
        names.extend(pasted_images(message).into_iter().map(Cow::Owned));
    }
    for name in &names {
        let name = &**name;
        let path = folder.join(name);
        // `@name,` at the end of a clause names the file without the comma.
        let trimmed = name.trim_end_matches([',', '.', ';', ':', '!', '?', ')']);
        let (name, path) = match path.exists() {
            true => (name, path),
            false => (trimmed, folder.join(trimmed)),
        };
        let file = match reach {
            Reach::Folder if !is_below(&path, folder) => {
                Err("it is outside of the working folder".to_owned())
            }
            _ => read(name, &path),
        };
        let block = match file {
            Ok(AttachedFile::Image(bytes)) => match blind {
                Some(model) => Err(format!("{model} reads no images")),
                None => image_block(bytes).await,
            },
            Ok(AttachedFile::Block(block)) => Ok((block, String::new())),
            Err(problem) => Err(problem),
        };
        match block {
            Ok((block, remark)) => {
                notes.push(format!("attached {name}{remark}"));
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

/// Lists the absolute paths of images that exist, as terminals paste a file that is dropped on them: quoted, or with `\`
/// before blanks.
fn pasted_images(message: &str) -> Vec<String> {
    let (mut found, mut word, mut quote) = (Vec::new(), String::new(), None);
    let mut chars = message.chars().chain([' ']);
    while let Some(c) = chars.next() {
        match (c, quote) {
            ('\\', None) => word.extend(chars.next()),
            ('\'' | '"', None) if word.is_empty() => quote = Some(c),
            (c, Some(open)) if c == open => quote = None,
            (c, None) if c.is_whitespace() => {
                if is_image(Path::new(&word))
                    && Path::new(&word).is_absolute()
                    && Path::new(&word).is_file()
                {
                    found.push(std::mem::take(&mut word));
                }
                word.clear();
            }
            (c, _) => word.push(c),
        }
    }
    found
}

/// Reports whether a file is an image, by its name.
fn is_image(path: &Path) -> bool {
    let extension = path.extension().and_then(|extension| extension.to_str());
    extension.is_some_and(|own| IMAGES.iter().any(|known| own.eq_ignore_ascii_case(known)))
}

/// Returns the type of an image, by its first bytes: providers refuse an image that is declared as another type.
fn image_type(bytes: &[u8]) -> Option<&'static str> {
    match bytes {
        [0x89, b'P', b'N', b'G', b'\r', b'\n', 0x1a, b'\n', ..] => Some("image/png"),
        [0xff, 0xd8, 0xff, ..] => Some("image/jpeg"),
        [b'G', b'I', b'F', b'8', b'7' | b'9', b'a', ..] => Some("image/gif"),
        [
            b'R',
            b'I',
            b'F',
            b'F',
            _,
            _,
            _,
            _,
            b'W',
            b'E',
            b'B',
            b'P',
            ..,
        ] => Some("image/webp"),
        _ => None,
    }
}

/// A file that was read.
enum AttachedFile {
    Block(ContentBlock),
    /// The bytes of a file with the name of an image.
    Image(Vec<u8>),
}

fn read(name: &str, path: &Path) -> Result<AttachedFile, String> {
    let metadata = path.metadata().map_err(|error| error.to_string())?;
    if metadata.is_dir() {
        let names = list_folder(path, "");
        let is_cut = names.len() >= MAX_COMPLETIONS;
        let block = file_block(name, &names.join("\n"), is_cut);
        return Ok(AttachedFile::Block(block));
    }
    if !metadata.is_file() {
        return Err("not a regular file".to_owned());
    }
    let is_image = is_image(path);
    let most = if is_image {
        MAX_READ_BYTES
    } else {
        MAX_TEXT_BYTES
    };
    let (bytes, is_cut) = read_at_most(path, most).map_err(|error| error.to_string())?;
    if is_image {
        if is_cut {
            return Err(too_large(MAX_READ_BYTES));
        }
        return Ok(AttachedFile::Image(bytes));
    }
    if bytes.contains(&0) {
        return Err("the file is neither text nor an image".to_owned());
    }
    let block = file_block(name, &String::from_utf8_lossy(&bytes), is_cut);
    Ok(AttachedFile::Block(block))
}

fn too_large(most: usize) -> String {
    format!("the image has more than {most} bytes")
}

/// Returns the block of an image, and what the user is told of it.
#[cfg(feature = "image")]
async fn image_block(bytes: Vec<u8>) -> Result<(ContentBlock, String), String> {
    use helve_image::ImageOptions;

    match helve_image::prepare(bytes.clone(), ImageOptions::default()).await {
        Ok(image) => Ok((image.block(), format!(" ({image})"))),
        Err(error) if error.is_unsupported() => plain_image_block(&bytes),
        Err(error) => Err(error.to_string()),
    }
}

/// Returns the block of an image, and what the user is told of it.
#[cfg(not(feature = "image"))]
#[expect(clippy::unused_async, reason = "it waits where images are decoded")]
async fn image_block(bytes: Vec<u8>) -> Result<(ContentBlock, String), String> {
    plain_image_block(&bytes)
}

/// Returns the block of an image as its file is.
fn plain_image_block(bytes: &[u8]) -> Result<(ContentBlock, String), String> {
    let Some(mime_type) = image_type(bytes) else {
        let why = "it is no image: its first bytes are not those of PNG, JPEG, WebP or GIF";
        return Err(why.to_owned());
    };
    if bytes.len() > MAX_IMAGE_BYTES {
        return Err(too_large(MAX_IMAGE_BYTES));
    }
    let block = ContentBlock::Image {
        data: STANDARD.encode(bytes),
        mime_type: mime_type.to_owned(),
    };
    Ok((block, String::new()))
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
        write("dot.PNG", b"\x89PNG\r\n\x1a\n");
        write("program", b"\x7fELF\0");
        write(".hidden", b"");
        folder
    }

    #[tokio::test]
    async fn files_are_attached_by_name() {
        let folder = folder();
        let message = "See @src/main.rs, @\"a file.txt\" and @dot.PNG; not me@example.org, @program, @nowhere or @ x";
        let (blocks, notes) = attach(message, folder.path(), Reach::Anywhere, None).await;
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
        image/png iVBORw0KGgo=
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
    #[tokio::test]
    async fn a_text_of_others_attaches_files_of_the_folder() {
        let outside = folder();
        let folder = folder();
        let link = folder.path().join("link.txt");
        std::os::unix::fs::symlink(outside.path().join("a file.txt"), link).expect("a link");
        let (blocks, notes) = attach(
            "@src @link.txt @/etc/passwd",
            folder.path(),
            Reach::Folder,
            None,
        )
        .await;
        assert_eq!(blocks.len(), 1);
        insta::assert_snapshot!(notes.join("\n"), @"
        attached src
        `@link.txt` is sent as text: it is outside of the working folder
        `@/etc/passwd` is sent as text: it is outside of the working folder
        ");
    }

    #[tokio::test]
    async fn pasted_paths_of_images_are_attached() {
        let folder = folder();
        let image = b"\x89PNG\r\n\x1a\n";
        std::fs::write(folder.path().join("a shot.png"), image).expect("a file");
        let path = folder.path().join("a shot.png");
        let path = path.display();
        let escaped = path.to_string().replace(' ', "\\ ");
        for message in [
            format!("What is this? {escaped}"),
            format!("'{path}'"),
            format!("\"{path}\" is wrong"),
        ] {
            let (blocks, notes) = attach(&message, folder.path(), Reach::Anywhere, None).await;
            assert_eq!(blocks.len(), 1, "{message}: {notes:?}");
            assert_eq!(notes, [format!("attached {path}")]);
            let of_others = attach(&message, folder.path(), Reach::Folder, None).await;
            assert!(of_others.0.is_empty());
        }
        for message in ["a shot.png", "/nowhere/a.png", "\\", "'"] {
            assert!(pasted_images(message).is_empty(), "{message}");
        }
        let blind = "acme/deepseek-v3".parse().expect("a name");
        let (blocks, notes) =
            attach("@dot.PNG", folder.path(), Reach::Anywhere, Some(&blind)).await;
        assert!(blocks.is_empty());
        assert_eq!(
            notes,
            ["`@dot.PNG` is sent as text: acme/deepseek-v3 reads no images"]
        );
    }

    /// What a provider would refuse stays out of the conversation, in which it would be sent again each time.
    #[tokio::test]
    async fn images_that_providers_refuse_are_not_attached() {
        let folder = tempfile::tempdir().expect("a folder");
        let write = |name: &str, head: &[u8], size: usize| {
            let bytes = [head, &vec![0; size - head.len()]].concat();
            std::fs::write(folder.path().join(name), bytes).expect("a file");
        };
        write("large.png", b"\x89PNG\r\n\x1a\n", MAX_IMAGE_BYTES + 1);
        write("most.png", b"\xff\xd8\xff", MAX_IMAGE_BYTES);
        write("words.webp", b"RIFF words", 20);
        let message = "@large.png @most.png @words.webp";
        let (blocks, notes) = attach(message, folder.path(), Reach::Anywhere, None).await;
        insta::assert_snapshot!(notes.join("\n"), @"
        `@large.png` is sent as text: the image has more than 3750000 bytes
        attached most.png
        `@words.webp` is sent as text: it is no image: its first bytes are not those of PNG, JPEG, WebP or GIF
        ");
        let [ContentBlock::Image { data, mime_type }] = &*blocks else {
            panic!("one image: {notes:?}");
        };
        assert_eq!((&**mime_type, data.len()), ("image/jpeg", 5_000_000));
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
