//! The modules of a package, read from its files: what each defines, what it imports, and which paths it mentions.

use std::collections::{BTreeMap, BTreeSet};
use std::fs;
use std::path::{Path, PathBuf};

use proc_macro2::{TokenStream, TokenTree};
use syn::visit::{self, Visit};
use syn::{Attribute, Item, ItemMod, UseTree, Visibility};

/// A path in the source, as it is written.
pub(super) type Segments = Vec<String>;

/// A module, with a file of its own or inside the file of another one.
#[derive(Debug, Default)]
pub(super) struct Module {
    pub(super) file: PathBuf,
    /// Whether it is compiled with a feature alone.
    pub(super) is_optional: bool,
    pub(super) children: BTreeMap<String, Module>,
    /// Types, traits, functions, constants and macros.
    pub(super) items: BTreeSet<String>,
    /// Structs, enums, unions, traits and type aliases.
    pub(super) types: Vec<String>,
    /// The name that each `use` brings, and the path behind it.
    pub(super) imports: BTreeMap<String, Segments>,
    /// The paths whose whole content a `use` brings.
    pub(super) globs: Vec<Segments>,
    /// The paths that the code mentions; re-exports are none.
    pub(super) mentions: BTreeSet<Segments>,
    /// The names of functions and methods.
    pub(super) functions: BTreeSet<String>,
}

impl Module {
    /// Reads a package from its root file. Modules that only tests compile are left out.
    pub(super) fn read(root: &Path) -> Self {
        read_file(root, root.parent().unwrap())
    }

    /// Calls a function with this module and each one below it.
    pub(super) fn for_each<'m>(&'m self, call: &mut impl FnMut(&'m Module, &[&'m str])) {
        self.walk(&mut Vec::new(), call);
    }

    fn walk<'m>(&'m self, path: &mut Vec<&'m str>, call: &mut impl FnMut(&'m Module, &[&'m str])) {
        call(self, path);
        for (name, child) in &self.children {
            path.push(name);
            child.walk(path, call);
            path.pop();
        }
    }
}

/// Reads a module that has a file; its children are in `folder`.
fn read_file(file: &Path, folder: &Path) -> Module {
    let text =
        fs::read_to_string(file).unwrap_or_else(|error| panic!("{}: {error}", file.display()));
    let parsed =
        syn::parse_file(&text).unwrap_or_else(|error| panic!("{}: {error}", file.display()));
    let mut module = Module {
        file: file.to_owned(),
        ..Module::default()
    };
    module.take(&parsed.items, folder);
    module
}

impl Module {
    fn take(&mut self, items: &[Item], folder: &Path) {
        let mut collector = Collector {
            module: self,
            folder: folder.to_owned(),
        };
        for item in items {
            collector.visit_item(item);
        }
    }
}

/// Whether an item is compiled for tests alone.
fn is_test(attributes: &[Attribute]) -> bool {
    attributes.iter().any(|attribute| {
        let is_cfg = attribute.path().is_ident("cfg");
        attribute.path().is_ident("test")
            || is_cfg
                && attribute
                    .parse_args::<syn::Path>()
                    .is_ok_and(|path| path.is_ident("test"))
    })
}

/// Whether an item has `#[cfg(feature = "…")]`.
fn is_optional(attributes: &[Attribute]) -> bool {
    attributes.iter().any(|attribute| {
        attribute.path().is_ident("cfg")
            && attribute
                .parse_args::<syn::MetaNameValue>()
                .is_ok_and(|value| value.path.is_ident("feature"))
    })
}

/// The value of `#[path = "…"]`.
fn path_attribute(attributes: &[Attribute]) -> Option<String> {
    let attribute = attributes
        .iter()
        .find(|found| found.path().is_ident("path"))?;
    let value = &attribute.meta.require_name_value().ok()?.value;
    match value {
        syn::Expr::Lit(syn::ExprLit {
            lit: syn::Lit::Str(text),
            ..
        }) => Some(text.value()),
        _ => None,
    }
}

struct Collector<'m> {
    module: &'m mut Module,
    /// Where the files of child modules are.
    folder: PathBuf,
}

