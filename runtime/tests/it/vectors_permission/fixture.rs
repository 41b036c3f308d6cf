//! The tools, the policy and the context of a recorded case.

use std::path::PathBuf;
use std::sync::Arc;

use futures_util::future::BoxFuture;
use helve_runtime::capability::Grants;
use helve_runtime::permission::{Mode, Policy, Rule, Rules, paths};
use helve_runtime::sandbox::{FileSlice, ResolvedPath, SandboxFs};
use helve_runtime::sandbox::{FsError, Listing, Metadata, PathResolution, ReadHandle, ReadRange};
use helve_runtime::schema::{self, Mistakes};
use helve_runtime::tool::{
    Annotations, Check, Facts, FileAccess, PreparedCall, Risk, Tool, ToolContext, ToolSpec,
};
use serde_json::{Value, json};

use crate::vectors_permission::bash_tool::Bash;

/// A tool of a recorded case: its declaration, and what a file tool of helve says of its calls.
pub(crate) struct RecordedTool {
    spec: ToolSpec,
    kind: Kind,
}

#[derive(Clone, Copy, PartialEq, Eq)]
enum Kind {
    /// A reader or writer of one file.
    File {
        writes: bool,
    },
    /// A search below a folder.
    Search,
    /// A search for names, whose rules are about the pattern.
    Glob,
    /// Raises a question of its own.
    Asks,
    Other,
}

impl RecordedTool {
    pub(crate) fn new(tool: &Value) -> Self {
        let class = tool["class"].as_str().unwrap_or_default();
        let reads = tool["is_read_only"].as_bool();
        let kind = match class {
            "Read" => Kind::File { writes: false },
            "Write" | "Edit" => Kind::File { writes: true },
            "Grep" => Kind::Search,
            "Glob" => Kind::Glob,
            "_FakeToolReturningAsk" => Kind::Asks,
            _ => Kind::Other,
        };
        let name = tool["name"].as_str().expect("a name");
        let schema = schema::from_value(json!({ "type": "object" })).expect("a schema");
        let annotations = Annotations::new(reads.filter(|reads| *reads), None, None, None);
        let mut spec = ToolSpec::new(name, "Recorded.", schema).with_annotations(annotations);
        spec.requires.process = matches!(name, "run_code" | "terminal");
        Self { spec, kind }
    }

    /// Says that the app itself has it, and vouches for it.
    pub(crate) fn with_trust(mut self, own: bool) -> Self {
        if own {
            self.spec.risk = Risk::Low;
        }
        self
    }

    fn path(&self, arguments: &str) -> String {
        let input: Value = serde_json::from_str(arguments).expect("arguments");
        let key = match self.kind {
            Kind::File { .. } => "file_path",
            _ => "path",
        };
        match (input[key].as_str(), self.kind) {
            (Some(path), _) => path.to_owned(),
            (None, Kind::Search) => ".".to_owned(),
            (None, _) => String::new(),
        }
    }
}

impl Tool for RecordedTool {
    fn spec(&self) -> &ToolSpec {
        &self.spec
    }

    fn prepare(
        &self,
        context: &ToolContext,
        arguments: Arc<str>,
    ) -> Result<PreparedCall, Mistakes> {
        let mut facts = Facts::from_spec(&self.spec);
        let path = self.path(&arguments);
        match self.kind {
            Kind::File { writes: true } => {
                let place = paths::absolute(&path, context.working_folder(), context.home());
                facts.check = Check::Edit {
                    paths: vec![place.into_owned()],
                };
                facts.suggested_rules.extend(paths::suggest(&path));
            }
            Kind::File { writes: false } => {
                facts.file_accesses.push(FileAccess::read(path.clone()));
                facts.suggested_rules.extend(paths::suggest(&path));
            }
            Kind::Search | Kind::Glob => {
                let folder = paths::absolute(&path, context.working_folder(), context.home());
                facts.file_accesses.push(FileAccess::read(path.clone()));
                facts.suggested_rules.extend(paths::suggest_folder(&folder));
            }
            Kind::Asks => facts.check = Check::ask("it asks"),
            Kind::Other => {}
        }
        let prepared = PreparedCall::new(Arc::clone(&arguments), facts, |_| {
            unreachable!("nothing runs to judge a call")
        });
        let kind = self.kind;
        Ok(match kind {
            Kind::Asks | Kind::Other => prepared,
            _ => prepared.with_rule_matcher(move |context, rule| {
                let pattern = || {
                    let input: Value = serde_json::from_str(&arguments).expect("arguments");
                    input["pattern"].as_str().expect("a pattern").to_owned()
                };
                let path = match kind {
                    Kind::Glob => pattern(),
                    _ => path.clone(),
                };
                Some(paths::covers(context, rule, &path))
            }),
        })
    }
}

