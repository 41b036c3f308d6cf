//! The door to files.

use std::sync::Arc;

use super::door::Door;
use super::{Capability, Refusal, Requires};
use crate::sandbox::SandboxFs;

/// The files that a tool may use.
#[derive(Debug, Clone)]
pub struct Files(Door<dyn SandboxFs>);

impl Files {
    /// Joins what a tool declared to what its host granted.
    pub fn new(requires: &Requires, backend: Option<Arc<dyn SandboxFs>>) -> Self {
        Self(Door::new(Capability::Files, requires.fs, backend))
    }

    /// Gives the file system.
    ///
    /// # Errors
    /// When the tool did not declare `requires(fs)`, or the host granted no files.
    pub fn get(&self) -> Result<&dyn SandboxFs, Refusal> {
        self.0.open()
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::capability::RefusalCode;
    use crate::sandbox::UnavailableFs;

    const FS: Requires = Requires {
        fs: true,
        ..Requires::NONE
    };

    #[test]
    fn files_need_a_declaration_and_a_grant() {
        let granted: Arc<dyn SandboxFs> = Arc::new(UnavailableFs);
        let undeclared = Files::new(&Requires::NONE, Some(Arc::clone(&granted)));
        let refusal = undeclared.get().expect_err("refused");
        assert_eq!(refusal.code, RefusalCode::NotDeclared);
        assert_eq!(
            refusal.to_string(),
            "this tool did not declare that it uses files; declare `requires(fs)` on the tool"
        );
        let refusal = Files::new(&FS, None).get().expect_err("refused");
        assert_eq!(refusal.code.as_str(), "NOT_GRANTED");
        assert!(Files::new(&FS, Some(granted)).get().is_ok());
    }
}
