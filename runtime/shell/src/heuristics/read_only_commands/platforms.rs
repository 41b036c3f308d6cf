//! Version control, containers, clusters, hosts of code, and the services of a machine.

use super::spec::Operands::Judged;
use super::spec::{ReadOnlySpec, read_only};
use super::subcommands::{Subcommand, SubcommandSet, alone, sub, with_files};
use super::{git, special};

/// Sorted by name.
pub(super) static TABLE: &[ReadOnlySpec] = &[
    read_only(
        "docker",
        Judged(|words, facts| DOCKER.judge(words, facts)),
        "",
        &[],
    ),
    read_only("gh", Judged(|words, facts| GH.judge(words, facts)), "", &[]),
    read_only("git", Judged(git::judge), "", &[]),
    read_only(
        "helm",
        Judged(|words, facts| HELM.judge(words, facts)),
        "",
        &[],
    ),
    read_only(
        "hostnamectl",
        Judged(|words, facts| STATUS.judge(words, facts)),
        "",
        &[],
    ),
    read_only("ifconfig", Judged(special::interface), "", &[]),
    read_only("ip", Judged(|words, facts| IP.judge(words, facts)), "", &[]),
    read_only("journalctl", super::spec::Operands::Text, "", JOURNAL),
    read_only(
        "kubectl",
        Judged(|words, facts| KUBECTL.judge(words, facts)),
        "",
        &[],
    ),
    read_only(
        "localectl",
        Judged(|words, facts| STATUS.judge(words, facts)),
        "",
        &[],
    ),
    read_only(
        "loginctl",
        Judged(|words, facts| STATUS.judge(words, facts)),
        "",
        &[],
    ),
    read_only("netstat", super::spec::Operands::Text, "", &[]),
    read_only(
        "podman",
        Judged(|words, facts| DOCKER.judge(words, facts)),
        "",
        &[],
    ),
    read_only("sysctl", Judged(special::sysctl), "", &[]),
    read_only(
        "systemctl",
        Judged(|words, facts| SYSTEMCTL.judge(words, facts)),
        "",
        &[],
    ),
    read_only(
        "terraform",
        Judged(|words, facts| TERRAFORM.judge(words, facts)),
        "",
        &[],
    ),
    read_only(
        "timedatectl",
        Judged(|words, facts| STATUS.judge(words, facts)),
        "",
        &[],
    ),
];

const WHO: &[&str] = &["--version", "--help", "-h", "-v", "version", "help"];

const fn family(subs: &'static [Subcommand]) -> SubcommandSet {
    SubcommandSet {
        flags: &[],
        value_options: &[],
        version_options: WHO,
        allows_no_subcommand: false,
        subcommands: subs,
    }
}

const JOURNAL: &[&str] = &[
    "--vacuum-size",
    "--vacuum-time",
    "--vacuum-files",
    "--rotate",
    "--flush",
    "--sync",
    "--relinquish-var",
    "--smart-relinquish-var",
    "--setup-keys",
    "--update-catalog",
    "--cursor-file",
    "-M",
    "--machine",
    "--root",
    "--image",
    "-D",
    "--directory",
    "--file",
    "--force",
];

static DOCKER: SubcommandSet = family(&[
    alone("ps", &[]),
    sub("images", &[]),
    sub("logs", &[]),
    sub("inspect", &[]),
    alone("version", &[]),
    alone("info", &[]),
    sub("stats", &[]),
    sub("top", &[]),
    sub("port", &[]),
    sub("diff", &[]),
    sub("history", &[]),
    alone("container ls", &[]),
    alone("container ps", &[]),
    alone("container list", &[]),
    sub("container logs", &[]),
    sub("container inspect", &[]),
    sub("container top", &[]),
    sub("container stats", &[]),
    sub("container port", &[]),
    sub("image ls", &[]),
    sub("image list", &[]),
    sub("image inspect", &[]),
    sub("image history", &[]),
    alone("volume ls", &[]),
    sub("volume inspect", &[]),
    alone("network ls", &[]),
    sub("network inspect", &[]),
    alone("context ls", &[]),
    alone("context show", &[]),
    alone("system df", &[]),
    alone("system info", &[]),
    alone("compose ps", &[]),
    sub("compose logs", &[]),
    alone("compose ls", &[]),
    sub("compose images", &[]),
    sub("compose top", &[]),
    alone("compose version", &[]),
    alone("node ls", &[]),
    alone("service ls", &[]),
    alone("stack ls", &[]),
    alone("buildx ls", &[]),
    alone("events", &[]),
    alone("plugin ls", &[]),
]);

