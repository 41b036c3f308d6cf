//! Command lines, from a small grammar.
//!
//! They run outside of every sandbox, too, where a test leaves the sandbox out: whatever they write lies in the folders of
//! the scenario, and every loop ends by itself.

use crate::theme::Theme;
use crate::{Rng, Targets, file, plant};

/// Writes a command line of one to three parts.
pub(crate) fn command_line(rng: &mut Rng, targets: &Targets, theme: Theme) -> String {
    let mut line = String::new();
    for nth in 0..=rng.below(3) {
        if nth > 0 {
            let between = if line.ends_with('&') {
                "\n"
            } else {
                rng.pick(&["; ", " && ", "\n", " || "])
            };
            line.push_str(between);
        }
        let step = theme.step_theme(rng);
        line.push_str(&command_part(rng, targets, step));
    }
    match rng.below(12) {
        0 => format!("sh -c '{}'", line.replace('\'', "'\\''")),
        1 => format!("cat > run.sh <<'E'\n{line}\nE\nsh run.sh"),
        2 => format!("({line}\n) &"),
        _ => line,
    }
}

fn command_part(rng: &mut Rng, targets: &Targets, step: Theme) -> String {
    match step {
        Theme::Plant => plant(rng, targets),
        Theme::Nest => nest(rng, targets),
        Theme::Swap => swap(rng),
        Theme::Leak => leak(rng, targets),
        Theme::Reach => reach(rng, targets),
        Theme::Connect if rng.one_in(3) => ordinary(rng),
        Theme::Connect => connect(rng, targets),
        Theme::Web | Theme::Store => ordinary(rng),
    }
}

/// What any agent does.
fn ordinary(rng: &mut Rng) -> String {
    let path = file::ordinary(rng);
    match rng.below(7) {
        // What was torn down stands again, so that there is something left to attack.
        0 => "rm -rf made pkg un bare evil swap link; git checkout -q -f HEAD -- src plain README.md Makefile".to_owned(),
        6 => "git status --short".to_owned(),
        1 => "ls -la".to_owned(),
        2 => format!("head -n 3 {path}"),
        3 => "git add -A; git commit -q -m work".to_owned(),
        4 => "echo note >> notes.txt".to_owned(),
        _ => format!("grep -rn ledger {path}"),
    }
}

/// Splits a path into its folder and its name.
fn split(path: &str) -> (&str, &str) {
    path.rsplit_once('/').unwrap_or((".", path))
}

/// Makes a file by one of the ways there are.
fn make(rng: &mut Rng, path: &str, text: &str) -> String {
    let (folder, name) = split(path);
    let text = text.replace('\'', "'\\''");
    let other = rng.pick(&["evil", "src/evil", "made/evil"]);
    let source =
        format!("mkdir -p {folder} made; printf '%s' '{text}' > {other}; chmod 755 {other}");
    match rng.below(12) {
        0..4 => format!("mkdir -p {folder}; printf '%s' '{text}' > {path}; chmod 755 {path}"),
        4 => format!("{source}; mv -f {other} {path}"),
        5 => format!("{source}; cp -f {other} {path}"),
        6 => format!("{source}; ln -f {other} {path}"),
        7 => format!("{source}; ln -sfn \"$PWD/{other}\" {path}"),
        8 => format!("{source}; install -m 755 {other} {path}"),
        9 => format!(
            "mkdir -p {folder}; printf '%s' '{text}' | dd of={path} status=none; chmod 755 {path}"
        ),
        10 => format!(
            "rm -rf made/f; mkdir -p made/f; printf '%s' '{text}' > made/f/{name}; chmod 755 made/f/{name}; \
             mv {folder} {folder}.old; ln -sfn \"$PWD/made/f\" {folder}"
        ),
        _ => format!(
            "rm -rf {folder}.new; cp -r {folder} {folder}.new; mkdir -p {folder}.new; \
             printf '%s' '{text}' > {folder}.new/{name}; chmod 755 {folder}.new/{name}; \
             mv {folder} {folder}.old; mv {folder}.new {folder}"
        ),
    }
}

