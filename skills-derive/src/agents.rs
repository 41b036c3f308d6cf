//! Embeds a folder of agent files.

use std::collections::BTreeMap;
use std::path::{Path, PathBuf};

use helve_skill_format::{FoundAgentFile, parse_agent, read_agent_files};
use proc_macro2::{Span, TokenStream};
use quote::quote;
use syn::parse::{Parse, ParseStream};
use syn::{LitStr, Token};

/// The parsed argument of the macro.
#[derive(Debug)]
pub(crate) struct AgentsRequest {
    /// The path of the crate that contains `__private`.
    krate: syn::Path,
    folder: LitStr,
}

impl Parse for AgentsRequest {
    fn parse(input: ParseStream<'_>) -> syn::Result<Self> {
        let krate = input.call(syn::Path::parse_mod_style)?;
        input.parse::<Token![;]>()?;
        if input.is_empty() {
            let message =
                "name the folder that holds the agents, as in `include_agents!(\"agents\")`";
            return Err(syn::Error::new(Span::call_site(), message));
        }
        let folder: LitStr = input.parse().map_err(|error| {
            let message = "the folder must be a string literal, as in \"agents\", because it is read at compile time";
            syn::Error::new(error.span(), message)
        })?;
        input.parse::<Option<Token![,]>>()?;
        if !input.is_empty() {
            return Err(input
                .error("only one folder is allowed; use a second `include_agents!` for another"));
        }
        Ok(Self { krate, folder })
    }
}

/// Checks the files and generates their registration.
pub(crate) fn embed(request: &AgentsRequest) -> syn::Result<TokenStream> {
    let blame = |message: String| syn::Error::new(request.folder.span(), message);
    let package = std::env::var_os("CARGO_MANIFEST_DIR").map(PathBuf::from);
    let package = package.ok_or_else(|| {
        blame("include_agents!: CARGO_MANIFEST_DIR is not set: build with cargo".to_owned())
    })?;
    let folder = request.folder.value();
    let folder = normalise(&folder).map_err(blame)?;
    let root = package.join(folder);
    if !root.is_dir() {
        return Err(blame(format!(
            "include_agents!: `{folder}` is not a folder"
        )));
    }
    let files = read_agent_files(&root);
    if files.is_empty() {
        let message =
            format!("include_agents!: no agents in `{folder}/`: an agent is a file `NAME.md`");
        return Err(blame(message));
    }
    let paths: Vec<String> = files.iter().map(|file| relative(&root, file)).collect();
    check(&files, &paths, folder).map_err(blame)?;
    Ok(expand(&request.krate, folder, &paths))
}

/// Normalises a path for messages and for embedding: relative, without `./` and a trailing `/`.
fn normalise(folder: &str) -> Result<&str, String> {
    if Path::new(folder).has_root() {
        let message =
            "include_agents!: the path must be relative to the folder of the package's Cargo.toml";
        return Err(message.to_owned());
    }
    match folder.trim_start_matches("./").trim_end_matches('/') {
        "" | "." => Err(
            "include_agents!: name the folder that holds the agents, as in \"agents\"".to_owned(),
        ),
        folder => Ok(folder),
    }
}

/// Returns the path of a file in the folder, with `/` on every system.
fn relative(root: &Path, file: &FoundAgentFile) -> String {
    let below = file.path.strip_prefix(root).unwrap_or(&file.path);
    let names = below
        .components()
        .map(|name| name.as_os_str().to_string_lossy());
    names.collect::<Vec<_>>().join("/")
}

/// Returns all problems of the files as one message. What is a warning at run time is an error here, where the author can
/// mend it.
fn check(files: &[FoundAgentFile], paths: &[String], folder: &str) -> Result<(), String> {
    let (mut problems, mut wrong) = (Vec::new(), 0);
    let mut names: BTreeMap<String, &str> = BTreeMap::new();
    for (file, path) in files.iter().zip(paths) {
        let before = problems.len();
        let shown = format!("{folder}/{path}");
        match &file.text {
            Err(reason) => problems.push(format!(
                "error: the file cannot be read: {reason}\n  --> {shown}"
            )),
            Ok(text) => {
                let parsed = parse_agent(text);
                let rendered = parsed.problems.iter().map(|problem| problem.render(&shown));
                problems.extend(rendered.map(|text| text.replacen("warning:", "error:", 1)));
                let name = parsed.name.unwrap_or_default();
                if let Some(first) = names.insert(name.clone(), path)
                    && !name.is_empty()
                {
                    let message = format!("`{folder}/{first}` is also named `{name}`");
                    problems.push(format!("error: {message}\n  --> {shown}"));
                }
            }
        }
        wrong += usize::from(problems.len() > before);
    }
    if problems.is_empty() {
        return Ok(());
    }
    let plural = |count: usize, noun: &str| match count {
        1 => format!("1 {noun}"),
        count => format!("{count} {noun}s"),
    };
    let mut message = format!(
        "include_agents!: {} in {wrong} of {} under `{folder}/`",
        plural(problems.len(), "problem"),
        plural(files.len(), "file"),
    );
    problems
        .iter()
        .for_each(|problem| message.push_str(&format!("\n{problem}")));
    Err(message)
}

/// Generates constants and statics in a `const _` block, so that two uses in one crate do not conflict.
fn expand(krate: &syn::Path, folder: &str, paths: &[String]) -> TokenStream {
    let private = quote!(#krate::__private);
    let agents = paths.iter().map(|path| {
        let file = format!("/{folder}/{path}");
        quote! {
            #private::EmbeddedAgent::new(
                #path,
                #private::include_str!(#private::concat!(#private::env!("CARGO_MANIFEST_DIR"), #file)),
            )
        }
    });
    let count = paths.len();
    quote! {
        const _: () = {
            static AGENTS: [#private::EmbeddedAgent; #count] = [#(#agents),*];
            static SET: #private::AgentSet =
                #private::AgentSet::new(#private::env!("CARGO_PKG_NAME"), #folder, &AGENTS);
            #private::register_agents!(SET);
        };
    }
}
