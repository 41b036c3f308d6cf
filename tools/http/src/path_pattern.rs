//! Patterns of paths: `*` stands for a part of a segment, `**` for any number of segments.

use percent_encoding::percent_decode_str;
use url::Url;

/// Returns the segments of a path as a server may see them: decoded once, with dots resolved and without empty segments
/// but the last.
pub(crate) fn decoded_segments(url: &Url) -> Vec<String> {
    split(&percent_decode_str(url.path()).decode_utf8_lossy())
}

fn split(path: &str) -> Vec<String> {
    let mut segments = Vec::new();
    let mut rest = path.split(['/', '\\']).peekable();
    while let Some(segment) = rest.next() {
        match segment {
            "" if rest.peek().is_some() => {}
            "." => {}
            ".." => drop(segments.pop()),
            segment => segments.push(segment.to_owned()),
        }
    }
    segments
}

/// Reports whether a pattern matches the whole path of a URL.
pub(crate) fn matches(pattern: &str, url: &Url) -> bool {
    let (pattern, path) = (split(pattern), decoded_segments(url));
    // For each number of segments of the path, whether the pattern so far matches them.
    let mut matched = vec![false; path.len() + 1];
    matched[0] = true;
    for part in &pattern {
        let mut next = vec![false; path.len() + 1];
        for length in 0..=path.len() {
            let is_one = length > 0 && matched[length - 1] && segment(part, &path[length - 1]);
            let is_any = part == "**" && (matched[length] || length > 0 && next[length - 1]);
            next[length] = is_any || part != "**" && is_one;
        }
        matched = next;
    }
    matched[path.len()]
}

/// Reports whether a pattern matches a segment. Both are compared byte by byte, which is right for UTF-8.
fn segment(pattern: &str, text: &str) -> bool {
    let mut matched = vec![false; text.len() + 1];
    matched[0] = true;
    for sign in pattern.bytes() {
        let mut next = vec![false; text.len() + 1];
        for length in 0..=text.len() {
            next[length] = match sign {
                b'*' => matched[length] || length > 0 && next[length - 1],
                sign => length > 0 && matched[length - 1] && text.as_bytes()[length - 1] == sign,
            };
        }
        matched = next;
    }
    matched[text.len()]
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn patterns_match_what_the_server_sees() {
        for (pattern, path, expected) in [
            ("/v1/**", "/v1/a/b", true),
            ("/v1/**", "/v1/", true),
            ("/v1/**", "/v1", true),
            ("/v1/**", "/v10", false),
            ("/**", "/", true),
            ("/v1/*", "/v1/a", true),
            ("/v1/*", "/v1/a/b", false),
            ("/v1/*", "/v1/a%2Fb", false),
            ("/v1/**", "/v1/..%2fadmin", false),
            ("/admin/**", "/v1/..%2fadmin/x", true),
            ("/admin", "/%61dmin", true),
            ("/admin", "//admin", true),
            ("/v1/*.json", "/v1/a.json", true),
            ("/v1/*.json", "/v1/a.jso", false),
            ("/**/x/**", "/a/b/x", true),
            ("/a/**/b", "/a/b", true),
        ] {
            let url = Url::parse(&format!("https://example.com{path}")).unwrap();
            assert_eq!(matches(pattern, &url), expected, "{pattern} {path}");
        }
    }
}
