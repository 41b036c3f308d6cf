//! Ordinary work, which has to go on.

use std::fs;

use crate::escape::case::Proof::{ChangesState, PrintsReached, WritesNonce};
use crate::escape::case::{EscapeCase, work};
use crate::escape::fixture::EscapeWorld;

fn committed(world: &mut EscapeWorld) -> bool {
    let nonce = world.nonce.clone();
    world
        .git_output(&["log", "-1", "--format=%s"])
        .contains(&nonce)
}

/// What was cloned and what was checked out beside it are whole for a person outside, too.
fn worktree_stands(world: &mut EscapeWorld) -> bool {
    let says = |folder: &str, arguments: &[&str]| {
        crate::escape::user_suite::git(&world.workspace.join(folder), arguments)
    };
    let branch = says("tree", &["rev-parse", "--abbrev-ref", "HEAD"]);
    branch.trim() == "tree" && !says("copied", &["config", "remote.origin.url"]).is_empty()
}

/// What has to work.
pub(super) const CASES: &[EscapeCase] = &[
    work("write_workspace", &[], WritesNonce("new"), r#"echo "$NONCE" > new"#),
    work("change_and_remove", &[], WritesNonce("sub/new"), r#"echo "$NONCE" > a; mv a sub/b; cp sub/b sub/new; rm sub/b; [ ! -e sub/b ]"#),
    work("read_usr", &[], PrintsReached, r#"[ "$(head -c 4 /usr/bin/env | tail -c 3)" = ELF ] && echo "reached $NONCE""#),
    work("null_zero_urandom", &[], PrintsReached, r#"echo x > /dev/null; [ "$(head -c 16 /dev/urandom | wc -c)" = 16 ] && [ "$(head -c 3 /dev/zero | wc -c)" = 3 ] && echo "reached $NONCE""#),
    work("tmp", &["mktemp"], PrintsReached, r#"f=$(mktemp) && d=$(mktemp -d) && echo x > "$f" && touch "$d/y" "/tmp/helve-$NONCE" && echo "reached $NONCE""#),
    work("home", &[], PrintsReached, r#"mkdir -p "$HOME/.cache/x" && echo x > "$HOME/.cache/x/y" && echo "reached $NONCE""#),
    work("shared_memory_folder", &[], PrintsReached, r#"echo x > "/dev/shm/helve-$NONCE" && echo "reached $NONCE""#),
    work("pipes", &[], PrintsReached, r#"[ "$(yes | head -3 | wc -l)" = 3 ] && echo "reached $NONCE""#),
    work("process_substitution", &["bash"], PrintsReached, r#"bash -c '[ "$(cat <(echo a) <(echo b) | tr -d "\n")" = ab ] && echo x > /dev/stderr && echo "reached $NONCE" > /dev/stdout'"#),
    work("end_of_input", &[], PrintsReached, r#"cat; [ "$(wc -c < /dev/null)" = 0 ] && echo "reached $NONCE""#),
    work("script_with_interpreter", &[], PrintsReached, r##"printf '#!/bin/sh\necho "reached $NONCE"\n' > s; chmod 755 s; ./s"##),
    work("fifo", &[], PrintsReached, r#"mkfifo f; (echo "reached $NONCE" > f &) ; cat f"#),
    work("links", &[], WritesNonce("c"), r#"echo "$NONCE" > a; ln a b; ln -s b c; [ "$(readlink c)" = b ]"#),
    work("lock", &["flock"], PrintsReached, r#"flock lock -c 'echo "reached $NONCE"'"#),
    work("who_am_i", &["id"], PrintsReached, r#"id -un >/dev/null; [ -n "$(id -u)" ] && hostname >/dev/null 2>&1; date >/dev/null && echo "reached $NONCE""#),
    work("forks_50", &[], PrintsReached, r#""$DOORS" forks 50"#),
    work("threads_100", &[], PrintsReached, r#""$DOORS" threads 100"#),
    work("memory_512_mib", &[], PrintsReached, r#""$DOORS" memory private 512"#),
    work("descriptors_500", &[], PrintsReached, r#""$DOORS" descriptors 500"#),
    work("kill_own_child", &[], PrintsReached, r#"sleep 600 & kill $! && wait $!; [ $? = 143 ] && echo "reached $NONCE""#),
    work("see_own_processes", &["ps"], PrintsReached, r#"sleep 600 & ps -e | grep -q sleep && echo "reached $NONCE"; kill $!"#),
    work("terminal", &["tty", "stty"], PrintsReached, r#"tty | grep -q /dev/pts/ && stty size >/dev/null && echo x > /dev/tty && echo "reached $NONCE""#).on_terminal(),
    work("job_control", &["bash"], PrintsReached, r#"bash -ic 'sleep 600 & kill %1; wait; echo "reached $NONCE"'"#).on_terminal(),
    work("python_threads_and_subprocesses", &["python3"], PrintsReached, r#"python3 -c '
import os, subprocess, threading
out = []
ts = [threading.Thread(target=lambda: out.append(subprocess.run(["echo", "x"], capture_output=True).stdout)) for _ in range(8)]
[t.start() for t in ts]; [t.join() for t in ts]
assert out == [b"x\n"] * 8
print("reached", os.environ["NONCE"])'"#),
    work("python_socketpair", &["python3"], PrintsReached, r#"python3 -c '
import os, socket
a, b = socket.socketpair()
a.sendall(b"x"); assert b.recv(1) == b"x"
print("reached", os.environ["NONCE"])'"#),
    work("python_asyncio", &["python3"], PrintsReached, r#"python3 -c '
import asyncio, os
async def main():
    p = await asyncio.create_subprocess_exec("echo", "x", stdout=asyncio.subprocess.PIPE)
    assert (await p.communicate())[0] == b"x\n"
    await asyncio.gather(*[asyncio.sleep(0.01) for _ in range(9)])
asyncio.run(main())
print("reached", os.environ["NONCE"])'"#),
    work("python_multiprocessing", &["python3"], PrintsReached, r#"python3 -c '
import multiprocessing as m, os
def double(x): return 2 * x
for kind in ["fork", "spawn"]:
    with m.get_context(kind).Pool(3) as p:
        assert p.map(abs, [-1, -2]) == [1, 2]
q = m.Queue(); q.put(1); assert q.get() == 1
print("reached", os.environ["NONCE"])'"#),
    work("python_loopback", &["python3"], PrintsReached, r#"python3 -c '
import http.server, os, threading, urllib.request
s = http.server.HTTPServer(("127.0.0.1", 0), http.server.SimpleHTTPRequestHandler)
threading.Thread(target=s.serve_forever, daemon=True).start()
r = urllib.request.build_opener(urllib.request.ProxyHandler({})).open("http://127.0.0.1:%d/sub/" % s.server_port)
assert r.status == 200
print("reached", os.environ["NONCE"])'"#),
    work("python_loopback_by_name", &["python3"], PrintsReached, r#"python3 -c '
import os, socket
s = socket.create_server(("localhost", 0))
c = socket.create_connection(("localhost", s.getsockname()[1])); s.accept()
print("reached", os.environ["NONCE"])'"#),
    work("python_sqlite_and_mmap", &["python3"], PrintsReached, r#"python3 -c '
import mmap, os, sqlite3
d = sqlite3.connect("d.sqlite"); d.execute("pragma journal_mode=wal"); d.execute("create table t (x)"); d.execute("insert into t values (1)"); d.commit()
f = open("m", "w+b"); f.truncate(4096); mmap.mmap(f.fileno(), 4096)[0:1] = b"x"
print("reached", os.environ["NONCE"])'"#),
    work("python_venv", &["python3"], PrintsReached, r#"python3 -m venv --without-pip v && v/bin/python -c 'import os; print("reached", os.environ["NONCE"])'"#),
    work("python_zip_and_temporary_folder", &["python3"], PrintsReached, r#"python3 -c '
import os, shutil, tempfile, zipfile
with tempfile.TemporaryDirectory() as d:
    open(d + "/x", "w").write("x"); os.chmod(d + "/x", 0o755)
    zipfile.ZipFile("z.zip", "w").write(d + "/x"); shutil.copytree(d, "copy"); shutil.copystat(d + "/x", "copy/x")
print("reached", os.environ["NONCE"])'"#),
    work("git_commit", &["git"], ChangesState(committed), r#"echo x > x && git add x && git commit -q -m "$NONCE""#),
    work("git_branches", &["git"], ChangesState(committed), r#"git checkout -q -b side && echo x > x && git add x && git commit -q -m "$NONCE" && git checkout -q main && git merge -q side && git stash list && git gc -q"#),
    work("git_init_and_commit", &["git"], PrintsReached, r#"git init -q made && cd made && echo x > x && git add x && git commit -q -m "$NONCE" && git log -1 --format="reached %s""#),
    work("git_rev_parse", &["git"], PrintsReached, r#"git rev-parse --show-toplevel && git status --short >/dev/null && [ "$(git rev-parse HEAD | wc -c)" = 41 ] && echo "reached $NONCE""#),
    work("git_clone_and_worktree", &["git"], ChangesState(worktree_stands), r#"git clone -q . copied && git worktree add -q tree && (cd tree && git status --short) && echo "reached $NONCE""#),
    work("git_diff_and_apply", &["git"], WritesNonce("file"), r#"echo "$NONCE" >> file && git diff > p && git checkout -q file && git apply p"#),
    work("gcc_build_and_run", &["gcc"], PrintsReached, r#"printf '#include <stdio.h>\n#include <stdlib.h>\nint main(void) { printf("reached %%s\\n", getenv("NONCE")); return 0; }\n' > a.c && gcc -O1 -o a a.c && ./a"#),
    work("make", &["make"], PrintsReached, r#"printf 'all: a b\n\t@echo "reached $$NONCE"\na b:\n\t@touch $@\n' > Makefile && make -s -j2"#),
    work("tar_and_sed", &["tar", "sed", "find", "xargs"], PrintsReached, r#"tar -czf a.tgz nested && mkdir t && tar -xzf a.tgz -C t && echo a > x && sed -i s/a/b/ x && [ "$(cat x)" = b ] && find t -type f | xargs ls >/dev/null && echo "reached $NONCE""#),
    work("perl", &["perl"], PrintsReached, r#"perl -e 'print "reached $ENV{NONCE}\n"'"#),
    work("node", &["node"], PrintsReached, r#"node -e 'const {execFileSync} = require("child_process"); require("fs").writeFileSync("n", "x"); if (execFileSync("echo", ["x"]).toString() !== "x\n") process.exit(1); setTimeout(() => console.log("reached " + process.env.NONCE), 5)'"#),
    work("node_worker_and_server", &["node"], PrintsReached, r#"node -e '
const {Worker} = require("worker_threads"); const http = require("http");
const s = http.createServer((q, r) => r.end("x")).listen(0, "127.0.0.1", () =>
  http.get({port: s.address().port, host: "127.0.0.1"}, () => new Worker("1", {eval: true}).on("exit", () => { console.log("reached " + process.env.NONCE); process.exit() })))'"#),
    work("chmod_755", &[], ChangesState(|world| {
        use std::os::unix::fs::PermissionsExt;
        fs::metadata(world.workspace.join("made")).is_ok_and(|file| file.permissions().mode() & 0o777 == 0o755)
    }), "touch made; chmod 755 made"),
];
