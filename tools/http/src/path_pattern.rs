//! Patterns of paths: `*` stands for a part of a segment, `**` for any number of segments.

use percent_encoding::percent_decode_str;
use url::Url;

/// Returns the segments of a path as servers may see them, without empty segments but the last: one server decodes the path
/// before it splits it and resolves the dots, another one decodes the segments.
pub(crate) fn readings(url: &Url) -> [Vec<String>; 2] {
    let path = split(url.path());
    let segments = path.iter().map(|segment| decode(segment)).collect();
    [split(&decode(url.path())), segments]
}

fn decode(text: &str) -> String {
    percent_decode_str(text).decode_utf8_lossy().into_owned()
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

/// Reports whether a pattern matches the whole path of a URL, however a server reads it.
pub(crate) fn matches(pattern: &str, url: &Url) -> bool {
    let pattern = split(pattern);
    let mut readings = readings(url).into_iter();
    readings.all(|path| matches_segments(&pattern, &path))
}

/// Reports whether a pattern may match the whole path of a URL, as some server reads it.
pub(crate) fn may_match(pattern: &str, url: &Url) -> bool {
    let patterns = [split(pattern), split(&decode(pattern))];
    let readings = readings(url);
    let mut pairs = patterns
        .iter()
        .flat_map(|pattern| readings.iter().map(move |path| (pattern, path)));
    pairs.any(|(pattern, path)| matches_segments(pattern, path))
}

fn matches_segments(pattern: &[String], path: &[String]) -> bool {
    // For each number of segments of the path, whether the pattern so far matches them.
    let mut matched = vec![false; path.len() + 1];
    matched[0] = true;
    for part in pattern {
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
            ("/admin/**", "/v1/..%2fadmin/x", false),
            ("/admin/**", "/admin/..%2fv1/x", false),
            ("/admin", "/%61dmin", true),
            ("/admin", "//admin", true),
            ("/v1/*.json", "/v1/a.json", true),
            ("/v1/*.json", "/v1/a.jso", false),
            ("/**/x/**", "/a/b/x", true),
            ("/a/**/b", "/a/b", true),
        ] {
            let url = Url::parse(&format!("https://example.com{path}")).unwrap();
            assert_eq!(matches(pattern, &url), expected, "{pattern} {path}");
            assert!(!expected || may_match(pattern, &url), "{pattern} {path}");
        }
    }

    #[test]
    fn a_pattern_may_match_what_some_server_sees() {
        for (pattern, path, expected) in [
            ("/admin/**", "/v1/..%2fadmin/x", true),
            ("/admin/**", "/admin/..%2fv1/x", true),
            ("/admin/**", "/v1/..%5cadmin/x", true),
            ("/%61dmin/**", "/admin/x", true),
            ("/admin/**", "/v1/%252e%252e/admin", false),
        ] {
            let url = Url::parse(&format!("https://example.com{path}")).unwrap();
            assert_eq!(may_match(pattern, &url), expected, "{pattern} {path}");
        }
    }
}