/// What sends kubectl to another server, or makes it run a plug-in for credentials, or write.
const KUBE: &[&str] = &[
    "--kubeconfig",
    "-s",
    "--server",
    "--token",
    "--username",
    "--password",
    "--certificate-authority",
    "--client-key",
    "--client-certificate",
    "--cache-dir",
    "--profile-output",
    "--profile",
    "--raw",
    "--insecure-skip-tls-verify",
    "--tls-server-name",
    "-f",
    "--filename",
    "-k",
    "--kustomize",
    "--log-file",
    "--output-directory",
];

/// `kubectl get secret`: the words that name secrets are looked at where the sub-command is.
const KUBE_FOLLOW: &[&str] = &[
    "--kubeconfig",
    "-s",
    "--server",
    "--token",
    "--username",
    "--password",
    "--certificate-authority",
    "--client-key",
    "--client-certificate",
    "--cache-dir",
    "--profile-output",
    "--profile",
    "--insecure-skip-tls-verify",
    "--tls-server-name",
    "--log-file",
];

static KUBECTL: SubcommandSet = SubcommandSet {
    flags: &[],
    value_options: &[
        "-n",
        "--namespace",
        "--context",
        "--cluster",
        "--request-timeout",
    ],
    version_options: WHO,
    allows_no_subcommand: false,
    subcommands: &[
        sub("get", KUBE),
        sub("describe", KUBE),
        sub("logs", KUBE_FOLLOW),
        sub("top", KUBE),
        sub(
            "version",
            &[
                "--kubeconfig",
                "-s",
                "--server",
                "--token",
                "--cache-dir",
                "--log-file",
            ],
        ),
        sub("explain", KUBE),
        alone("cluster-info", KUBE),
        sub("api-resources", KUBE),
        sub("api-versions", KUBE),
        sub("config get-contexts", KUBE),
        alone("config current-context", KUBE),
        alone("config view", KUBE),
        alone("config get-clusters", KUBE),
        sub("auth can-i", KUBE),
        alone("auth whoami", KUBE),
        sub("rollout status", KUBE),
        sub("rollout history", KUBE),
        sub("events", KUBE),
    ],
};

/// What opens a browser, or sends gh to another host.
const GH_OPTIONS: &[&str] = &["--web", "-w", "--hostname"];

static GH: SubcommandSet = SubcommandSet {
    flags: &[],
    value_options: &["-R", "--repo"],
    version_options: &["--version", "--help", "-h", "version", "help", "status"],
    allows_no_subcommand: false,
    subcommands: &[
        sub("pr list", GH_OPTIONS),
        sub("pr view", GH_OPTIONS),
        sub("pr status", GH_OPTIONS),
        sub("pr diff", GH_OPTIONS),
        sub("pr checks", GH_OPTIONS),
        sub("issue list", GH_OPTIONS),
        sub("issue view", GH_OPTIONS),
        sub("issue status", GH_OPTIONS),
        sub("run list", GH_OPTIONS),
        sub("run view", GH_OPTIONS),
        sub("workflow list", GH_OPTIONS),
        sub("workflow view", GH_OPTIONS),
        sub("repo view", GH_OPTIONS),
        sub("repo list", GH_OPTIONS),
        sub("release list", GH_OPTIONS),
        sub("release view", GH_OPTIONS),
        sub("auth status", &["--hostname", "-t", "--show-token"]),
        sub("label list", GH_OPTIONS),
        sub("search", GH_OPTIONS),
        sub("gist list", GH_OPTIONS),
        sub("cache list", GH_OPTIONS),
    ],
};

