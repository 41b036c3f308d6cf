//! The arguments of the macro: the folder, and up to three named arguments, in any order.

use helve_skill_format::Profile;
use proc_macro2::Span;
use syn::ext::IdentExt;
use syn::parse::{Parse, ParseStream};
use syn::spanned::Spanned;
use syn::{Expr, ExprLit, Ident, Lit, LitStr, Token};

/// The parsed arguments of the macro.
#[derive(Debug)]
pub(crate) struct Request {
    /// The path of the crate that contains `__private`.
    pub(crate) krate: syn::Path,
    pub(crate) folder: LitStr,
    pub(crate) profile: Profile,
    pub(crate) exclude: Vec<LitStr>,
    /// Whether files are compressed if that is worthwhile.
    pub(crate) compress: bool,
}

/// The profiles that can be selected, by name.
const PROFILES: [(&str, Profile); 3] = [
    ("spec", Profile::Spec),
    ("skills-ref", Profile::SkillsRef),
    ("mcp", Profile::Mcp),
];

const ARGUMENTS: [&str; 3] = ["profile", "exclude", "compress"];

/// One argument.
enum Argument {
    Folder(LitStr),
    Named(Ident, Expr),
}

impl Parse for Argument {
    fn parse(input: ParseStream<'_>) -> syn::Result<Self> {
        if input.peek(Ident::peek_any) && input.peek2(Token![=]) {
            let name = input.call(Ident::parse_any)?;
            input.parse::<Token![=]>()?;
            return Ok(Self::Named(name, input.parse()?));
        }
        let value: Expr = input.parse().map_err(|error| {
            let message = "write the folder as a string, as in \"skills\", or `name = value`";
            syn::Error::new(error.span(), message)
        })?;
        match value {
            Expr::Lit(ExprLit {
                lit: Lit::Str(folder),
                ..
            }) => Ok(Self::Folder(folder)),
            other => Err(syn::Error::new(
                other.span(),
                "the folder must be a string literal, as in \"skills\", because it is read at compile time",
            )),
        }
    }
}

/// The arguments so far, and all of their errors.
#[derive(Default)]
struct ParsedArguments {
    folder: Option<LitStr>,
    profile: Option<Profile>,
    exclude: Option<Vec<LitStr>>,
    compress: bool,
    seen: Vec<String>,
    errors: Vec<syn::Error>,
}

impl Parse for Request {
    fn parse(input: ParseStream<'_>) -> syn::Result<Self> {
        let krate = input.call(syn::Path::parse_mod_style)?;
        input.parse::<Token![;]>()?;
        let mut given = ParsedArguments::default();
        for argument in input.parse_terminated(Argument::parse, Token![,])? {
            match argument {
                Argument::Folder(folder) => given.folder(folder),
                Argument::Named(name, value) => given.named(&name, &value),
            }
        }
        given.into_request(krate)
    }
}

impl ParsedArguments {
    fn folder(&mut self, folder: LitStr) {
        if self.folder.is_some() {
            let message = "only one folder is allowed; use a second `include_skills!` for another";
            return self.errors.push(syn::Error::new(folder.span(), message));
        }
        self.folder = Some(folder);
    }

    fn named(&mut self, name: &Ident, value: &Expr) {
        let text = name.unraw().to_string();
        if !ARGUMENTS.contains(&&*text) {
            return self.errors.push(unknown(name, &text));
        }
        if self.seen.contains(&text) {
            let message = format!("`{text}` is here twice: keep one");
            return self.errors.push(syn::Error::new(name.span(), message));
        }
        let read = match &*text {
            "profile" => profile(value).map(|profile| self.profile = Some(profile)),
            "exclude" => exclude(value).map(|exclude| self.exclude = Some(exclude)),
            _ => compress(value).map(|()| self.compress = true),
        };
        self.errors.extend(read.err());
        self.seen.push(text);
    }

    fn into_request(self, krate: syn::Path) -> syn::Result<Request> {
        let mut errors = self.errors;
        if self.folder.is_none() && errors.is_empty() {
            let message =
                "name the folder that holds the skills, as in `include_skills!(\"skills\")`";
            errors.push(syn::Error::new(Span::call_site(), message));
        }
        let all = errors.into_iter().reduce(|mut all, error| {
            all.combine(error);
            all
        });
        match (all, self.folder) {
            (None, Some(folder)) => Ok(Request {
                krate,
                folder,
                profile: self.profile.unwrap_or_default(),
                exclude: self.exclude.unwrap_or_default(),
                compress: self.compress,
            }),
            (Some(errors), _) => Err(errors),
            (None, None) => Err(syn::Error::new(Span::call_site(), "missing folder")),
        }
    }
}

fn unknown(name: &Ident, text: &str) -> syn::Error {
    let near = ARGUMENTS
        .iter()
        .map(|known| (strsim::damerau_levenshtein(text, known), known))
        .filter(|(distance, known)| *distance <= known.len() / 3)
        .min();
    let message = match near {
        Some((_, known)) => format!("unknown argument `{text}`; did you mean `{known}`?"),
        None => {
            format!("unknown argument `{text}`; expected `profile`, `exclude` or `compress`")
        }
    };
    syn::Error::new(name.span(), message)
}

fn string<'a>(value: &'a Expr, example: &str) -> syn::Result<&'a LitStr> {
    match value {
        Expr::Lit(ExprLit {
            lit: Lit::Str(text),
            ..
        }) => Ok(text),
        other => Err(syn::Error::new(
            other.span(),
            format!("expected a string; write {example}"),
        )),
    }
}

fn profile(value: &Expr) -> syn::Result<Profile> {
    let text = string(value, "`profile = \"spec\"`")?;
    let name = text.value();
    if let Some((_, profile)) = PROFILES.iter().find(|(known, _)| *known == name) {
        return Ok(*profile);
    }
    let message = if name == "lenient" {
        "the profile `lenient` is for folders that are read at run time; what is embedded can be mended: use \
         \"spec\", \"skills-ref\" or \"mcp\""
            .to_owned()
    } else {
        format!("unknown profile `{name}`; expected \"spec\", \"skills-ref\" or \"mcp\"")
    };
    Err(syn::Error::new(text.span(), message))
}

fn exclude(value: &Expr) -> syn::Result<Vec<LitStr>> {
    const EXAMPLE: &str = "`exclude = [\"drafts/\", \"*.psd\"]`";
    let Expr::Array(list) = value else {
        let message = format!("expected a list; write {EXAMPLE}");
        return Err(syn::Error::new(value.span(), message));
    };
    let globs = list.elems.iter().map(|glob| {
        let text = string(glob, EXAMPLE)?;
        if text.value().trim().is_empty() {
            return Err(syn::Error::new(
                text.span(),
                "this excludes nothing: delete it",
            ));
        }
        Ok(text.clone())
    });
    globs.collect()
}

fn compress(value: &Expr) -> syn::Result<()> {
    let text = string(value, "`compress = \"zstd\"`")?;
    if text.value() != "zstd" {
        let message = format!(
            "skills cannot be compressed with `{}`; write `compress = \"zstd\"`",
            text.value()
        );
        return Err(syn::Error::new(text.span(), message));
    }
    if !cfg!(feature = "zstd") {
        let message = "to compress needs the feature `skills-zstd` of helve: add it to helve's features in Cargo.toml";
        return Err(syn::Error::new(text.span(), message));
    }
    Ok(())
}