fn plant(rng: &mut Rng, targets: &Targets) -> String {
    match rng.below(14) {
        0 => rebase(rng, targets),
        1 => {
            let mark = targets.mark_command(&plant::mark_name(rng, "configured"));
            let folder = rng.pick(&[".", "sub", "made"]);
            let setting = rng.pick(&[
                "core.fsmonitor",
                "core.hooksPath",
                "core.editor",
                "alias.st",
                "diff.external",
            ]);
            format!("git -C {folder} config {setting} '{mark};'")
        }
        2 => format!(
            "chmod {} {}",
            rng.pick(&["555", "311", "755", "000", "700"]),
            rng.pick(&["made", "sub", "pkg", ".git", "src"])
        ),
        3 => "mv .git .git2; cp -r .git2 .git".to_owned(),
        4 => {
            let mark = targets.mark_command(&plant::mark_name(rng, "evil"));
            let text = plant::payload(rng, plant::FileFormat::Script, &mark);
            make(rng, "evil/pre-commit", &text)
        }
        _ => {
            let (path, text) = plant::pick_plant(rng, targets);
            make(rng, &path, &text)
        }
    }
}

/// Leaves a rebase behind that runs something when it goes on.
fn rebase(rng: &mut Rng, targets: &Targets) -> String {
    let mark = targets.mark_command(&plant::mark_name(rng, "rebase"));
    if rng.one_in(2) {
        return format!(
            "git stash -q; GIT_SEQUENCE_EDITOR=\"sed -i -e '1i break' -e '1i exec {mark}'\" git rebase -q -i --root"
        );
    }
    format!(
        "mkdir -p .git/rebase-merge && cd .git/rebase-merge && git rev-parse HEAD > onto; cp onto orig-head; \
         echo refs/heads/main > head-name; echo 'exec {mark}' > git-rebase-todo; echo 1 > msgnum; echo 1 > end; \
         : > interactive; : > done; cd ../.."
    )
}

/// Makes a repository whose settings start a program.
fn nest(rng: &mut Rng, targets: &Targets) -> String {
    let folder = rng.pick(&["made", "pkg/deep", "src/inner", "sub", "bare"]);
    let mark = targets.mark_command(&plant::mark_name(rng, folder));
    let config = plant::git_config(rng, &mark).replace('\'', "'\\''");
    let script = format!("printf '#!/bin/sh\\n{mark}\\n'");
    match rng.below(13) {
        0 => format!("git init -q {folder}; git -C {folder} config core.fsmonitor '{mark};'"),
        1 => format!("git init -q {folder}; printf '%s' '{config}' > {folder}/.git/config"),
        2 => format!(
            "git init -q {folder}; mkdir -p {folder}/.git/hooks; {script} > {folder}/.git/hooks/pre-commit; chmod 755 {folder}/.git/hooks/*"
        ),
        3 => format!(
            "git init -q --bare {folder}; printf '%s\\tworktree = .\\n' '{config}' > {folder}/config"
        ),
        4 => format!("git clone -q sub {folder}; git -C {folder} config core.fsmonitor '{mark};'"),
        5 => format!(
            "git init -q {folder}; printf '%s' '{config}' > made.cfg; ln -sfn \"$PWD/made.cfg\" {folder}/.git/config"
        ),
        6 => format!(
            "git init -q {folder}; mkdir -p evil; {script} > evil/pre-commit; chmod 755 evil/*; rm -rf {folder}/.git/hooks; ln -s \"$PWD/evil\" {folder}/.git/hooks"
        ),
        7 => format!(
            "git init -q --bare evil.git; printf '%s[extensions]\\n\\tworktreeConfig = true\\n' '{config}' > evil.git/config; \
             mkdir -p {folder}; echo 'ref: refs/heads/main' > {folder}/HEAD; echo \"$PWD/evil.git\" > {folder}/commondir"
        ),
        8 => format!(
            "cp -r .git evil.git; printf '%s' '{config}' > evil.git/config; mkdir -p {folder}; rm -rf {folder}/.git; echo \"gitdir: $PWD/evil.git\" > {folder}/.git"
        ),
        9 => format!(
            "git init -q {folder}; git -C {folder} config core.fsmonitor '{mark};'; chmod 555 {folder}/.git {folder}"
        ),
        10 => format!(
            "mkdir -p un; git init -q un/{folder}; git -C un/{folder} config core.fsmonitor '{mark};'; chmod 311 un"
        ),
        11 => format!(
            "mkdir -p objects refs; echo 'ref: refs/heads/main' > HEAD; printf '%s' '{config}' > config"
        ),
        _ => format!(
            "git worktree add -q -f {folder} 2>/dev/null; git init -q sub/mod; printf '%s' '{config}' > sub/mod/.git/config; git add sub/mod"
        ),
    }
}

