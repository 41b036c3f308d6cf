//! From skills to tokens. No decisions are made here.
//!
//! The result is constants and statics in a `const _` block, so that two uses in one crate do not meet. Every name
//! in it is reached through the `__private` module of the crate path that the macro was handed.

use std::collections::BTreeMap;

use proc_macro2::{Literal, TokenStream};
use quote::{format_ident, quote};

use helve_skill_format::{File, SKILL_MD, Skill};

/// Writes the registration of all skills of one folder.
pub(crate) fn expand(krate: &TokenStream, folder: &str, skills: &[Skill]) -> TokenStream {
    let private = quote!(#krate::__private);
    let blobs = Blobs::collect(folder, skills);
    let includes = blobs.distinct.iter().map(|path| include(&private, path));
    let twins = blobs.twins.iter().map(|path| include(&private, path));
    let (blob_count, twin_count) = (blobs.distinct.len(), blobs.twins.len());
    let items = skills
        .iter()
        .enumerate()
        .map(|(index, skill)| files_of(&private, folder, index, skill, &blobs));
    let entries = skills
        .iter()
        .enumerate()
        .map(|(index, skill)| entry(&private, index, skill));
    let count = skills.len();
    quote! {
        const _: () = {
            const BLOBS: [&[u8]; #blob_count] = [#(#includes),*];
            // Copies of a blob above: named only so that a change to one of them builds anew.
            const _: [&[u8]; #twin_count] = [#(#twins),*];
            #(#items)*
            static SKILLS: [#private::EmbeddedSkill; #count] = [#(#entries),*];
            static SET: #private::SkillSet =
                #private::SkillSet::new(#private::env!("CARGO_PKG_NAME"), #folder, &SKILLS);
            #private::register_skills!(SET);
        };
    }
}

/// The files that are embedded: one path for each distinct content.
struct Blobs {
    distinct: Vec<String>,
    twins: Vec<String>,
    index: BTreeMap<[u8; 32], usize>,
}

impl Blobs {
    fn collect(folder: &str, skills: &[Skill]) -> Self {
        let mut blobs = Self {
            distinct: Vec::new(),
            twins: Vec::new(),
            index: BTreeMap::new(),
        };
        for skill in skills {
            // The SKILL.md is embedded as text, by its skill.
            for file in skill.files.iter().filter(|file| file.path != SKILL_MD) {
                let path = path_of(folder, skill, &file.path);
                if blobs.index.contains_key(&digest(file)) {
                    blobs.twins.push(path);
                } else {
                    blobs.index.insert(digest(file), blobs.distinct.len());
                    blobs.distinct.push(path);
                }
            }
        }
        blobs
    }
}

/// Writes the text of a skill and the table of its files.
fn files_of(
    private: &TokenStream,
    folder: &str,
    index: usize,
    skill: &Skill,
    blobs: &Blobs,
) -> TokenStream {
    let (source, files) = (
        format_ident!("SOURCE_{index}"),
        format_ident!("FILES_{index}"),
    );
    let path = absolute(private, &path_of(folder, skill, SKILL_MD));
    let count = skill.files.len();
    let entries = skill.files.iter().map(|file| {
        let bytes = match blobs.index.get(&digest(file)) {
            Some(blob) if file.path != SKILL_MD => quote!(BLOBS[#blob]),
            _ => quote!(#source.as_bytes()),
        };
        file_entry(private, file, &bytes)
    });
    quote! {
        const #source: &str = #private::include_str!(#path);
        static #files: [#private::EmbeddedFile; #count] = [#(#entries),*];
    }
}

/// The digest of a file: the folder was read with digests.
fn digest(file: &File) -> [u8; 32] {
    file.sha256.unwrap_or_default()
}

fn file_entry(private: &TokenStream, file: &File, bytes: &TokenStream) -> TokenStream {
    let File {
        path, executable, ..
    } = file;
    let utf8 = file.utf8.unwrap_or_default();
    let digest = Literal::byte_string(&digest(file));
    quote!(#private::EmbeddedFile::embedded(#path, #bytes, *#digest, #executable, #utf8))
}

fn entry(private: &TokenStream, index: usize, skill: &Skill) -> TokenStream {
    let (source, files) = (
        format_ident!("SOURCE_{index}"),
        format_ident!("FILES_{index}"),
    );
    let Skill {
        name,
        description,
        body_start,
        ..
    } = skill;
    quote!(#private::EmbeddedSkill::embedded(#name, #description, #source, #body_start, &#files))
}

fn path_of(folder: &str, skill: &Skill, file: &str) -> String {
    format!("/{folder}/{}/{file}", skill.folder)
}

fn include(private: &TokenStream, path: &str) -> TokenStream {
    let path = absolute(private, path);
    quote!(#private::include_bytes!(#path))
}

/// A path that the compiler tracks, and that stays true when the package is built elsewhere.
fn absolute(private: &TokenStream, path: &str) -> TokenStream {
    quote!(#private::concat!(#private::env!("CARGO_MANIFEST_DIR"), #path))
}