impl Collector<'_> {
    fn add_type(&mut self, name: &syn::Ident) {
        self.module.types.push(name.to_string());
        self.module.items.insert(name.to_string());
    }

    fn add_module(&mut self, item: &ItemMod) {
        let name = item.ident.to_string().trim_start_matches("r#").to_owned();
        let mut child = if let Some((_, items)) = &item.content {
            let mut child = Module {
                file: self.module.file.clone(),
                ..Module::default()
            };
            child.take(items, &self.folder.join(&name));
            child
        } else if let Some(path) = path_attribute(&item.attrs) {
            let file = self.module.file.parent().unwrap().join(path);
            let folder = file.parent().unwrap().to_owned();
            read_file(&file, &folder)
        } else {
            let folder = self.folder.join(&name);
            let beside = self.folder.join(format!("{name}.rs"));
            let file = if beside.is_file() {
                beside
            } else {
                folder.join("mod.rs")
            };
            read_file(&file, &folder)
        };
        child.is_optional = is_optional(&item.attrs);
        // Of two modules of one name, one is for another platform; both count.
        match self.module.children.get_mut(&name) {
            Some(first) => first.children.extend([(format!("{name}-other"), child)]),
            None => drop(self.module.children.insert(name, child)),
        }
    }

    /// Adds what a `use` brings, below the segments before it.
    fn add_use(&mut self, before: &[String], tree: &UseTree, is_reexport: bool) {
        let longer = |ident: &syn::Ident| {
            let mut path = before.to_vec();
            path.push(ident.to_string().trim_start_matches("r#").to_owned());
            path
        };
        match tree {
            UseTree::Path(path) => self.add_use(&longer(&path.ident), &path.tree, is_reexport),
            UseTree::Group(group) => {
                for tree in &group.items {
                    self.add_use(before, tree, is_reexport);
                }
            }
            UseTree::Glob(_) => {
                self.module.globs.push(before.to_vec());
            }
            UseTree::Name(name) if name.ident == "self" => {
                self.import(before.last().cloned(), before.to_vec(), is_reexport);
            }
            UseTree::Name(name) => {
                self.import(
                    Some(name.ident.to_string()),
                    longer(&name.ident),
                    is_reexport,
                );
            }
            UseTree::Rename(rename) => {
                let path = if rename.ident == "self" {
                    before.to_vec()
                } else {
                    longer(&rename.ident)
                };
                self.import(Some(rename.rename.to_string()), path, is_reexport);
            }
        }
    }

    fn import(&mut self, name: Option<String>, path: Segments, is_reexport: bool) {
        if let Some(name) = name {
            self.module.imports.insert(name, path.clone());
        }
        if !is_reexport {
            self.module.mentions.insert(path);
        }
    }

    /// Adds the paths in the tokens of a macro call, which no parser understands.
    fn add_tokens(&mut self, tokens: TokenStream) {
        let mut path: Segments = Vec::new();
        let mut colons = 0;
        for token in tokens {
            match token {
                TokenTree::Ident(ident) => {
                    if colons != 2 {
                        self.finish(&mut path);
                    }
                    path.push(ident.to_string());
                    colons = 0;
                }
                TokenTree::Punct(punct) if punct.as_char() == ':' => colons += 1,
                TokenTree::Group(group) => {
                    self.finish(&mut path);
                    self.add_tokens(group.stream());
                    colons = 0;
                }
                _ => {
                    self.finish(&mut path);
                    colons = 0;
                }
            }
        }
        self.finish(&mut path);
    }

    fn finish(&mut self, path: &mut Segments) {
        let path = std::mem::take(path);
        if path.len() > 1 {
            self.module.mentions.insert(path);
        }
    }
}

impl<'ast> Visit<'ast> for Collector<'_> {
    fn visit_item(&mut self, item: &'ast Item) {
        match item {
            Item::Mod(item) if is_test(&item.attrs) => return,
            Item::Mod(item) => return self.add_module(item),
            Item::Fn(item) if is_test(&item.attrs) => return,
            Item::Use(item) if is_test(&item.attrs) => return,
            Item::Use(item) => {
                let is_reexport = !matches!(item.vis, Visibility::Inherited);
                return self.add_use(&[], &item.tree, is_reexport);
            }
            Item::Struct(item) => self.add_type(&item.ident),
            Item::Enum(item) => self.add_type(&item.ident),
            Item::Union(item) => self.add_type(&item.ident),
            Item::Trait(item) => self.add_type(&item.ident),
            Item::Type(item) => self.add_type(&item.ident),
            Item::Fn(item) => drop(self.module.items.insert(item.sig.ident.to_string())),
            Item::Const(item) => drop(self.module.items.insert(item.ident.to_string())),
            Item::Static(item) => drop(self.module.items.insert(item.ident.to_string())),
            Item::Macro(item) => self
                .module
                .items
                .extend(item.ident.as_ref().map(ToString::to_string)),
            _ => {}
        }
        visit::visit_item(self, item);
    }

    fn visit_path(&mut self, path: &'ast syn::Path) {
        let segments = path
            .segments
            .iter()
            .map(|segment| segment.ident.to_string());
        self.module.mentions.insert(segments.collect());
        visit::visit_path(self, path);
    }

    fn visit_macro(&mut self, call: &'ast syn::Macro) {
        self.add_tokens(call.tokens.clone());
        visit::visit_macro(self, call);
    }

    fn visit_signature(&mut self, signature: &'ast syn::Signature) {
        self.module.functions.insert(signature.ident.to_string());
        visit::visit_signature(self, signature);
    }

    fn visit_impl_item_fn(&mut self, item: &'ast syn::ImplItemFn) {
        if !is_test(&item.attrs) {
            visit::visit_impl_item_fn(self, item);
        }
    }
}
