//! The error for several tools with the same name.

use std::fmt;

use crate::tool::ToolDef;

/// The tools that share a name, with the source location of each.
#[derive(Debug, Clone)]
pub struct DuplicateTools {
    groups: Vec<Vec<&'static ToolDef>>,
}

impl DuplicateTools {
    /// Finds tools with the same name in a sorted list.
    pub(crate) fn among(sorted: &[&'static ToolDef]) -> Option<Self> {
        let groups: Vec<_> = sorted
            .chunk_by(|a, b| a.name() == b.name())
            .filter(|group| group.len() > 1)
            .map(<[_]>::to_vec)
            .collect();
        (!groups.is_empty()).then_some(Self { groups })
    }
}

impl fmt::Display for DuplicateTools {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("several tools have the same name; rename one with `#[tool(name = \"…\")]`")?;
        for group in &self.groups {
            for tool in group {
                write!(
                    f,
                    "\n  `{}` in {} ({})",
                    tool.name(),
                    tool.package(),
                    tool.location()
                )?;
            }
        }
        Ok(())
    }
}

impl std::error::Error for DuplicateTools {}
