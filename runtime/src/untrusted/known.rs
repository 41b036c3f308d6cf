//! The phrases that are looked for.

use super::phrases::{Phrase, Prefix};

/// What gives itself away by its words, most telling first.
pub(super) const PHRASES: &[Phrase] = &[
    Phrase::new("ignore-instructions", 5, &[FORGET, EARLIER, ORDERS]),
    Phrase::new(
        "disregard",
        2,
        &[
            FORGET,
            &[
                "above",
                "previous",
                "preceding",
                "prior",
                "earlier",
                "everything",
                "foregoing",
            ],
        ],
    ),
    Phrase::new(
        "void-instructions",
        3,
        &[
            &["not", "don't", "don\u{2019}t", "dont", "never", "stop"],
            &["follow", "following", "obey", "obeying", "heed"],
            SET_BEFORE,
            ORDERS,
        ],
    ),
    Phrase::new(
        "void-instructions",
        4,
        &[
            SET_BEFORE,
            ORDERS,
            &[
                "void",
                "invalid",
                "cancelled",
                "canceled",
                "obsolete",
                "revoked",
                "superseded",
                "overridden",
                "overruled",
            ],
        ],
    ),
    Phrase::new(
        "void-instructions",
        3,
        &[
            ORDERS,
            &["above", "before", "so"],
            &["longer"],
            &["apply", "valid", "matter", "count"],
        ],
    ),
    Phrase::new(
        "void-instructions",
        3,
        &[
            SET_BEFORE,
            ORDERS,
            &["longer"],
            &["apply", "valid", "matter", "count"],
        ],
    ),
    Phrase::new(
        "override",
        1,
        &[
            &[
                "system",
                "admin",
                "administrator",
                "developer",
                "security",
                "emergency",
            ],
            &["override"],
        ],
    ),
    Phrase::new(
        "new-instructions",
        1,
        &[
            &["new", "updated", "revised"],
            &["instructions", "directives", "orders"],
        ],
    ),
    Phrase::new(
        "new-objective",
        1,
        &[
            &["new", "updated", "revised", "real", "actual", "primary"],
            &["objective", "goal", "task", "mission", "directive"],
        ],
    )
    .before_colon(),
    Phrase::new(
        "new-objective",
        1,
        &[
            &["your"],
            &["new", "real", "actual", "true", "only"],
            &["objective", "goal", "task", "mission", "purpose", "role"],
            &["is"],
        ],
    ),
    Phrase::new(
        "new-objective",
        1,
        &[&["new", "updated", "revised"], &["system"], &["prompt"]],
    )
    .before_colon(),
    Phrase::new(
        "end-of-input",
        1,
        &[
            &["end"],
            &["of"],
            &["system", "user", "untrusted"],
            &[
                "prompt",
                "input",
                "message",
                "content",
                "data",
                "instructions",
            ],
        ],
    ),
    Phrase::new(
        "before-task",
        3,
        &[
            &["before"],
            &["you"],
            &["can"],
            &["solve", "complete", "finish", "continue", "answer"],
            &["task", "request", "question"],
        ],
    ),
    Phrase::new(
        "adhere",
        3,
        &[&["adhere", "comply", "obey"], &["following"], ORDERS],
    ),
    Phrase::new(
        "claimed-approval",
        1,
        &[
            &[
                "user",
                "owner",
                "administrator",
                "admin",
                "operator",
                "developer",
            ],
            &["has"],
            APPROVED,
            &["you", "this", "these", "all", "it"],
        ],
    ),
    Phrase::new(
        "claimed-approval",
        1,
        &[
            &[
                "user",
                "owner",
                "administrator",
                "admin",
                "operator",
                "developer",
            ],
            &["has"],
            &["already"],
            APPROVED,
        ],
    ),
    Phrase::new("you-are-now", 1, &[&["you"], &["are"], &["now"]]),
    Phrase::new("from-now-on", 1, &[&["from"], &["now"], &["on"], &["you"]]),
    Phrase::new("pretend", 1, &[&["pretend"], &["you", "to", "that"]]),
    Phrase::new(
        "act-as",
        3,
        &[
            &["act", "behave", "respond", "answer", "roleplay"],
            &["as"],
            FREED,
        ],
    )
    .with_reach(&[1, 1, 3]),
    Phrase::new(
        "act-as",
        2,
        &[
            &["you"],
            &["have", "are"],
            &["reprogrammed", "jailbroken", "unrestricted", "uncensored"],
        ],
    ),
    Phrase::new(
        "drop-safety",
        2,
        &[
            &["disable", "remove", "bypass", "drop", "circumvent"],
            &["your"],
            &["safety", "security", "content", "ethical", "moral"],
            &[
                "filters",
                "filter",
                "guidelines",
                "restrictions",
                "policy",
                "policies",
                "checks",
                "measures",
                "guardrails",
                "rules",
            ],
        ],
    ),
    Phrase::new(
        "reveal-prompt",
        3,
        &[
            &[
                "reveal", "print", "show", "output", "repeat", "leak", "display", "tell",
            ],
            &["your", "the"],
            &["system", "hidden", "initial"],
            &["prompt", "instructions", "message"],
        ],
    ),
    Phrase::new(
        "reveal-prompt",
        1,
        &[
            &["reveal", "repeat", "print", "output", "disclose", "recite"],
            &["your"],
            &["instructions", "prompt", "rules", "guidelines"],
        ],
    ),
    Phrase::new(
        "reveal-prompt",
        4,
        &[
            &["repeat", "print", "output", "recite"],
            &["everything", "all"],
            &["above"],
            &["verbatim", "exactly"],
        ],
    ),
    Phrase::new("hide-from-user", 2, &[UNSAID, TELL, PERSON]),
    Phrase::new(
        "hide-from-user",
        3,
        &[UNSAID, TELL, &["this", "it", "that", "these"], PERSON],
    )
    .with_reach(&[1, 1, 1, 3]),
    Phrase::new(
        "hide-from-user",
        1,
        &[UNSAID, TELL, &["anyone", "anybody", "somebody"]],
    ),
    Phrase::new(
        "hide-from-user",
        2,
        &[
            &["keep", "hide"],
            &["this", "it", "these", "that"],
            &["secret", "hidden", "confidential", "away"],
            &["from"],
            PERSON,
        ],
    ),
    Phrase::new(
        "hide-from-user",
        1,
        &[
            &["silently", "secretly", "covertly", "stealthily"],
            &[
                "run", "execute", "send", "upload", "copy", "delete", "install", "add", "download",
                "forward",
            ],
        ],
    )
    .commanding(),
    Phrase::new(
        "hide-from-user",
        3,
        &[
            &[
                "run", "execute", "send", "upload", "copy", "delete", "install", "download",
            ],
            &["secretly", "covertly", "stealthily"],
        ],
    ),
    Phrase::new(
        "addressed-to-model",
        1,
        &[&["if"], &["you"], &["are"], &["a", "an"], MODEL],
    ),
    Phrase::new(
        "addressed-to-model",
        1,
        &[&["if"], &["you're", "you\u{2019}re"], &["a", "an"], MODEL],
    ),
    Phrase::new(
        "addressed-to-model",
        1,
        &[
            &["if"],
            &["you"],
            &["are"],
            &["a", "an"],
            &["large", "language"],
            &["language", "model"],
        ],
    ),
    Phrase::new(
        "addressed-to-model",
        1,
        &[
            &["if"],
            &["you're", "you\u{2019}re"],
            &["a", "an"],
            &["large", "language"],
            &["language", "model"],
        ],
    ),
    Phrase::new(
        "addressed-to-model",
        2,
        &[
            &[
                "attention",
                "note",
                "notice",
                "message",
                "instructions",
                "instruction",
            ],
            &[
                "ai", "llm", "llms", "chatgpt", "claude", "gemini", "copilot",
            ],
        ],
    )
    .before_colon(),
    Phrase::new(
        "addressed-to-model",
        2,
        &[
            &[
                "attention",
                "note",
                "notice",
                "message",
                "instructions",
                "instruction",
            ],
            &["ai"],
            &[
                "agents",
                "agent",
                "assistants",
                "assistant",
                "models",
                "model",
                "systems",
                "reviewers",
                "reviewer",
            ],
        ],
    )
    .before_colon(),
    Phrase::new(
        "maintenance-mode",
        2,
        &[
            &["enter", "enable", "activate", "switch"],
            &[
                "maintenance",
                "developer",
                "debug",
                "god",
                "admin",
                "dan",
                "jailbreak",
                "unrestricted",
            ],
            &["mode"],
        ],
    ),
    Phrase::new(
        "memory-write",
        4,
        &[
            &[
                "add", "write", "append", "save", "store", "copy", "insert", "persist", "put",
            ],
            &["your"],
            &[
                "memory",
                "agents",
                "claude",
                "soul",
                "skill",
                "skills",
                "instructions",
                "profile",
            ],
        ],
    ),
    Phrase::new(
        "persist-instructions",
        2,
        &[
            &[
                "persist",
                "save",
                "store",
                "remember",
                "memorize",
                "memorise",
                "keep",
                "write",
                "copy",
                "propagate",
            ],
            &["these", "this", "following"],
            LASTING,
        ],
    )
    .with_reach(&[1, 2, 1])
    .commanding(),
    Phrase::new(
        "persist-instructions",
        6,
        &[
            &[
                "add", "append", "write", "insert", "put", "copy", "save", "inject",
            ],
            &["to", "into", "in"],
            &[
                "agents",
                "claude",
                "gemini",
                "memory",
                "soul",
                "copilot",
                "cursorrules",
            ],
            &["md", "mdc"],
        ],
    )
    .with_reach(&[1, 6, 2, 1])
    .commanding(),
    Phrase::new("read-secrets", 5, &[READ, SECRET_FILES]).commanding(),
    Phrase::new(
        "take-secrets",
        4,
        &[
            TAKE,
            &[
                "api", "access", "private", "secret", "ssh", "signing", "session", "bearer",
            ],
            KEYS,
        ],
    )
    .with_reach(&[1, 4, 1])
    .commanding(),
    Phrase::new(
        "take-secrets",
        4,
        &[
            &[
                "extract",
                "steal",
                "exfiltrate",
                "harvest",
                "dump",
                "leak",
                "grab",
                "capture",
            ],
            &["credentials", "passwords", "password", "secrets", "cookies"],
        ],
    )
    .commanding(),
    Phrase::new(
        "exfiltrate-encoded",
        6,
        &[
            &["base64", "hex", "rot13", "encode", "encrypt", "compress"],
            CARRY,
        ],
    ),
    Phrase::new(
        "exfiltrate",
        4,
        &[
            CARRY,
            &[
                "secrets",
                "credentials",
                "passwords",
                "password",
                "keys",
                "key",
                "tokens",
                "environment",
            ],
            &["to"],
        ],
    ),
    Phrase::new("exfiltrate", 6, &[CARRY, CARGO, &["to"], ADDRESS]).with_reach(&[1, 6, 8, 2]),
    Phrase::new(
        "exfiltrate",
        3,
        &[
            CARRY,
            EVERY,
            CARGO,
            &["to"],
            &[
                "server",
                "servers",
                "endpoint",
                "webhook",
                "attacker",
                "attacker's",
                "address",
                "url",
                "domain",
            ],
        ],
    )
    .with_reach(&[1, 1, 3, 6, 3])
    .commanding(),
    Phrase::new(
        "exfiltrate",
        5,
        &[
            &["paste", "post", "send", "upload", "copy", "put"],
            &[
                "pastebin",
                "requestbin",
                "ngrok",
                "burpcollaborator",
                "oastify",
            ],
        ],
    )
    .commanding(),
    Phrase::new(
        "exfiltrate",
        4,
        &[
            &["append", "include", "embed", "encode", "put", "add"],
            &[
                "secret",
                "secrets",
                "password",
                "passwords",
                "credentials",
                "conversation",
                "history",
                "memory",
            ],
            &["url", "link", "image", "query"],
        ],
    )
    .commanding(),
];

