//! Finds the programs of MCP servers that are in the workspace and run outside the sandbox. Commands must not be able
//! to change these programs.

use std::ffi::OsStr;
use std::path::{Path, PathBuf};

use super::known_servers::{KnownServer, KnownServers, ServerProblem};
use crate::code_files;
use helve_mcp::{StdioServer, Transport};

/// Programs that run the folder which their first argument names.
const INTERPRETERS: &[&str] = &["bun", "deno", "node", "python"];

/// Options of runners that name the folder of the project which they run.
const FOLDER_OPTIONS: &[&str] = &["--directory", "--project", "--prefix", "-C"];

impl KnownServers {
    /// Returns the folders of the workspace, relative to it, from which programs run outside of the sandbox.
    pub(crate) fn program_folders(&self, workspace: &Path) -> Vec<String> {
        let Ok(workspace) = workspace.canonicalize() else {
            return Vec::new();
        };
        let servers = self.servers.iter().filter_map(unsandboxed_program);
        let folders = servers.flat_map(|server| folders_of_program(server, &workspace));
        let mut folders: Vec<String> = folders
            .filter_map(|folder| Some(folder.strip_prefix(&workspace).ok()?.to_str()?.to_owned()))
            .filter(|folder| !folder.is_empty())
            .collect();
        folders.sort();
        folders.dedup();
        folders
    }

    /// Refuses servers whose program lies in the workspace itself, which cannot be kept from commands as a whole.
    pub(super) fn reject_root_programs(&mut self, workspace: &Path) {
        let Ok(workspace) = workspace.canonicalize() else {
            return;
        };
        for server in &mut self.servers {
            let is_at_top = unsandboxed_program(server).is_some_and(|program| {
                folders_of_program(program, &workspace).contains(&workspace)
            });
            if is_at_top {
                server.config = Err(ServerProblem::ProgramInWorkspaceRoot);
            }
        }
    }
}

/// Returns the program of a server that runs outside of the sandbox.
fn unsandboxed_program(server: &KnownServer) -> Option<&StdioServer> {
    match server.config.as_ref().ok()?.transport() {
        Transport::Stdio(program) if !server.is_disabled && !program.sandboxed => Some(program),
        _ => None,
    }
}

/// Finds the folders in the workspace from which a program runs, with links resolved: the folder of its executable, the
/// folders of code in its arguments, and the folder that an interpreter or the runner of a project runs.
fn folders_of_program(server: &StdioServer, workspace: &Path) -> Vec<PathBuf> {
    let start = server.folder.as_deref().unwrap_or(workspace);
    let resolved = |word: &str| start.join(word).canonicalize().ok();
    // A bare name is looked up in PATH.
    let program = Some(&*server.command).filter(|command| command.contains('/'));
    let arguments = server.arguments.iter().map(String::as_str);
    let values =
        arguments.flat_map(|word| [Some(word), word.split_once('=').map(|(_, value)| value)]);
    let code = values
        .flatten()
        .filter(|word| code_files::is_code(Path::new(word)));
    let files = program.into_iter().chain(code).filter_map(resolved);
    let files = files.filter(|place| place.is_file());
    let files = files.filter_map(|place| place.parent().map(Path::to_owned));
    let run = project_folders(server).filter_map(resolved);
    files
        .chain(run.filter(|place| place.is_dir()))
        .filter(|folder| folder.starts_with(workspace))
        .collect()
}

/// Returns the arguments that name a folder whose code is run: `node .`, `uv --directory tools/server run serve`.
fn project_folders(server: &StdioServer) -> impl Iterator<Item = &str> {
    let name = Path::new(&server.command).file_name();
    let name = name.and_then(OsStr::to_str).unwrap_or_default();
    let is_interpreter = INTERPRETERS.iter().any(|known| name.starts_with(known));
    let mut arguments = server.arguments.iter();
    let first = arguments.find(|word| !word.starts_with('-'));
    let first = first.filter(|_| is_interpreter).map(String::as_str);
    let joined = server.arguments.iter().filter_map(|word| {
        let (option, value) = word.split_once('=')?;
        FOLDER_OPTIONS.contains(&option).then_some(value)
    });
    let pairs = server.arguments.windows(2).filter_map(|pair| match pair {
        [option, value] if FOLDER_OPTIONS.contains(&&**option) => Some(&**value),
        _ => None,
    });
    first.into_iter().chain(joined).chain(pairs)
}
