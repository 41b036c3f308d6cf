//! Archives as attackers make them. None of them is unpacked in part.

use std::io::Write as _;

use flate2::Compression;
use flate2::write::{DeflateEncoder, GzEncoder};
use proptest::prelude::*;

use super::*;
use crate::discover::skills_of_archive;

/// The path, the kind and the contents of an entry.
type TarEntry<'t> = (&'t str, ::tar::EntryType, &'t [u8]);

/// A tar file whose entries are written byte for byte, so that paths can be wrong.
pub(crate) fn tar_of(entries: &[TarEntry<'_>]) -> Vec<u8> {
    let mut tar = Vec::new();
    for (path, kind, bytes) in entries {
        let mut header = ::tar::Header::new_ustar();
        header.set_entry_type(*kind);
        header.set_size(bytes.len() as u64);
        header.set_mode(0o644);
        let name = &mut header.as_old_mut().name;
        name[..path.len()].copy_from_slice(path.as_bytes());
        header.as_old_mut().linkname[..4].copy_from_slice(b"/etc");
        header.set_cksum();
        tar.extend_from_slice(header.as_bytes());
        tar.extend_from_slice(bytes);
        tar.resize(tar.len().next_multiple_of(512), 0);
    }
    tar.resize(tar.len() + 1_024, 0);
    tar
}

pub(crate) fn gzip(bytes: &[u8]) -> Vec<u8> {
    let mut encoder = GzEncoder::new(Vec::new(), Compression::fast());
    encoder.write_all(bytes).unwrap();
    encoder.finish().unwrap()
}

/// An entry of a zip file: its name, mode, contents, and the size that it claims, where that is wrong.
pub(crate) struct ZipEntry<'z>(
    pub(crate) &'z str,
    pub(crate) u32,
    pub(crate) &'z [u8],
    pub(crate) Option<u32>,
);