const HELM_OPTIONS: &[&str] = &[
    "--kubeconfig",
    "--kube-apiserver",
    "--kube-token",
    "--registry-config",
    "--repository-config",
    "--post-renderer",
];

static HELM: SubcommandSet = family(&[
    alone("list", HELM_OPTIONS),
    alone("ls", HELM_OPTIONS),
    sub("status", HELM_OPTIONS),
    sub("history", HELM_OPTIONS),
    sub("get notes", HELM_OPTIONS),
    sub("get metadata", HELM_OPTIONS),
    alone("repo list", HELM_OPTIONS),
    alone("version", HELM_OPTIONS),
    sub("search repo", HELM_OPTIONS),
]);

const SYSTEMD: &[&str] = &[
    "-H",
    "--host",
    "-M",
    "--machine",
    "--root",
    "--image",
    "--image-policy",
];

static SYSTEMCTL: SubcommandSet = SubcommandSet {
    flags: &[
        "--user",
        "--no-pager",
        "--failed",
        "--all",
        "-a",
        "-l",
        "--full",
        "--system",
        "-q",
        "--quiet",
        "--plain",
        "--no-legend",
    ],
    value_options: &[
        "-t",
        "--type",
        "--state",
        "-p",
        "--property",
        "-n",
        "--lines",
        "-o",
        "--output",
    ],
    version_options: WHO,
    allows_no_subcommand: true,
    subcommands: &[
        sub("status", SYSTEMD),
        sub("show", SYSTEMD),
        sub("cat", SYSTEMD),
        sub("list-units", SYSTEMD),
        sub("list-unit-files", SYSTEMD),
        sub("list-timers", SYSTEMD),
        sub("list-sockets", SYSTEMD),
        sub("list-dependencies", SYSTEMD),
        sub("list-jobs", SYSTEMD),
        sub("is-active", SYSTEMD),
        sub("is-enabled", SYSTEMD),
        sub("is-failed", SYSTEMD),
        alone("is-system-running", SYSTEMD),
        alone("get-default", SYSTEMD),
        sub("help", SYSTEMD),
    ],
};

static STATUS: SubcommandSet = SubcommandSet {
    allows_no_subcommand: true,
    ..family(&[
        alone("status", SYSTEMD),
        alone("show", SYSTEMD),
        alone("list-timezones", SYSTEMD),
        alone("list-locales", SYSTEMD),
        alone("list-sessions", SYSTEMD),
        alone("list-users", SYSTEMD),
        sub("session-status", SYSTEMD),
        sub("user-status", SYSTEMD),
    ])
};

static IP: SubcommandSet = SubcommandSet {
    flags: &[
        "-4", "-6", "-o", "-s", "-j", "-br", "-brief", "-c", "-d", "-json", "-p", "-color", "-h",
        "-stats", "-details", "-oneline",
    ],
    value_options: &[],
    version_options: &[
        "-V",
        "-Version",
        "help",
        "addr",
        "address",
        "a",
        "link",
        "l",
        "route",
        "r",
        "rule",
        "neigh",
        "n",
        "neighbour",
    ],
    allows_no_subcommand: false,
    subcommands: &[
        sub("addr show", &[]),
        sub("address show", &[]),
        sub("a show", &[]),
        sub("link show", &[]),
        sub("l show", &[]),
        sub("route show", &[]),
        sub("r show", &[]),
        sub("route get", &[]),
        sub("neigh show", &[]),
        sub("rule show", &[]),
        sub("addr list", &[]),
        sub("link list", &[]),
        sub("route list", &[]),
        alone("netns list", &[]),
    ],
};

static TERRAFORM: SubcommandSet = family(&[
    alone("version", &[]),
    alone("providers", &[]),
    alone("workspace list", &[]),
    alone("workspace show", &[]),
    with_files("fmt -check", &["-write"]),
    alone("state list", &["-state"]),
]);
