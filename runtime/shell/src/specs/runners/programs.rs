//! Programs that run other programs, and the arguments that select those programs.

/// Programs that run any command among their arguments.
pub(crate) const RUN_ANYTHING: &str = "alias ansible-playbook ant asdf at bash batch bunx busybox \
                                       caffeinate chroot chrt crontab direnv doas dotnet ed emacs \
                                       enable entr ex expect fakeroot firejail flock gdb guix java \
                                       lldb ltrace mise nano ninja nix nix-shell npx nsenter nvim \
                                       open parallel pipx pkexec pnpx proxychains rake runuser \
                                       screen script setsid socat source ssh start strace su sudo \
                                       systemd-run taskset tmux torsocks toybox unbuffer unshare \
                                       uvx vagrant vi view vim watch wish xdg-open";

/// Lists of programs, with the words that make them opaque. A long option also matches abbreviated, a letter also
/// matches in a bundle, and a long name with one dash also matches with two; `+`, `-`, `@`, `.` and `\\` match any word
/// with this beginning.
pub(crate) const TABLE: &[(&str, &str)] = &[
    ("ack", "--pager --output"),
    ("ag bat", "--pager"),
    ("ansible", "-m -a"),
    ("apt apt-get", "-o --option -c --config-file"),
    (
        "bazel",
        "--run_under --bazelrc --workspace_status_command --override_repository --override_module \
         --credential_helper run --config --action_env --shell_executable --spawn_strategy \
         --extra_toolchains",
    ),
    ("bun", "run x exec -e --eval --preload"),
    ("bundle", "exec"),
    (
        "c++ cc g++",
        "-wrapper -B -specs -fplugin @ -fuse-ld -iplugindir --sysroot -Xclang",
    ),
    (
        "cargo",
        "--config -Z watch run --manifest-path -C --lockfile-path",
    ),
    (
        "clang clang++",
        "-fplugin -fpass-plugin -load --config -B -Xclang @ -fuse-ld -specs",
    ),
    ("cmake", "--toolchain"),
    ("composer", "exec run-script run"),
    ("conda", "run"),
    (
        "ctest",
        "-S -SP --script --build-and-test --build-makeprogram --build-exe-dir",
    ),
    ("curl", "-K --config"),
    ("deno", "eval run"),
    (
        "docker",
        "run exec -H --host --config -c --context --entrypoint",
    ),
    ("dpkg", "--pre-invoke --post-invoke"),
    (
        "eslint",
        "-c -f --format --rulesdir --resolve-plugins-relative-to --parser --rule-path",
    ),
    ("fd fdfind", "-x -X --exec --exec-batch -l --list-details"),
    ("flake8", "--append-config"),
    (
        "gcc",
        "-wrapper -B -specs -fplugin @ -fuse-ld -iplugindir --sysroot",
    ),
    ("gh", "extension alias codespace"),
    (
        "go",
        "run generate tool -toolexec -exec -vettool -overlay -extld env -modfile -compiler \
         -gccgoflags -pkgdir",
    ),
    (
        "gradle",
        "-I --init-script -b --build-file -c --settings-file -D -P -p --project-dir -g \
         --gradle-user-home --include-build",
    ),
    (
        "helm",
        "--post-renderer plugin --kubeconfig --repository-config --registry-config \
         --kube-apiserver --kube-context",
    ),
    ("info", "-o --output"),
    ("install", "--strip-program"),
    ("javac", "@ -processor -processorpath -Xplugin -J -proc"),
    (
        "jest",
        "-c --env --rootDir --transform --resolver --reporters --projects --moduleNameMapper \
         --globals",
    ),
    ("just", "--shell --shell-arg -f --justfile -c --command"),
    (
        "kubectl",
        "exec run debug --kubeconfig plugin --context --server -s --cluster",
    ),
    ("ld", "-plugin --plugin @"),
    ("less man more", "+ -"),
    (
        "make",
        "-f --file --makefile --eval -C --directory -I --include-dir",
    ),
    (
        "mocha",
        "-r -R -u --require --reporter --ui --opts --package",
    ),
    (
        "mvn",
        "exec:exec exec:java -f --file -s --settings -gs --global-settings -t --toolchains -Dexec \
         -Dmaven",
    ),
    ("mypy", "--python-executable"),
    ("mysql", "-e --execute"),
    ("nc ncat", "-e -c --exec --sh-exec"),
    ("nmap", "--script"),
    ("nox", "-f --noxfile"),
    (
        "npm",
        "exec x explore init create --script-shell --node-options config set c --prefix -C \
         --userconfig --globalconfig edit --editor --viewer --shell --git --registry --cafile",
    ),
    ("openssl", "-engine -provider-path"),
    (
        "phpunit",
        "-c -d --bootstrap --configuration --extension --include-path --printer",
    ),
    (
        "pip",
        "--python -e --editable -i --index-url --extra-index-url -f --find-links",
    ),
    ("pipenv poetry", "run shell"),
    ("playwright", "-c --reporter"),
    (
        "pnpm",
        "exec dlx x create --script-shell config set -C --dir c",
    ),
    (
        "podman",
        "run exec --config --conmon --runtime --hooks-dir -r --remote --url",
    ),
    ("protoc", "@ --plugin"),
    (
        "psql",
        "-c --command -f --file \\ -v -P --set --variable --pset",
    ),
    ("pylint", "--load-plugins --rcfile --init-hook"),
    (
        "pytest",
        "-p -c -o --rootdir --confcutdir --override-ini --pdbcls",
    ),
    ("rg", "--pre --hostname-bin"),
    ("rollup", "-c -p"),
    ("rpm", "--eval -E --pipe --define -D"),
    ("rspec", "-I -r -O --options -f --format"),
    ("rsync", "-e --rsh --rsync-path -M --remote-option"),
    ("rubocop", "-c -r"),
    ("rustc", "-C --codegen -Z @ --sysroot"),
    ("scp", "-S -o -F -D"),
    ("sdiff", "--diff-program"),
    ("sftp", "-S -o -F -b -s -D"),
    ("sphinx-build", "-c -D -C"),
    ("split", "--filter"),
    ("sqlite3", "-cmd -init -A ."),
    (
        "tar",
        "--to-command --checkpoint-action -I --use-compress-program --rsh-command --rmt-command -F \
         --info-script --new-volume-script",
    ),
    ("tcpdump", "-z"),
    (
        "terraform",
        "-chdir -plugin-dir -from-module -backend-config",
    ),
    ("tox", "-c -x"),
    ("uv", "run tool x"),
    ("vite webpack", "-c"),
    ("vitest", "-c -r --root --dir --reporter --environment"),
    ("wget", "--use-askpass --config -e --execute"),
    (
        "yarn",
        "exec dlx node run create config set --cwd --script-shell",
    ),
    ("zip", "-TT --unzip-command"),
];
