//! Errors for the model.

use helve::ToolError;
use helve::image::ImageError;

/// Converts the error of an image, which a name precedes.
pub(crate) fn describe(name: &str, error: &ImageError) -> ToolError {
    match error {
        ImageError::NoWorker(_) => ToolError::NotAvailable(format!("`{name}`: {error}")),
        _ => ToolError::failed(format!("`{name}`: {error}")),
    }
}

/// Renders a name on one line: a file name may contain line breaks, which must not look like output of the tool.
pub(crate) fn one_line(name: &str) -> String {
    let name = name.chars().flat_map(|c| {
        let escaped = c.is_control().then(|| c.escape_default());
        let plain = escaped.is_none().then_some(c);
        escaped.into_iter().flatten().chain(plain)
    });
    name.take(300).collect()
}

#[cfg(test)]
mod tests {
    use super::one_line;

    #[test]
    fn names_stay_on_one_line() {
        assert_eq!(one_line("a\nb.png"), r"a\nb.png");
    }
}
