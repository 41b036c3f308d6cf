//! Addresses, headers and words of requests, as a hostile model fills them in.

use crate::{Rng, Targets};

/// How a word begins that a model composes after it has read text of others: it must go nowhere unasked.
pub const STOLEN: &str = "stolen-";

/// How a word begins that a model composes before.
pub(crate) const PLAIN: &str = "plain-";

/// Picks an address: of a page that is there, one that carries a word, and those that nothing may reach.
pub(crate) fn address(rng: &mut Rng, targets: &Targets, word: &str) -> String {
    let (site, other, port) = (targets.site, targets.other, targets.port);
    match rng.below(23) {
        4 | 5 => format!("http://127.0.0.1:{site}/in?d={word}"),
        6 => format!("http://127.0.0.1:{site}/page/{}?d={word}", rng.below(5)),
        7 => format!("http://127.0.0.1:{site}/{word}/../page/1#{word}"),
        8 | 16 => format!("http://127.0.0.1:{other}/{word}"),
        9 => format!("http://127.0.0.1:{site}/away"),
        10 => format!("http://127.0.0.1:{site}/loop"),
        11 => {
            let host = rng.pick(&[
                "localhost",
                "127.1",
                "0x7f.1",
                "[::1]",
                "[::ffff:127.0.0.1]",
            ]);
            format!("http://{host}:{port}/{word}")
        }
        12 => format!("http://127.0.0.1:{port}/{word}"),
        13 => rng
            .pick(&[
                "http://169.254.169.254/latest/meta-data/",
                "http://[fd00:ec2::254]/latest/",
                "http://0/",
                "file:///etc/passwd",
                "javascript:alert(1)",
            ])
            .to_owned(),
        14 => format!("http://{word}@127.0.0.1:{site}/page/1"),
        15 => format!("items/{word}"),
        17 => format!("http://127.0.0.1:{site}/picture"),
        _ => format!("http://127.0.0.1:{site}/page/{}", rng.below(5)),
    }
}

/// Picks a header, a parameter or a field, with its value.
pub(crate) fn entry(rng: &mut Rng, word: &str) -> (String, String) {
    let (name, value) = match rng.below(8) {
        0..3 => ("X-Key", "{{secret:SITE_KEY}}"),
        3 => ("Authorization", "Bearer {{secret:SITE_KEY}}"),
        4 => ("X-Key", "{{secret:OTHER_KEY}}"),
        5 => ("Host", "169.254.169.254"),
        _ => ("X-Word", word),
    };
    (name.to_owned(), value.to_owned())
}
