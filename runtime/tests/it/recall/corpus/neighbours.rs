//! The tools that nobody asks for: vendors times objects times what can be done with them.
//!
//! The objects are in `neighbours.txt`, under the groups of the written tools: singular, plural, and what it is in
//! everyday words. Everything else is drawn from a fixed seed, so that the tools are the same in every run.

use serde_json::{Map, Value, json};

use super::Description;

const SEED: u64 = 0x6865_6c76_6520_3130;

/// How many vendors of a field there are.
const VENDORS_OF_A_FIELD: usize = 6;

const VENDORS: [&str; 42] = [
    "acorn",
    "alpenrose",
    "anvil",
    "baseline",
    "birchway",
    "bluefin",
    "brightbox",
    "cardinal",
    "cedarworks",
    "clover",
    "cobalt",
    "copperline",
    "driftwood",
    "ember",
    "fernhill",
    "flint",
    "foxglove",
    "gablehouse",
    "granite",
    "harbour",
    "heron",
    "ironbark",
    "juniper",
    "kestrel",
    "lanternfish",
    "larkspur",
    "lodestar",
    "maplewood",
    "meridian",
    "millstone",
    "northgate",
    "oakridge",
    "orchard",
    "pelican",
    "quarry",
    "redstart",
    "sandpiper",
    "solstice",
    "tamarind",
    "umbra",
    "waypoint",
    "yarrow",
];

/// What can be done with an object.
struct Action {
    /// The words of it in a name.
    verbs: [&'static str; 2],
    /// Whether names say the plural.
    many: bool,
    /// The beginnings of descriptions; `{a}`, `{one}` and `{many}` stand for the object.
    says: [&'static str; 3],
    /// Parameters of its own, with a type and what they mean.
    takes: &'static [(&'static str, &'static str, &'static str)],
}

const ACTIONS: [Action; 14] = [
    Action {
        verbs: ["list", "get_all"],
        many: true,
        says: [
            "List {many}",
            "Returns the {many} of the account",
            "Shows which {many} there are",
        ],
        takes: &[
            ("cursor", "string", "Where the next page begins"),
            ("limit", "integer", "Entries a page"),
        ],
    },
    Action {
        verbs: ["get", "read"],
        many: false,
        says: [
            "Get {a}",
            "Returns one {one} with all of its details",
            "Looks up {a} by its id",
        ],
        takes: &[("fields", "array", "Only these properties")],
    },
    Action {
        verbs: ["create", "add"],
        many: false,
        says: [
            "Create {a}",
            "Adds {a} to the workspace",
            "Sets up a new {one}",
        ],
        takes: &[
            ("name", "string", "What it is called"),
            ("settings", "object", "Further properties"),
        ],
    },
    Action {
        verbs: ["update", "edit"],
        many: false,
        says: [
            "Update {a}",
            "Changes properties of an existing {one}",
            "Overwrites those fields of {a} that are given",
        ],
        takes: &[
            ("changes", "object", "Properties with their new values"),
            ("version", "integer", "Fails if it has changed since"),
        ],
    },
    Action {
        verbs: ["delete", "remove"],
        many: false,
        says: [
            "Delete {a}",
            "Removes {a} for good",
            "Gets rid of {a}; there is no way back",
        ],
        takes: &[
            ("confirm", "boolean", "Must be true"),
            ("force", "boolean", "Even if something refers to it"),
        ],
    },
    Action {
        verbs: ["export", "dump"],
        many: true,
        says: [
            "Export {many}",
            "Writes the {many} to a file",
            "Makes a table of all {many}",
        ],
        takes: &[
            ("format", "string", "csv, json or xlsx"),
            ("path", "string", "Where the file goes"),
        ],
    },
    Action {
        verbs: ["import", "load"],
        many: true,
        says: [
            "Import {many}",
            "Reads {many} from a file",
            "Takes over {many} from another system",
        ],
        takes: &[
            ("file", "string", "What is read"),
            ("mapping", "object", "Which column is what"),
        ],
    },
    Action {
        verbs: ["duplicate", "clone"],
        many: false,
        says: [
            "Duplicate {a}",
            "Copies {a} under a new name",
            "Makes a second {one} like the first",
        ],
        takes: &[("new_name", "string", "What the copy is called")],
    },
    Action {
        verbs: ["archive", "retire"],
        many: false,
        says: [
            "Archive {a}",
            "Puts {a} out of use without losing it",
            "Hides {a} from lists",
        ],
        takes: &[("reason", "string", "Why")],
    },
    Action {
        verbs: ["count", "stats"],
        many: true,
        says: [
            "Count {many}",
            "Tells how many {many} there are, by state",
            "Statistics on {many}",
        ],
        takes: &[
            ("group_by", "string", "Property to group by"),
            ("period", "string", "Such as last_month"),
        ],
    },
    Action {
        verbs: ["history", "changes"],
        many: false,
        says: [
            "History of {a}",
            "Shows who changed {a}, and how",
            "Lists the changes of {a}, newest first",
        ],
        takes: &[("since", "string", "Not older than this day")],
    },
    Action {
        verbs: ["validate", "check"],
        many: false,
        says: [
            "Validate {a}",
            "Checks {a} for mistakes and says which",
            "Tries {a} out without keeping anything",
        ],
        takes: &[("strict", "boolean", "Warnings are mistakes too")],
    },
    Action {
        verbs: ["assign", "set_owner"],
        many: false,
        says: [
            "Assign {a}",
            "Gives {a} to another person or team",
            "Changes who is responsible for {a}",
        ],
        takes: &[
            ("owner", "string", "Person or team"),
            ("notify", "boolean", "Tell the new one"),
        ],
    },
    Action {
        verbs: ["search", "find"],
        many: true,
        says: [
            "Search {many}",
            "Finds {many} by words and properties",
            "Looks for {many} that fit a query",
        ],
        takes: &[
            ("query", "string", "Words or an expression"),
            ("sort", "string", "Property, with - for descending"),
        ],
    },
];

