//! What the doors of a tool let through: hosts, paths and secrets.

use std::path::{Path, PathBuf};
use std::sync::Arc;

use helve_runtime::capability::{GrantedSecrets, RefusalCode, Requires, Secrets};
use helve_runtime::network::{Host, HostPattern, HostRules};
use helve_runtime::sandbox::{FsError, LocalFs, SandboxFs};
use serde_json::Value;

use crate::vectors_capability::fixture::network;
use crate::vectors_capability::vectors::{Case, Tally, load_topic};

/// Functions that fill in the variables of a configuration, which helve's configuration does not have.
const OTHER_CONFIGURATION: [&str; 3] = [
    "constitution:isReachWithinAllowedRoots",
    "core:deriveFsReachPaths",
    "core:substitute",
];

#[tokio::test]
async fn what_is_out_of_reach_elsewhere_is_out_of_reach_here() {
    let Some(cases) = load_topic("capabilities") else {
        return;
    };
    let mut tally = Tally::new("capabilities");
    let mut other = 0;
    for case in &cases {
        if OTHER_CONFIGURATION.contains(&&*case.function) {
            other += 1;
            continue;
        }
        let recorded = recorded(&case.expected);
        match (reached(case).await, recorded) {
            (true, true) | (false, false) => tally.agree(case),
            (true, false) => tally.differ_laxer(case, "reached"),
            (false, true) => tally.differ(case, "refused"),
        }
    }
    println!(
        "capabilities: {other} are about variables in a configuration that helve does not have"
    );
    tally.finish(&[(
        "capabilities:22",
        "an empty name is no host, whatever is allowed",
    )]);
}

/// Reads whether the other system let it through.
fn recorded(expected: &Value) -> bool {
    match expected {
        Value::Bool(reached) => *reached,
        Value::Null => false,
        Value::Object(object) => !object.contains_key("throws") && !object.contains_key("$throws"),
        _ => true,
    }
}

async fn reached(case: &Case) -> bool {
    let (input, args) = (&case.input, &case.input["args"]);
    let text = |value: &Value| value.as_str().unwrap().to_owned();
    match &*case.function {
        "ScopedFetch.fetch" => {
            let rules = HostRules::from_allowed(texts(&input["allowedHosts"]));
            network(&rules, &Value::Null)
                .judge(&text(&input["url"]))
                .await
                .is_ok()
        }
        "core:ScopedFetchImpl.isHostAllowed" => matches(
            &text(&args[0]),
            &texts(&input["self"]["allowedHosts"]["$set"]),
        ),
        "core:hostMatchesPattern" => matches(&text(&args[0]), &[text(&args[1])]),
        "ScopedSecrets.get" => secret(&texts(&input["declared"]), &text(&input["ref"])).await,
        "core:ScopedSecretsImpl.isDeclared" => {
            secret(
                &texts(&input["self"]["declaredRefs"]["$set"]),
                &text(&args[0]),
            )
            .await
        }
        // A reference is valid where it names something in a folder of secrets.
        "storage-fs:validateRef" => {
            secret(&["all/*".to_owned()], &format!("all/{}", text(&args[0]))).await
        }
        "ScopedFs.read" => {
            path(
                &texts(&input["read"]),
                &text(&input["path"]),
                &input["symlinks"],
            )
            .await
        }
        "ScopedFs.write" => {
            path(
                &texts(&input["write"]),
                &text(&input["path"]),
                &input["symlinks"],
            )
            .await
        }
        "core:assertWithinBase" => path(&[text(&args[0])], &text(&args[1]), &Value::Null).await,
        "core:matchAllowedPrefix" => {
            path(&texts(&args[1]["$set"]), &text(&args[0]), &Value::Null).await
        }
        "storage-fs:isPathAllowed" => path(&texts(&args[1]), &text(&args[0]), &Value::Null).await,
        "core:ScopedFsImpl.hitsDenyFloor" => {
            assert_eq!(
                input["self"]["denyPaths"],
                Value::Array(vec![]),
                "{}",
                case.id
            );
            let roots = texts(&input["self"]["readPaths"]["$set"]);
            // Whether something is on the list of what nobody reaches, wherever the roots are.
            let error = resolve(&roots, &text(&args[0]), &Value::Null).await.err();
            matches!(error, Some(FsError::Forbidden { .. }))
        }
        other => panic!("{}: `{other}` is not known", case.id),
    }
}

fn texts(values: &Value) -> Vec<String> {
    let values = values.as_array().unwrap().iter();
    values
        .map(|value| value.as_str().unwrap().to_owned())
        .collect()
}

fn matches(host: &str, patterns: &[String]) -> bool {
    let Some(host) = Host::parse(host) else {
        return false;
    };
    let mut patterns = patterns.iter();
    patterns
        .any(|pattern| HostPattern::parse(pattern).is_ok_and(|pattern| pattern.matches_host(&host)))
}

/// Asks for a secret that the host has, as a tool with these declarations.
async fn secret(declared: &[String], name: &str) -> bool {
    let declared: Vec<&'static str> = declared.iter().map(|name| &*name.clone().leak()).collect();
    let requires = Requires {
        secrets: declared.leak(),
        ..Requires::NONE
    };
    let granted = GrantedSecrets::new().with_value(name, "value");
    let found = Secrets::new(&requires, Some(Arc::new(granted)))
        .get(name)
        .await;
    match found {
        Ok(secret) => secret.expose() == "value",
        Err(error) => {
            assert_eq!(error.code(), Some(RefusalCode::SecretNotDeclared), "{name}");
            false
        }
    }
}

async fn path(roots: &[String], path: &str, links: &Value) -> bool {
    match resolve(roots, path, links).await {
        Ok(()) => true,
        // What is not there is within reach all the same.
        Err(error) => error.code() != Some(RefusalCode::PathNotReachable),
    }
}

/// Resolves a path of a case in a folder that stands for the whole file system.
async fn resolve(roots: &[String], path: &str, links: &Value) -> Result<(), FsError> {
    let folder = tempfile::tempdir().unwrap();
    let base = folder.path().canonicalize().unwrap();
    let inside = |path: &str| base.join(path.trim_start_matches('/'));
    let roots: Vec<PathBuf> = roots.iter().map(|root| inside(root)).collect();
    for root in &roots {
        std::fs::create_dir_all(root).unwrap();
    }
    for (from, to) in links.as_object().into_iter().flatten() {
        let (from, to) = (inside(from), inside(to.as_str().unwrap()));
        std::fs::create_dir_all(from.parent().unwrap()).unwrap();
        std::os::unix::fs::symlink(to, from).unwrap();
    }
    // The file outside that the links of the recorded cases lead to.
    write(&inside("/tmp/hfs/out/s.txt"));
    if roots.is_empty() {
        return Err(FsError::Outside {
            path: path.to_owned(),
            roots: Vec::new(),
        });
    }
    let files = LocalFs::with_roots(&roots)?;
    files.resolve(&inside(path)).await.map(|_| ())
}

fn write(path: &Path) {
    std::fs::create_dir_all(path.parent().unwrap()).unwrap();
    std::fs::write(path, "").unwrap();
}
