//! What a reader of the page sees: neither scripts nor what is hidden.

use super::dom::{Dom, NodeId};

/// Elements whose content is no text of the page.
const NO_TEXT: [&str; 34] = [
    "applet", "area", "audio", "base", "button", "canvas", "col", "colgroup", "datalist", "dialog",
    "embed", "frame", "frameset", "head", "iframe", "input", "link", "map", "meta", "noembed",
    "noframes", "noscript", "object", "optgroup", "option", "param", "progress", "script",
    "select", "style", "svg", "template", "textarea", "video",
];

/// Why the text below an element is not shown.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Invisible {
    /// The element has no text of the page: a script, a form field.
    NoText,
    /// A reader does not see the text, and a program would: it may be there to steer a model.
    Hidden,
}

/// Returns why an element is not shown; `None` if it is.
pub(super) fn invisible(dom: &Dom, id: NodeId) -> Option<Invisible> {
    let element = dom.element(id)?;
    if NO_TEXT.contains(&&*element.name) {
        return Some(Invisible::NoText);
    }
    if element.attributes.is_empty() {
        return None;
    }
    let has = |name: &str| dom.attribute(id, name).is_some();
    let is_hidden = has("hidden")
        || dom
            .attribute(id, "aria-hidden")
            .is_some_and(|value| value.eq_ignore_ascii_case("true"))
        || dom
            .attribute(id, "style")
            .is_some_and(|style| hides(style) || (is_white(style) && !has_background(dom, id)));
    is_hidden.then_some(Invisible::Hidden)
}

/// Iterates over the declarations of a style, in lower case.
fn declarations(style: &str) -> impl Iterator<Item = (String, String)> {
    style.split(';').filter_map(|declaration| {
        let (name, value) = declaration.split_once(':')?;
        let value = value.to_ascii_lowercase().replace("!important", "");
        Some((name.trim().to_ascii_lowercase(), value.trim().to_owned()))
    })
}

/// Reports whether a style hides an element, makes it too small to be read, or moves it out of sight.
fn hides(style: &str) -> bool {
    let is_tiny =
        |value: &str| number(value).is_some_and(|size| size <= 2.0 && !value.contains("em"));
    let is_none = |value: &str| number(value).is_some_and(|size| size <= 0.01);
    let is_far = |value: &str| number(value).is_some_and(|at| at <= -500.0);
    let (mut is_clipped, mut is_flat) = (false, false);
    for (name, value) in declarations(style) {
        let hides = match &*name {
            "display" => value == "none",
            "visibility" => matches!(&*value, "hidden" | "collapse"),
            "content-visibility" => value == "hidden",
            "opacity" => is_none(&value),
            "font-size" => is_tiny(&value) || is_none(&value),
            "text-indent" | "left" | "right" | "top" | "bottom" | "margin-left" | "margin-top" => {
                is_far(&value)
            }
            "color" => value == "transparent",
            "clip" => value.starts_with("rect(0") || value.starts_with("rect(1px"),
            "clip-path" => value.starts_with("inset(50%") || value.starts_with("inset(100%"),
            "transform" => value.contains("scale(0)") || value.contains("translate(-9"),
            _ => false,
        };
        if hides {
            return true;
        }
        is_clipped |= name.starts_with("overflow") && value == "hidden";
        is_flat |= matches!(&*name, "height" | "width" | "max-height" | "max-width")
            && number(&value).is_some_and(|size| size <= 1.0)
            && !value.contains('%')
            && !value.contains("em");
    }
    is_clipped && is_flat
}

/// Returns the number at the start of a value.
fn number(value: &str) -> Option<f64> {
    let end = value.find(|c: char| !c.is_ascii_digit() && !matches!(c, '-' | '+' | '.'));
    value[..end.unwrap_or(value.len())].parse().ok()
}

/// Reports whether a style has white text.
fn is_white(style: &str) -> bool {
    declarations(style).any(|(name, value)| {
        let value = value.replace(' ', "");
        let is_white = matches!(&*value, "white" | "#fff" | "#ffffff" | "#fefefe")
            || value.starts_with("rgb(255,255,255")
            || value.starts_with("rgba(255,255,255");
        name == "color" && is_white
    })
}

/// Reports whether an element, or one that it is in, has a background of its own, as far as the page itself says so.
fn has_background(dom: &Dom, id: NodeId) -> bool {
    let mut at = Some(id);
    while let Some(id) = at {
        let style = dom.attribute(id, "style").unwrap_or_default();
        let styled = declarations(style).any(|(name, value)| {
            let is_white = matches!(
                &*value,
                "white" | "#fff" | "#ffffff" | "none" | "transparent"
            );
            name.starts_with("background") && !is_white
        });
        if styled || dom.attribute(id, "bgcolor").is_some() {
            return true;
        }
        at = dom.parent(id);
    }
    false
}

#[cfg(test)]
mod tests {
    use super::{hides, is_white};

    #[test]
    fn styles_that_hide() {
        for style in [
            "display:none",
            "color: red; DISPLAY : None !important",
            "visibility: hidden",
            "opacity:0",
            "font-size: 0",
            "font-size:1px",
            "position:absolute; left:-9999px",
            "text-indent: -10000em",
            "height:0;overflow:hidden",
            "width: 1px; height: 1px; overflow: hidden",
            "clip: rect(0,0,0,0)",
        ] {
            assert!(hides(style), "{style}");
        }
        for style in [
            "display:block",
            "opacity: 0.9",
            "font-size:12px",
            "font-size: 0.8em",
            "margin-left:-20px",
            "height:100%;overflow:hidden",
            "overflow:hidden",
            "color:#ff0000",
            ";;:",
        ] {
            assert!(!hides(style), "{style}");
        }
        assert!(is_white("color: rgb(255, 255, 255)") && !is_white("background:#fff"));
    }
}
