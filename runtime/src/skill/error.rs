//! What can go wrong: one error for the programmer, one for the model.

use std::fmt;

/// A catalogue that cannot be made. Read by the programmer.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
pub enum CatalogError {
    /// Several skills have one name.
    #[error("{}", lines(.0))]
    Duplicates(
        /// Every name that is there more than once, sorted.
        Vec<Duplicate>,
    ),
}

/// A name that several skills have.
#[derive(Debug, Clone, PartialEq, Eq)]
#[non_exhaustive]
pub struct Duplicate {
    /// The name.
    pub name: String,
    /// Where the skills come from: package and folder of each.
    pub origins: Vec<(String, String)>,
}

impl fmt::Display for Duplicate {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let name = &self.name;
        write!(f, "{} skills are called `{name}`:", self.origins.len())?;
        for (index, (package, folder)) in self.origins.iter().enumerate() {
            let separator = if index == 0 { " " } else { ", " };
            write!(f, "{separator}`{folder}/{name}` of package `{package}`")?;
        }
        Ok(())
    }
}

fn lines(duplicates: &[Duplicate]) -> String {
    duplicates
        .iter()
        .map(Duplicate::to_string)
        .collect::<Vec<_>>()
        .join("\n")
}

/// A skill that cannot be given. Read by the model.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
pub enum SkillError {
    /// No skill has that name.
    #[error("there is no skill `{name}`{}", suggestion(nearest.as_deref(), known))]
    Unknown {
        /// The name that was asked for.
        name: String,
        /// The name of a skill that is nearly the same.
        nearest: Option<String>,
        /// The names of the skills that there are.
        known: Vec<String>,
    },
}

fn suggestion(nearest: Option<&str>, known: &[String]) -> String {
    /// As many names as a model can use; the prompt has them all.
    const SHOWN: usize = 20;

    if let Some(nearest) = nearest {
        return format!("; did you mean `{nearest}`?");
    }
    if known.is_empty() {
        return "; there are no skills".to_owned();
    }
    let more = match known.len().saturating_sub(SHOWN) {
        0 => String::new(),
        more => format!(" and {more} more"),
    };
    format!(
        "; the skills are: {}{more}",
        known[..known.len().min(SHOWN)].join(", ")
    )
}
