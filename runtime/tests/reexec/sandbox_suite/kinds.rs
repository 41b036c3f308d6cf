//! The kinds of sandboxes that can be opened here.

use std::sync::Arc;

use futures_util::future::BoxFuture;
#[cfg(target_os = "linux")]
use helve_runtime::sandbox::IsolatedSandbox;
use helve_runtime::sandbox::{PassthroughSandbox, Sandbox, SandboxError, SandboxId, SandboxPolicy};

type OpenFuture = BoxFuture<'static, Result<Arc<dyn Sandbox>, SandboxError>>;

/// How a kind of sandbox is opened.
pub(crate) struct SandboxKind {
    pub(crate) name: &'static str,
    pub(crate) open: Box<dyn Fn(SandboxPolicy) -> OpenFuture + Send + Sync>,
    /// Where another process can take it up by its name.
    pub(crate) attach: Option<Box<dyn Fn(SandboxId) -> OpenFuture + Send + Sync>>,
    /// Whether its commands are processes that this test sees, too.
    pub(crate) is_here: bool,
}

/// Lists the kinds that run; says of the others that they do not.
pub(crate) fn available_kinds() -> Vec<Arc<SandboxKind>> {
    let mut kinds = vec![passthrough()];
    #[cfg(target_os = "linux")]
    if crate::isolation::unavailable_reason().is_none() {
        kinds.push(isolated());
    }
    #[cfg(feature = "docker")]
    kinds.extend(crate::sandbox_suite::remote::docker());
    #[cfg(feature = "ssh")]
    kinds.extend(crate::sandbox_suite::remote::ssh());
    kinds.into_iter().map(Arc::new).collect()
}

#[cfg(target_os = "linux")]
fn isolated() -> SandboxKind {
    SandboxKind {
        name: "isolated",
        open: Box::new(|policy| {
            Box::pin(async move {
                let sandbox = IsolatedSandbox::open(policy).await?;
                Ok(Arc::new(sandbox) as Arc<dyn Sandbox>)
            })
        }),
        attach: Some(Box::new(|id| {
            Box::pin(async move {
                let sandbox = IsolatedSandbox::attach(&id).await?;
                Ok(Arc::new(sandbox) as Arc<dyn Sandbox>)
            })
        })),
        is_here: true,
    }
}

fn passthrough() -> SandboxKind {
    SandboxKind {
        name: "passthrough",
        open: Box::new(|policy| {
            Box::pin(async move {
                let sandbox = PassthroughSandbox::open(policy).await?;
                Ok(Arc::new(sandbox) as Arc<dyn Sandbox>)
            })
        }),
        attach: None,
        is_here: true,
    }
}