/// What longer descriptions add.
const REMARKS: [&str; 16] = [
    "Returns at most 100 entries; use the cursor for the rest.",
    "Needs the scope `read` of the workspace.",
    "Needs an administrator.",
    "Use this only when the user has asked for it.",
    "For example those of the Berlin office since Monday.",
    "Times are in UTC, sums in the currency of the account.",
    "Fails when the name is already taken.",
    "The result is a JSON object with id, name, state and dates.",
    "Large accounts may take up to a minute; progress is reported.",
    "Not for drafts.",
    "Deprecated fields are left out.",
    "Also works for people who have left the team.",
    "Rate limit: 60 requests a minute.",
    "Call the matching list tool first if you do not know the id.",
    "Calls that are repeated with the same key do nothing.",
    "Example: everything that was touched this week or last month.",
];

/// Parameters that many tools have.
const COMMON: [(&str, &str, &str); 10] = [
    (
        "workspace",
        "string",
        "Workspace or account, the default one if left out",
    ),
    ("dry_run", "boolean", "Only say what would happen"),
    ("locale", "string", "Language of texts, such as en or de"),
    (
        "idempotency_key",
        "string",
        "Makes a repeated call harmless",
    ),
    ("include_archived", "boolean", "Old ones too"),
    (
        "updated_after",
        "string",
        "Only what is newer than this time",
    ),
    ("tags", "array", "Only with these keywords"),
    ("verbose", "boolean", "More details"),
    ("timeout_seconds", "integer", "How long to wait"),
    ("region", "string", "Data centre"),
];

/// Something that the tools of a field are about.
struct Object {
    group: &'static str,
    one: &'static str,
    many: &'static str,
    what: &'static str,
}

/// Returns the first so many of the tools.
pub(super) fn tools(count: usize) -> Vec<Description> {
    let objects = objects();
    let mut draw = Draw(SEED);
    let mut all = Vec::new();
    for (number, _) in objects.iter().enumerate() {
        for vendor in 0..VENDORS_OF_A_FIELD {
            all.extend((0..ACTIONS.len()).map(|action| (number, vendor, action)));
        }
    }
    for last in (1..all.len()).rev() {
        all.swap(last, draw.below(last + 1));
    }
    assert!(count <= all.len(), "there are {} neighbours", all.len());
    all.truncate(count);
    all.into_iter()
        .map(|(object, vendor, action)| {
            let object = &objects[object];
            tool(
                object,
                vendor_of(object.group, vendor),
                &ACTIONS[action],
                &mut draw,
            )
        })
        .collect()
}