pub(crate) fn zip_of(entries: &[ZipEntry<'_>]) -> Vec<u8> {
    let (mut zip, mut directory) = (Vec::new(), Vec::new());
    for ZipEntry(name, mode, bytes, claimed) in entries {
        let mut crc = flate2::Crc::new();
        crc.update(bytes);
        let mut deflate = DeflateEncoder::new(Vec::new(), Compression::fast());
        deflate.write_all(bytes).unwrap();
        let packed = deflate.finish().unwrap();
        let offset = u32::try_from(zip.len()).unwrap();
        let size = claimed.unwrap_or(u32::try_from(bytes.len()).unwrap());
        let mut common = Vec::new();
        for half in [20_u16, 0, 8, 0, 0] {
            common.extend(half.to_le_bytes());
        }
        for word in [crc.sum(), u32::try_from(packed.len()).unwrap(), size] {
            common.extend(word.to_le_bytes());
        }
        common.extend(u16::try_from(name.len()).unwrap().to_le_bytes());
        common.extend(0_u16.to_le_bytes());
        zip.extend(b"PK\x03\x04");
        zip.extend(&common);
        zip.extend(name.as_bytes());
        zip.extend(&packed);
        directory.extend(b"PK\x01\x02\x14\x03");
        directory.extend(&common);
        directory.extend([0; 6]);
        directory.extend((mode << 16).to_le_bytes());
        directory.extend(offset.to_le_bytes());
        directory.extend(name.as_bytes());
    }
    let (start, count) = (
        u32::try_from(zip.len()).unwrap(),
        u16::try_from(entries.len()).unwrap(),
    );
    zip.extend(&directory);
    zip.extend(b"PK\x05\x06\0\0\0\0");
    zip.extend(count.to_le_bytes());
    zip.extend(count.to_le_bytes());
    zip.extend(u32::try_from(directory.len()).unwrap().to_le_bytes());
    zip.extend(start.to_le_bytes());
    zip.extend([0, 0]);
    zip
}

pub(crate) const MANIFEST: &[u8] =
    b"---\nname: pdf\ndescription: Reads PDF files.\n---\n\nRead them.\n";

fn refusal(archive: &[u8]) -> String {
    match skills_of_archive(archive, ArchiveKind::Skills, None) {
        Err(error) => error.to_string(),
        Ok(found) => match found.into_values().find_map(Result::err) {
            Some(error) => error.to_string(),
            None => panic!("the archive is accepted"),
        },
    }
}

use ::tar::EntryType as T;

#[test]
fn a_sound_archive_is_read_in_every_format() {
    let files: [(&str, T, &[u8]); 3] = [
        ("pdf", T::Directory, b""),
        ("pdf/SKILL.md", T::Regular, MANIFEST),
        ("pdf/a.txt", T::Regular, b"a"),
    ];
    let tar = tar_of(&files);
    let zip = zip_of(&[
        ZipEntry("pdf/SKILL.md", 0o100_644, MANIFEST, None),
        ZipEntry("pdf/a.txt", 0o100_644, b"a", None),
    ]);
    for archive in [gzip(&tar), tar, zip] {
        let found = skills_of_archive(&archive, ArchiveKind::Skills, None).unwrap();
        let (folder, tree) = found.into_iter().next().unwrap();
        let tree = tree.unwrap();
        let paths: Vec<&str> = tree.files().map(|(path, _)| path).collect();
        assert_eq!((folder.as_str(), paths), ("pdf", vec!["SKILL.md", "a.txt"]));
    }
}

#[test]
fn hostile_tar_files_are_refused() {
    let skill = ("pdf/SKILL.md", T::Regular, MANIFEST);
    let farm: Vec<String> = (0..50).map(|number| format!("pdf/link{number}")).collect();
    let farm: Vec<(&str, T, &[u8])> = farm
        .iter()
        .map(|path| (path.as_str(), T::Symlink, &b""[..]))
        .collect();
    let cases: [(&str, Vec<TarEntry<'_>>); 15] = [
        ("absolute path", vec![("/etc/cron.d/x", T::Regular, b"x")]),
        ("parent folder", vec![("pdf/../../x", T::Regular, b"x")]),
        ("backslash", vec![("pdf\\..\\x", T::Regular, b"x")]),
        ("symbolic link", vec![("pdf/x", T::Symlink, b"")]),
        ("symlink farm", farm),
        ("hard link", vec![("pdf/x", T::Link, b"")]),
        ("device", vec![("pdf/x", T::Block, b"")]),
        ("character device", vec![("pdf/x", T::Char, b"")]),
        ("pipe", vec![("pdf/x", T::Fifo, b"")]),
        (
            "twice",
            vec![("pdf/x", T::Regular, b"1"), ("pdf/x", T::Regular, b"2")],
        ),
        (
            "case",
            vec![("pdf/x", T::Regular, b"1"), ("pdf/X", T::Regular, b"2")],
        ),
        (
            "file and folder",
            vec![("pdf/x", T::Regular, b"1"), ("pdf/x/y", T::Regular, b"2")],
        ),
        (
            "hooks of git",
            vec![("pdf/.git/hooks/pre-commit", T::Regular, b"#!/bin/sh\n")],
        ),
        ("secrets", vec![("pdf/.env", T::Regular, b"TOKEN=x")]),
        (
            "program",
            vec![("pdf/bin/tool", T::Regular, b"\x7fELF\x02\x01")],
        ),
    ];
    let mut shown = String::new();
    for (case, entries) in cases {
        let entries: Vec<_> = std::iter::once(skill).chain(entries).collect();
        shown.push_str(&format!("{case}: {}\n", refusal(&gzip(&tar_of(&entries)))));
    }
    insta::assert_snapshot!(shown, @r#"
    absolute path: the archive is refused: the entry `/etc/cron.d/x`: the path is absolute
    parent folder: the archive is refused: the entry `pdf/../../x`: the path leaves its folder
    backslash: the archive is refused: the entry `pdf\..\x`: the path has a character that not every system allows
    symbolic link: the archive is refused: the entry `pdf/x` is a link
    symlink farm: the archive is refused: the entry `pdf/link0` is a link
    hard link: the archive is refused: the entry `pdf/x` is no file, folder or symbolic link (Link)
    device: the archive is refused: the entry `pdf/x` is no file, folder or symbolic link (Block)
    character device: the archive is refused: the entry `pdf/x` is no file, folder or symbolic link (Char)
    pipe: the archive is refused: the entry `pdf/x` is no file, folder or symbolic link (Fifo)
    twice: the file `x` is refused: `x` is there twice
    case: the file `X` is refused: `x` differs from it by case alone
    file and folder: the file `x/y` is refused: `x` is there twice
    hooks of git: the file `.git/hooks/pre-commit` is refused: `.git` is never installed
    secrets: the file `.env` is refused: `.env` is never installed
    program: the file `bin/tool` is refused: it is a compiled program
    "#);
}

#[test]
fn bombs_are_refused_before_they_are_unpacked() {
    let zeros = vec![0; 4 << 20];
    let bomb = gzip(&tar_of(&[
        ("pdf/SKILL.md", T::Regular, MANIFEST),
        ("pdf/zeros", T::Regular, &zeros),
    ]));
    assert!(bomb.len() < 1 << 20);
    let zip = zip_of(&[
        ZipEntry("pdf/SKILL.md", 0, MANIFEST, None),
        ZipEntry("pdf/zeros", 0, &zeros, None),
    ]);
    let lying = zip_of(&[
        ZipEntry("pdf/SKILL.md", 0, MANIFEST, None),
        ZipEntry("pdf/zeros", 0, b"1234", Some(2)),
    ]);
    let noise = vec![0xff; 17 << 20];
    let large = tar_of(&[
        ("pdf/SKILL.md", T::Regular, MANIFEST),
        ("pdf/noise", T::Regular, &noise),
    ]);
    let files: Vec<String> = (0..600).map(|number| format!("pdf/{number}")).collect();
    let mut many: Vec<(&str, T, &[u8])> = vec![("pdf/SKILL.md", T::Regular, MANIFEST)];
    many.extend(
        files
            .iter()
            .map(|path| (path.as_str(), T::Regular, &b"x"[..])),
    );
    let text = vec![b'a'; (1 << 20) + 1];
    let long_text = tar_of(&[
        ("pdf/SKILL.md", T::Regular, MANIFEST),
        ("pdf/long.md", T::Regular, &text),
    ]);
    let name = vec![b'a'; 1 << 20];
    let long_name = gzip(&tar_of(&[
        ("././@LongLink", T::GNULongName, &name),
        ("pdf/SKILL.md", T::Regular, MANIFEST),
    ]));
    let folders: Vec<(&str, T, &[u8])> = vec![("a", T::Directory, b""); 30_000];
    let mut shown = String::new();
    for (case, archive) in [
        ("tar bomb", bomb),
        ("zip bomb", zip),
        ("zip with a wrong size", lying),
        ("large file", large),
        ("many files", tar_of(&many)),
        ("long text", long_text),
        ("long name", long_name),
        ("many entries", gzip(&tar_of(&folders))),
    ] {
        shown.push_str(&format!("{case}: {}\n", refusal(&archive)));
    }
    insta::assert_snapshot!(shown, @r#"
    tar bomb: the archive is refused: it is more than 100 times as large when it is unpacked (1943900 bytes)
    zip bomb: the archive is refused: it is more than 100 times as large when it is unpacked (1921600 bytes)
    zip with a wrong size: the archive is refused: an entry differs from its checksum
    large file: the file `noise` is refused: the files have at most 16 MiB together
    many files: the file `511` is refused: there are at most 512 files
    long text: the file `long.md` is refused: a text file has at most 1 MiB
    long name: the archive is refused: a header of an entry is too large
    many entries: the archive is refused: it has more than 20480 entries
    "#);
}

#[test]
fn hostile_zip_files_are_refused() {
    let skill = || ZipEntry("pdf/SKILL.md", 0o100_644, MANIFEST, None);
    let sound = zip_of(&[skill()]);
    let mut other_name = sound.clone();
    let at = other_name
        .windows(8)
        .rposition(|bytes| bytes == b"SKILL.md")
        .unwrap();
    other_name[at] = b'X';
    let mut encrypted = sound.clone();
    let at = encrypted
        .windows(4)
        .position(|bytes| bytes == b"PK\x01\x02")
        .unwrap();
    encrypted[at + 8] |= 1;
    let mut trailing = sound.clone();
    trailing.extend(b"appended");
    let mut shown = String::new();
    for (case, archive) in [
        (
            "absolute path",
            zip_of(&[skill(), ZipEntry("/etc/x", 0, b"x", None)]),
        ),
        (
            "parent folder",
            zip_of(&[skill(), ZipEntry("pdf/../../x", 0, b"x", None)]),
        ),
        (
            "link",
            zip_of(&[skill(), ZipEntry("pdf/x", 0o120_777, b"/etc/passwd", None)]),
        ),
        (
            "device",
            zip_of(&[skill(), ZipEntry("pdf/x", 0o060_666, b"", None)]),
        ),
        ("twice", zip_of(&[skill(), skill()])),
        ("two lists that disagree", other_name),
        ("encrypted", encrypted),
        ("bytes after the end", trailing),
        ("cut", sound[..sound.len() - 9].to_vec()),
        ("empty", zip_of(&[])),
        ("no archive", b"<html>404</html>".to_vec()),
    ] {
        shown.push_str(&format!("{case}: {}\n", refusal(&archive)));
    }
    insta::assert_snapshot!(shown, @r#"
    absolute path: the archive is refused: the entry `/etc/x`: the path is absolute
    parent folder: the archive is refused: the entry `pdf/../../x`: the path leaves its folder
    link: the archive is refused: the entry `pdf/x` is a link
    device: the archive is refused: an entry is no file, folder or symbolic link
    twice: the file `SKILL.md` is refused: `SKILL.md` is there twice
    two lists that disagree: the archive is refused: its two lists of entries disagree
    encrypted: the archive is refused: an entry is encrypted
    bytes after the end: the archive is refused: it is broken: a part of the zip file is missing
    cut: the archive is refused: it is broken: a part of the zip file is missing
    empty: the archive is refused: it is empty
    no archive: the archive is refused: it is no tar, gzip or zip file
    "#);
}

#[test]
fn links_of_a_repository_are_refused_in_skills_alone() {
    let entries: [(&str, T, &[u8]); 4] = [
        ("r/docs/link", T::Symlink, b""),
        ("r/skills/pdf/SKILL.md", T::Regular, MANIFEST),
        ("r/skills/csv/SKILL.md", T::Regular, MANIFEST),
        ("r/skills/csv/passwd", T::Symlink, b""),
    ];
    let found = skills_of_archive(&gzip(&tar_of(&entries)), ArchiveKind::Repository, None).unwrap();
    assert!(found["skills/pdf"].is_ok());
    let error = found["skills/csv"].as_ref().unwrap_err().to_string();
    assert_eq!(error, "the file `passwd` is refused: it is a symbolic link");
    let outside: [(&str, T, &[u8]); 1] = [("r/../../x", T::Regular, b"x")];
    assert!(skills_of_archive(&tar_of(&outside), ArchiveKind::Repository, None).is_err());
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(64))]

    #[test]
    fn changed_archives_never_panic(at in any::<prop::sample::Index>(), byte in any::<u8>(), cut in any::<prop::sample::Index>()) {
        let tar = tar_of(&[("pdf/SKILL.md", T::Regular, MANIFEST), ("pdf/x", T::Regular, b"x")]);
        let zip = zip_of(&[ZipEntry("pdf/SKILL.md", 0, MANIFEST, None), ZipEntry("pdf/x", 0, b"x", None)]);
        for mut archive in [gzip(&tar), tar, zip] {
            let at = at.index(archive.len());
            archive[at] = byte;
            archive.truncate(cut.index(archive.len()).max(1));
            let _ = skills_of_archive(&archive, ArchiveKind::Skills, None);
        }
    }
}
