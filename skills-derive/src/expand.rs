//! Generates the tokens for skills. No decisions are made here.
//!
//! The result is constants and statics in a `const _` block, so that two uses in one crate do not conflict. All names
//! in it are resolved through the `__private` module of the crate path that the macro receives.

use helve_skill_format::{FileInfo, Skill};
use proc_macro2::{Literal, TokenStream};
use quote::{format_ident, quote};

use crate::blobs::{Blob, Blobs, digest, file_path};
use crate::request::Request;

/// Generates the registration of all skills of one folder.
pub(crate) fn expand(
    request: &Request,
    folder: &str,
    skills: &[Skill],
    blobs: &Blobs,
) -> TokenStream {
    let krate = &request.krate;
    let private = quote!(#krate::__private);
    let contents = blobs
        .distinct
        .iter()
        .enumerate()
        .map(|(index, blob)| content(&private, index, blob));
    let items = skills
        .iter()
        .enumerate()
        .map(|(index, skill)| file_table(&private, folder, index, skill, blobs));
    let entries = skills
        .iter()
        .enumerate()
        .map(|(index, skill)| entry(&private, index, skill));
    let (tracked, built_from) = (
        tracked_files(&private, blobs),
        built_from(&private, request, folder),
    );
    let count = skills.len();
    quote! {
        const _: () = {
            #(#contents)*
            #tracked
            #(#items)*
            static SKILLS: [#private::EmbeddedSkill; #count] = [#(#entries),*];
            const FROM_SOURCE: #private::SkillSet =
                #private::SkillSet::new(#private::env!("CARGO_PKG_NAME"), #folder, &SKILLS);
            #built_from
            #private::register_skills!(SET);
        };
    }
}

/// Generates one content; the compiler reads an uncompressed one itself.
fn content(private: &TokenStream, index: usize, blob: &Blob) -> TokenStream {
    let name = format_ident!("BLOB_{index}");
    match &blob.compressed {
        None => {
            let bytes = include(private, &blob.path);
            quote!(const #name: &[u8] = #bytes;)
        }
        Some(packed) => {
            let (bytes, size) = (Literal::byte_string(packed), blob.size);
            quote!(static #name: #private::CompressedContents = #private::CompressedContents::zstd(#bytes, #size);)
        }
    }
}

/// Generates references to the files that are not referenced otherwise, so that a change to one of them triggers a
/// rebuild.
fn tracked_files(private: &TokenStream, blobs: &Blobs) -> TokenStream {
    let packed = blobs
        .distinct
        .iter()
        .filter(|blob| blob.compressed.is_some());
    let paths = packed.map(|blob| &blob.path).chain(&blobs.duplicates);
    let includes: Vec<_> = paths.map(|path| include(private, path)).collect();
    let count = includes.len();
    quote!(const _: [&[u8]; #count] = [#(#includes),*];)
}

/// Generates the source folder of the set, for builds with debug assertions.
fn built_from(private: &TokenStream, request: &Request, folder: &str) -> TokenStream {
    let path = absolute(private, &format!("/{folder}"));
    let exclude = &request.exclude;
    quote! {
        #[cfg(debug_assertions)]
        static SET: #private::SkillSet = FROM_SOURCE.with_source_folder(#private::SourceFolder {
            path: #path,
            exclude: &[#(#exclude),*],
        });
        #[cfg(not(debug_assertions))]
        static SET: #private::SkillSet = FROM_SOURCE;
    }
}

/// Generates the text of a skill and the table of its files.
fn file_table(
    private: &TokenStream,
    folder: &str,
    index: usize,
    skill: &Skill,
    blobs: &Blobs,
) -> TokenStream {
    let (source, files) = names(index);
    let path = absolute(private, &file_path(folder, skill, &skill.manifest));
    let count = skill.files.len();
    let entries = skill
        .files
        .iter()
        .map(|file| file_entry(private, skill, file, &source, blobs));
    quote! {
        const #source: &str = #private::include_str!(#path);
        static #files: [#private::EmbeddedFile; #count] = [#(#entries),*];
    }
}

fn file_entry(
    private: &TokenStream,
    skill: &Skill,
    file: &FileInfo,
    source: &syn::Ident,
    blobs: &Blobs,
) -> TokenStream {
    let FileInfo {
        path, executable, ..
    } = file;
    let utf8 = file.utf8.unwrap_or_default();
    let (make, contents) = match blobs.find(skill, file) {
        None => (quote!(new), quote!(#source.as_bytes())),
        Some((index, blob)) => {
            let name = format_ident!("BLOB_{index}");
            match blob.compressed {
                None => (quote!(new), quote!(#name)),
                Some(_) => (quote!(compressed), quote!(&#name)),
            }
        }
    };
    let digest = Literal::byte_string(&digest(file));
    quote!(#private::EmbeddedFile::#make(#path, #contents, *#digest, #executable, #utf8))
}

fn entry(private: &TokenStream, index: usize, skill: &Skill) -> TokenStream {
    let (source, files) = names(index);
    let Skill {
        name,
        description,
        body_start,
        front_matter,
        folder,
        ..
    } = skill;
    // The two may differ in code points, because names are in a normal form.
    let other = (folder != name).then(|| quote!(.in_folder(#folder)));
    let tool = front_matter.is_tool().then(|| quote!(.as_tool()));
    let people = (!front_matter.model_invocable()).then(|| quote!(.user_invocable_only()));
    quote! {
        #private::EmbeddedSkill::new(#name, #description, #source, #body_start, &#files) #other #tool #people
    }
}

/// Returns the names of a skill's constants: its text and its files.
fn names(skill: usize) -> (syn::Ident, syn::Ident) {
    (
        format_ident!("SOURCE_{skill}"),
        format_ident!("FILES_{skill}"),
    )
}

fn include(private: &TokenStream, path: &str) -> TokenStream {
    let path = absolute(private, path);
    quote!(#private::include_bytes!(#path))
}

/// Generates an absolute path that the compiler tracks, and that is correct wherever the package is built.
fn absolute(private: &TokenStream, path: &str) -> TokenStream {
    quote!(#private::concat!(#private::env!("CARGO_MANIFEST_DIR"), #path))
}