fn objects() -> Vec<Object> {
    let mut group = "";
    let mut objects = Vec::new();
    for line in include_str!("neighbours.txt").lines() {
        if let Some(name) = line.strip_prefix("# ") {
            group = name;
            continue;
        }
        let mut parts = line.split('|');
        let mut part = || parts.next().expect("an object has three parts");
        objects.push(Object {
            group,
            one: part(),
            many: part(),
            what: part(),
        });
    }
    objects
}

/// The vendors of a field are neighbours in the list, so that each field has others.
fn vendor_of(group: &str, number: usize) -> &'static str {
    let first = group
        .bytes()
        .fold(7, |sum: usize, byte| sum * 31 % 4_093 + usize::from(byte));
    VENDORS[(first + number) % VENDORS.len()]
}

fn tool(object: &Object, vendor: &str, action: &Action, draw: &mut Draw) -> Description {
    let noun = if action.many { object.many } else { object.one };
    let article = if object.one.starts_with(['a', 'e', 'i', 'o']) {
        "an"
    } else {
        "a"
    };
    let says = draw.one_of(&action.says);
    let says = says
        .replace("{a}", &format!("{article} {}", object.one))
        .replace("{one}", object.one)
        .replace("{many}", object.many);
    let description = match draw.below(10) {
        0 | 1 => format!("{says}."),
        2..=5 => format!("{says}: {}.", object.what),
        6 | 7 => format!("{says} ({}). {}", object.what, draw.one_of(&REMARKS)),
        8 => format!(
            "{says}. {}: {}. {}",
            capital(noun),
            object.what,
            draw.one_of(&REMARKS)
        ),
        _ => format!(
            "{} API. {says}: {}. {} {}",
            capital(vendor),
            object.what,
            draw.one_of(&REMARKS[..8]),
            draw.one_of(&REMARKS[8..])
        ),
    };
    Description {
        name: name(vendor, draw.one_of(&action.verbs), noun),
        description,
        group: object.group.to_owned(),
        input_schema: schema(object, action, draw),
    }
}

/// Every vendor has one taste in names, which is the same for all of its tools.
fn name(vendor: &str, verb: &str, noun: &str) -> String {
    let noun = noun.replace([' ', '-'], "_");
    match vendor.len() % 4 {
        0 => format!("{vendor}-{verb}-{noun}").replace('_', "-"),
        1 => format!("{vendor}_{noun}_{verb}"),
        2 => {
            let words = format!("{verb}_{noun}");
            let humps: String = words.split('_').map(capital).collect();
            format!("{vendor}{humps}")
        }
        _ => format!("{vendor}_{verb}_{noun}"),
    }
}

fn schema(object: &Object, action: &Action, draw: &mut Draw) -> Value {
    let mut properties = Map::new();
    let mut required = Vec::new();
    if !action.many && !action.verbs.contains(&"create") {
        let id = format!("{}_id", object.one.replace([' ', '-'], "_").to_lowercase());
        properties.insert(
            id.clone(),
            json!({ "type": "string", "description": format!("Id of the {}", object.one) }),
        );
        required.push(id);
    }
    let common = draw.below(COMMON.len() - 2);
    let some = draw.below(3);
    for (name, kind, description) in action.takes.iter().chain(&COMMON[common..common + some]) {
        let mut property = json!({ "type": kind, "description": description });
        if *kind == "array" {
            property["items"] = json!({ "type": "string" });
        }
        properties.insert((*name).to_owned(), property);
    }
    json!({ "type": "object", "properties": properties, "required": required })
}

fn capital(word: &str) -> String {
    let (first, rest) = word.split_at(1);
    first.to_uppercase() + rest
}

/// SplitMix64.
struct Draw(u64);

impl Draw {
    fn next(&mut self) -> u64 {
        self.0 = self.0.wrapping_add(0x9e37_79b9_7f4a_7c15);
        let mixed = (self.0 ^ (self.0 >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
        let mixed = (mixed ^ (mixed >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
        mixed ^ (mixed >> 31)
    }

    fn below(&mut self, bound: usize) -> usize {
        let bound = u64::try_from(bound).expect("a bound is small");
        usize::try_from(self.next() % bound).expect("it is below the bound")
    }

    fn one_of<'a>(&mut self, choices: &[&'a str]) -> &'a str {
        choices[self.below(choices.len())]
    }
}