/// Makes the tool of a case.
pub(crate) fn tool(tool: &Value) -> Box<dyn Tool> {
    if tool["class"] == "Bash" {
        Box::new(Bash::new())
    } else {
        Box::new(RecordedTool::new(tool))
    }
}

/// Makes the context of a case: its folder and its home.
pub(crate) fn context(input: &Value) -> ToolContext {
    let folder = input["cwd"].as_str().unwrap_or("/tmp/hcwd");
    let files: Arc<dyn SandboxFs> = Arc::new(Folder(vec![folder.into()]));
    ToolContext::builder()
        .home(input["home"].as_str().unwrap_or("/root"))
        .grants(Grants {
            files: Some(files),
            ..Grants::default()
        })
        .build()
}

/// Makes the policy of a case.
pub(crate) fn policy(input: &Value) -> Policy {
    let context = &input["context"];
    let mode: Mode = context["mode"]
        .as_str()
        .unwrap_or("default")
        .parse()
        .expect("a mode");
    let cwd = input["cwd"].as_str().unwrap_or("/tmp/hcwd");
    let more = context["working_directories"].as_object();
    let folders = more.into_iter().flat_map(|more| more.keys().cloned());
    Policy::new(mode)
        .rules(Rules {
            allow: rules(&context["allow_rules"]),
            ask: rules(&context["ask_rules"]),
            deny: rules(&context["deny_rules"]),
        })
        .working_folders(std::iter::once(cwd.to_owned()).chain(folders))
}

fn rules(lists: &Value) -> Vec<Rule> {
    let lists = lists
        .as_object()
        .into_iter()
        .flat_map(|lists| lists.values());
    let rules = lists.flat_map(|list| list.as_array().cloned().unwrap_or_default());
    rules.map(|rule| self::rule(&rule)).collect()
}

/// Reads a recorded rule.
pub(crate) fn rule(rule: &Value) -> Rule {
    Rule {
        tool: rule["tool_name"].as_str().expect("a tool").to_owned(),
        content: rule["rule_content"].as_str().map(str::to_owned),
    }
}

/// A file system of which only the folder is known.
#[derive(Debug)]
struct Folder(Vec<PathBuf>);

macro_rules! unasked {
    ($($name:ident($($arg:ident: $type:ty),*) -> $out:ty;)*) => {
        $(fn $name<'a>(&'a self, _: &'a std::path::Path $(, $arg: $type)*) -> BoxFuture<'a, Result<$out, FsError>> {
            $(let _ = $arg;)*
            unreachable!("a call is judged by its names")
        })*
    };
}

impl SandboxFs for Folder {
    fn roots(&self) -> &[PathBuf] {
        &self.0
    }

    fn resolution(&self) -> PathResolution {
        PathResolution::Closed
    }

    unasked! {
        resolve() -> ResolvedPath;
        metadata() -> Metadata;
        read(range: ReadRange) -> FileSlice;
        open() -> ReadHandle;
        read_dir() -> Listing;
    }

    fn apply(
        &self,
        _: Vec<helve_runtime::sandbox::Change>,
    ) -> BoxFuture<'_, Result<Vec<Metadata>, FsError>> {
        unreachable!("nothing is written here")
    }

    fn create_dir<'a>(&'a self, _: &'a std::path::Path) -> BoxFuture<'a, Result<(), FsError>> {
        unreachable!("nothing is written here")
    }

    fn remove_dir_all<'a>(&'a self, _: &'a std::path::Path) -> BoxFuture<'a, Result<(), FsError>> {
        unreachable!("nothing is written here")
    }

    fn pack<'a>(
        &'a self,
        _: &'a std::path::Path,
    ) -> BoxFuture<'a, Result<Box<dyn std::io::Read + Send>, FsError>> {
        unreachable!("nothing is packed here")
    }

    fn unpack<'a>(
        &'a self,
        _: &'a std::path::Path,
        _: Box<dyn std::io::Read + Send>,
    ) -> BoxFuture<'a, Result<(), FsError>> {
        unreachable!("nothing is written here")
    }
}