const ORDERS: &[&str] = &[
    "instructions",
    "instruction",
    "prompt",
    "prompts",
    "rules",
    "directives",
    "directions",
    "guidelines",
    "commands",
    "orders",
    "constraints",
    "training",
];
const EARLIER: &[&str] = &[
    "previous",
    "prior",
    "above",
    "earlier",
    "preceding",
    "former",
    "before",
    "all",
    "any",
    "every",
    "your",
    "these",
    "those",
    "existing",
    "system",
    "initial",
    "original",
    "my",
];
/// What was there before this text, and not in it.
const SET_BEFORE: &[&str] = &[
    "previous", "prior", "earlier", "original", "initial", "system", "your",
];
const FORGET: &[&str] = &[
    "ignore",
    "disregard",
    "forget",
    "override",
    "overlook",
    "neglect",
    "bypass",
    "discard",
];
const CARRY: &[&str] = &[
    "send",
    "post",
    "upload",
    "exfiltrate",
    "transmit",
    "forward",
    "leak",
    "email",
];
const EVERY: &[&str] = &[
    "the",
    "all",
    "this",
    "these",
    "your",
    "their",
    "its",
    "every",
    "any",
    "everything",
    "each",
];
/// What is worth carrying away.
const CARGO: &[&str] = &[
    "contents",
    "content",
    "data",
    "file",
    "files",
    "output",
    "outputs",
    "result",
    "results",
    "conversation",
    "history",
    "transcript",
    "context",
    "document",
    "documents",
    "everything",
    "copy",
    "logs",
    "log",
    "messages",
    "emails",
    "inbox",
    "code",
    "source",
    "database",
    "dump",
    "information",
    "details",
    "secrets",
    "credentials",
];
const ADDRESS: &[&str] = &["http", "https", "ftp", "wss", Prefix::ADDRESS];
const FREED: &[&str] = &[
    "unrestricted",
    "unfiltered",
    "uncensored",
    "jailbroken",
    "dan",
    "evil",
];
const APPROVED: &[&str] = &[
    "authorized",
    "authorised",
    "approved",
    "permitted",
    "confirmed",
    "consented",
];
const UNSAID: &[&str] = &["not", "never", "don't", "don\u{2019}t", "dont", "without"];
const TELL: &[&str] = &[
    "tell",
    "mention",
    "inform",
    "reveal",
    "notify",
    "disclose",
    "telling",
    "informing",
    "notifying",
    "mentioning",
];
const PERSON: &[&str] = &["user", "human", "owner", "operator"];
const MODEL: &[&str] = &["ai", "llm", "chatbot"];
const LASTING: &[&str] = &[
    "instructions",
    "instruction",
    "rules",
    "rule",
    "directives",
    "directive",
    "prompt",
    "prompts",
];
const READ: &[&str] = &[
    "read", "open", "cat", "print", "show", "display", "dump", "reveal", "retrieve", "fetch",
    "access", "output",
];
const SECRET_FILES: &[&str] = &[
    ".env", ".ssh", ".netrc", ".npmrc", ".aws", ".pypirc", ".pgpass", ".gnupg", ".kube", "/passwd",
    "/shadow",
];
const TAKE: &[&str] = &[
    "extract",
    "steal",
    "exfiltrate",
    "harvest",
    "dump",
    "leak",
    "grab",
    "capture",
    "find",
    "collect",
    "reveal",
    "print",
    "output",
];
const KEYS: &[&str] = &["key", "keys", "token", "tokens", "cookie", "cookies"];
