//! Reading of settings files up to a size limit.

use std::fs::File;
use std::io::{self, ErrorKind, Read as _};
use std::path::Path;

/// Reads a file of at most `limit` bytes; `None` if the file does not exist.
///
/// # Errors
///
/// If the file is longer than `limit`, or cannot be read.
pub fn read_if_exists(path: &Path, limit: u64) -> io::Result<Option<Vec<u8>>> {
    let file = match File::open(path) {
        Ok(file) => file,
        // If the home folder is no folder, for instance `/dev/null`, the file does not exist either.
        Err(error) if is_not_found(&error) => return Ok(None),
        Err(error) => return Err(error),
    };
    let mut content = Vec::new();
    file.take(limit.saturating_add(1))
        .read_to_end(&mut content)?;
    if content.len() as u64 > limit {
        let why = format!("the file is larger than {limit} bytes");
        return Err(io::Error::new(ErrorKind::FileTooLarge, why));
    }
    Ok(Some(content))
}

/// Reports whether an error means that the file does not exist.
pub fn is_not_found(error: &io::Error) -> bool {
    matches!(error.kind(), ErrorKind::NotFound | ErrorKind::NotADirectory)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_file_is_read_up_to_the_limit_and_a_longer_one_is_an_error() {
        let folder = tempfile::tempdir().expect("a folder");
        let path = folder.path().join("f");
        assert_eq!(read_if_exists(&path, 3).expect("no file"), None);
        assert_eq!(
            read_if_exists(&path.join("below"), 3).expect("no file"),
            None
        );
        std::fs::write(&path, "abc").expect("writable");
        assert_eq!(
            read_if_exists(&path, 3).expect("a file").as_deref(),
            Some(&b"abc"[..])
        );
        let error = read_if_exists(&path, 2).expect_err("too long");
        assert_eq!(error.kind(), ErrorKind::FileTooLarge);
        assert_eq!(
            read_if_exists(&path.join("below"), 3).expect("no file"),
            None
        );
    }
}