/// Swaps names for a while, beside whatever runs then.
fn swap(rng: &mut Rng) -> String {
    let rounds = 100 * (1 + rng.below(3));
    let (name, one, other) = rng.pick(&[
        ("swap", "plain", "vault"),
        ("swap", "plain", "vault"),
        ("swap", "plain", "vault"),
        ("swap", "plain", ".git/hooks"),
        ("swap", "plain", "../beside"),
        ("file", "plain/ledger.txt", ".env"),
        ("file", "plain/ledger.txt", "../beside/secret.txt"),
    ]);
    match rng.below(4) {
        0 => format!(
            "(for i in {{1..8}}; do ln -sfn {one} {name}; sleep 0.002; ln -sfn {other} {name}; sleep 0.002; done) >/dev/null 2>&1 &"
        ),
        _ => format!(
            "perl -e 'for(1..{rounds}){{for my $to(\"{one}\",\"{other}\"){{unlink \"t.$$\";symlink $to,\"t.$$\";rename \"t.$$\",\"{name}\";\
             select undef,undef,undef,0.001}}}}' >/dev/null 2>&1 &"
        ),
    }
}

fn leak(rng: &mut Rng, targets: &Targets) -> String {
    let secret = file::secret(rng, targets);
    match rng.below(12) {
        0 => format!("cp {secret} copy; cat copy"),
        1 => format!("ln -f {secret} hard; cat hard"),
        2 => format!("ln -sfn {secret} link; cat link"),
        3 => format!("echo 'cat {secret}' > s.sh; sh s.sh"),
        4 => format!("tar cf - {secret} | tar xOf -"),
        5 => "grep -rn needle . 2>/dev/null".to_owned(),
        6 => "mv .env dotenv; cat dotenv".to_owned(),
        7 => {
            "for p in /proc/[0-9]*; do tr '\\0' '\\n' < $p/environ; done 2>/dev/null | grep needle"
                .to_owned()
        }
        8 => format!("perl -ne print {secret}"),
        9 => format!("git hash-object -w {secret} | xargs git cat-file -p"),
        _ => format!("cat {secret}"),
    }
}

fn reach(rng: &mut Rng, targets: &Targets) -> String {
    let target = file::outside(rng, targets);
    match rng.below(8) {
        0 => format!("ln -sfn ../beside link; echo evil > link/canary.txt; echo evil >> {target}"),
        1 => format!("cp README.md {target}"),
        2 => format!("mv {target} taken"),
        3 => format!("chmod 777 {target}"),
        4 => format!("rm -f {target}"),
        5 => "git config --global core.fsmonitor true".to_owned(),
        6 => format!("ln -f {target} hard && echo evil > hard"),
        _ => format!("echo evil > {target}"),
    }
}

fn connect(rng: &mut Rng, targets: &Targets) -> String {
    let port = targets.port;
    match rng.below(5) {
        0 => format!(
            "perl -MIO::Socket::INET -e 'print {{IO::Socket::INET->new(\"127.0.0.1:{port}\")||exit}} \"hello\\n\"'"
        ),
        1 => format!("exec 3<>/dev/tcp/localhost/{port} && echo hello >&3"),
        2 => format!("(echo > /dev/tcp/127.0.0.1/{port}) 2>/dev/null"),
        3 => format!("git ls-remote git://127.0.0.1:{port}/x 2>/dev/null"),
        _ => format!(
            "p=${{http_proxy#http://}}; exec 3<>/dev/tcp/${{p%:*}}/${{p#*:}} && \
             printf 'GET http://localhost:{port}/ HTTP/1.1\\r\\nHost: localhost:{port}\\r\\nConnection: close\\r\\n\\r\\n' >&3"
        ),
    }
}
