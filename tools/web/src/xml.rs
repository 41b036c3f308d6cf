//! The tags and texts of XML, one after the other: as much as feeds need. Nothing is expanded but characters.

/// A part of a document.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum XmlEvent<'a> {
    /// A start tag, with its attributes as they are written.
    Start {
        name: &'a str,
        attributes: &'a str,
        is_empty: bool,
    },
    End {
        name: &'a str,
    },
    Text(&'a str),
    /// Text in which nothing is replaced.
    Data(&'a str),
}

/// Reads a document.
#[derive(Debug)]
pub(crate) struct XmlReader<'a> {
    rest: &'a str,
}

impl<'a> XmlReader<'a> {
    pub(crate) fn new(text: &'a str) -> Self {
        Self { rest: text }
    }

    /// Takes what is before `end`, and skips the end.
    fn until(&mut self, end: &str) -> &'a str {
        match self.rest.split_once(end) {
            Some((inside, rest)) => {
                self.rest = rest;
                inside
            }
            None => std::mem::take(&mut self.rest),
        }
    }

    fn tag(&mut self) -> XmlEvent<'a> {
        let inside = self.until(">");
        if let Some(name) = inside.strip_prefix('/') {
            return XmlEvent::End {
                name: local(name.trim()),
            };
        }
        let is_empty = inside.ends_with('/');
        let inside = inside.strip_suffix('/').unwrap_or(inside);
        let end = inside.find(char::is_whitespace).unwrap_or(inside.len());
        let (name, attributes) = inside.split_at(end);
        XmlEvent::Start {
            name: local(name),
            attributes,
            is_empty,
        }
    }
}

impl<'a> Iterator for XmlReader<'a> {
    type Item = XmlEvent<'a>;

    fn next(&mut self) -> Option<XmlEvent<'a>> {
        loop {
            if self.rest.is_empty() {
                return None;
            }
            let Some(rest) = self.rest.strip_prefix('<') else {
                let end = self.rest.find('<').unwrap_or(self.rest.len());
                let (text, rest) = self.rest.split_at(end);
                self.rest = rest;
                return Some(XmlEvent::Text(text));
            };
            self.rest = rest;
            if let Some(rest) = rest.strip_prefix("![CDATA[") {
                self.rest = rest;
                return Some(XmlEvent::Data(self.until("]]>")));
            } else if rest.starts_with("!--") {
                self.until("-->");
            } else if rest.starts_with(['!', '?']) {
                // A document type with entities of its own: they are not expanded.
                self.until(">");
            } else {
                return Some(self.tag());
            }
        }
    }
}

/// Returns a name without its prefix.
fn local(name: &str) -> &str {
    name.rsplit_once(':').map_or(name, |(_, local)| local)
}

/// Returns the value of an attribute.
pub(crate) fn attribute(attributes: &str, name: &str) -> Option<String> {
    let mut rest = attributes;
    while let Some((before, after)) = rest.split_once('=') {
        let after = after.trim_start();
        let quote = after.chars().next().filter(|c| matches!(c, '"' | '\''))?;
        let (value, later) = after[1..].split_once(quote)?;
        if before.trim() == name {
            return Some(unescape(value));
        }
        rest = later;
    }
    None
}

/// Replaces the references to characters.
pub(crate) fn unescape(text: &str) -> String {
    let mut unescaped = String::with_capacity(text.len());
    let mut rest = text;
    while let Some((before, after)) = rest.split_once('&') {
        unescaped.push_str(before);
        let reference = after.split_once(';').filter(|(name, _)| name.len() <= 8);
        match reference.and_then(|(name, later)| Some((character(name)?, later))) {
            Some((c, later)) => {
                unescaped.push(c);
                rest = later;
            }
            None => {
                unescaped.push('&');
                rest = after;
            }
        }
    }
    unescaped.push_str(rest);
    unescaped
}

fn character(name: &str) -> Option<char> {
    match name {
        "amp" => Some('&'),
        "lt" => Some('<'),
        "gt" => Some('>'),
        "quot" => Some('"'),
        "apos" => Some('\''),
        "nbsp" => Some('\u{a0}'),
        _ => {
            let number = name.strip_prefix('#')?;
            let code = match number.strip_prefix(['x', 'X']) {
                Some(hex) => u32::from_str_radix(hex, 16).ok()?,
                None => number.parse().ok()?,
            };
            char::from_u32(code).filter(|c| *c != '\0')
        }
    }
}
