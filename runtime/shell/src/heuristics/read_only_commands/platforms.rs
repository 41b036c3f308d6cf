//! Version control, containers, clusters, code hosting, and system services.

use super::spec::Operands::Text;
use super::spec::{ReadOnlySpec, judged, read_only, subcommands};
use super::subcommands::{SubcommandSet, alone, family, sub, with_files};
use super::{git, special};
use crate::name_list::names;

pub(super) static TABLE: &[ReadOnlySpec] = &[
    subcommands("docker podman", &DOCKER),
    subcommands("gh", &GH),
    judged("git", git::judge),
    subcommands("helm", &HELM),
    subcommands("hostnamectl localectl loginctl timedatectl", &STATUS),
    judged("ifconfig", special::interface),
    subcommands("ip", &IP),
    read_only("journalctl", Text, "", JOURNAL),
    subcommands("kubectl", &KUBECTL),
    read_only("netstat", Text, "", ""),
    judged("sysctl", special::sysctl),
    subcommands("systemctl", &SYSTEMCTL),
    subcommands("terraform", &TERRAFORM),
];

const JOURNAL: &str = "--vacuum-size --vacuum-time --vacuum-files --rotate --flush --sync \
                       --relinquish-var --smart-relinquish-var --setup-keys --update-catalog \
                       --cursor-file -M --machine --root --image -D --directory --file --force";

static DOCKER: SubcommandSet = family(&[
    alone(
        "ps, version, info, container ls, container ps, container list, volume ls, network ls, \
         context ls, context show, system df, system info, compose ps, compose ls, \
         compose version, node ls, service ls, stack ls, buildx ls, events, plugin ls",
        "",
    ),
    sub(
        "images, logs, inspect, stats, top, port, diff, history, container logs, \
         container inspect, container top, container stats, container port, image ls, image list, \
         image inspect, image history, volume inspect, network inspect, compose logs, \
         compose images, compose top",
        "",
    ),
]);

/// The options with which kubectl uses another server, runs a plug-in for credentials, or writes.
const KUBE: &str = "--kubeconfig -s --server --token --username --password --certificate-authority \
                    --client-key --client-certificate --cache-dir --profile-output --profile --raw \
                    --insecure-skip-tls-verify --tls-server-name -f --filename -k --kustomize \
                    --log-file --output-directory";

/// The same options for `kubectl logs`, of which `-f` (`--follow`) is harmless.
const KUBE_FOLLOW: &str = "--kubeconfig -s --server --token --username --password \
                           --certificate-authority --client-key --client-certificate --cache-dir \
                           --profile-output --profile --insecure-skip-tls-verify --tls-server-name \
                           --log-file";

static KUBECTL: SubcommandSet = SubcommandSet {
    value_options: names!("-n --namespace --context --cluster --request-timeout"),
    ..family(&[
        sub(
            "get, describe, top, explain, api-resources, api-versions, config get-contexts, \
             auth can-i, rollout status, rollout history, events",
            KUBE,
        ),
        sub("logs", KUBE_FOLLOW),
        sub(
            "version",
            "--kubeconfig -s --server --token --cache-dir --log-file",
        ),
        alone(
            "cluster-info, config current-context, config view, config get-clusters, auth whoami",
            KUBE,
        ),
    ])
};

/// The options with which gh opens a browser or uses another host.
const GH_OPTIONS: &str = "--web -w --hostname";

static GH: SubcommandSet = SubcommandSet {
    value_options: names!("-R --repo"),
    version_options: names!("--version --help -h version help status"),
    ..family(&[
        sub(
            "pr list, pr view, pr status, pr diff, pr checks, issue list, issue view, \
             issue status, run list, run view, workflow list, workflow view, repo view, repo list, \
             release list, release view, label list, search, gist list, cache list",
            GH_OPTIONS,
        ),
        sub("auth status", "--hostname -t --show-token"),
    ])
};

const HELM_OPTIONS: &str = "--kubeconfig --kube-apiserver --kube-token --registry-config \
                            --repository-config --post-renderer";

static HELM: SubcommandSet = family(&[
    alone("list, ls, repo list, version", HELM_OPTIONS),
    sub(
        "status, history, get notes, get metadata, search repo",
        HELM_OPTIONS,
    ),
]);

const SYSTEMD: &str = "-H --host -M --machine --root --image --image-policy";

static SYSTEMCTL: SubcommandSet = SubcommandSet {
    flags: names!(
        "--user --no-pager --failed --all -a -l --full --system -q --quiet --plain --no-legend"
    ),
    value_options: names!("-t --type --state -p --property -n --lines -o --output"),
    allows_no_subcommand: true,
    ..family(&[
        sub(
            "status, show, cat, list-units, list-unit-files, list-timers, list-sockets, \
             list-dependencies, list-jobs, is-active, is-enabled, is-failed, help",
            SYSTEMD,
        ),
        alone("is-system-running, get-default", SYSTEMD),
    ])
};

static STATUS: SubcommandSet = SubcommandSet {
    allows_no_subcommand: true,
    ..family(&[
        alone(
            "status, show, list-timezones, list-locales, list-sessions, list-users",
            SYSTEMD,
        ),
        sub("session-status, user-status", SYSTEMD),
    ])
};

static IP: SubcommandSet = SubcommandSet {
    flags: names!("-4 -6 -o -s -j -br -brief -c -d -json -p -color -h -stats -details -oneline"),
    version_options: names!(
        "-V -Version help addr address a link l route r rule neigh n neighbour"
    ),
    ..family(&[
        sub(
            "addr show, address show, a show, link show, l show, route show, r show, route get, \
             neigh show, rule show, addr list, link list, route list",
            "",
        ),
        alone("netns list", ""),
    ])
};

static TERRAFORM: SubcommandSet = family(&[
    alone("version, providers, workspace list, workspace show", ""),
    with_files("fmt -check", "-write"),
    alone("state list", "-state"),
]);
