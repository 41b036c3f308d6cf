//! Rules, held against command lines.

use super::{is_covered, is_denied};

#[test]
fn a_rule_to_allow_names_what_runs() {
    for (rule, text) in [
        ("timeout:*", "timeout 5 npm i"),
        ("xargs:*", "ls | xargs npm"),
        ("find:*", "find . -exec npm {} +"),
        ("bash:*", "bash -c 'npm test'"),
        ("bash:*", "bash x.sh"),
        ("sudo:*", "sudo npm i"),
        ("npm install", "echo npm install > x"),
        ("npm install", "./npm 'npm install'"),
        ("git commit:*", "git $x"),
        ("git commit:*", "git comm$x"),
        ("git:*", "/tmp/git commit"),
        ("npm run:*", "npm 'run x'"),
        ("npm *", "npm run $x > f"),
        ("env:*", "env npm i"),
        ("time:*", "/usr/bin/time npm i"),
    ] {
        assert!(!is_covered(&[rule], text), "{rule}: {text}");
    }
    for (rule, text) in [
        ("npm install", "npm install"),
        ("npm install", "npm install left-pad"),
        ("docker * up", "docker compose up"),
        ("git commit:*", "git commit -m \"$x\""),
        ("git:*", "/usr/bin/git commit"),
        ("bash x.sh:*", "bash x.sh a"),
        ("./x.sh:*", "./x.sh a"),
        ("npm:*", "time npm i"),
        ("npm:*", "! npm i || echo none"),
        ("npm:*", "if npm i; then echo done; fi"),
        ("npm:*", "x=$(npm i) && echo \"$x\""),
        (
            "git commit:*",
            "git commit -m \"$(cat <<'EOF'\nFix it\n\nIt's \"broken\" $(rm x)\nEOF\n)\"",
        ),
    ] {
        assert!(is_covered(&[rule], text), "{rule}: {text}");
    }
}

#[test]
fn a_rule_to_deny_names_what_may_run() {
    for text in [
        "rm x",
        "ls && rm x",
        "sudo rm x",
        "/bin/rm x",
        "FOO=1 rm x",
        "env rm x",
        "timeout 5 rm x",
        "ls | xargs rm",
        "find . -exec rm {} +",
        "bash -c 'rm x'",
        "sh -c 'rm x'",
        "eval rm x",
        "echo $(rm x)",
        "(rm x)",
        "{rm,x}",
        "a=rm; $a x",
        "for c in rm ls; do $c x; done",
        "x=r; ${x}m y",
        "cat <<E; rm x\nhi\nE\n",
        "cat <<'E'\nhi\nE\nrm x\n",
        "echo a\\\n#;rm x",
        "r\\\nm x",
    ] {
        assert!(is_denied("rm:*", text), "{text:?}");
    }
    for text in [
        "echo 'rm -rf x'",
        "ls # rm x",
        "cat <<'E'\nrm x\nE\n",
        "git commit -m 'rm x'",
    ] {
        assert!(!is_denied("rm:*", text), "{text:?}");
    }
    assert!(is_denied("git push:*", "git $x"));
}

#[test]
fn every_command_that_a_program_runs_is_judged() {
    for text in [
        "find . -exec rm {} +",
        "find . -exec ls {} + -exec rm {} +",
        "ls | xargs rm",
        "env rm x",
        "timeout 5 nice rm x",
        "time -o x ls",
        "bash -c 'rm x'",
        "bash -c 'echo $(rm x)'",
    ] {
        assert_ne!(super::word(text), "reads", "{text}");
    }
    assert!(!is_covered(&["ls:*"], "/usr/bin/time -o x ls"));
}

#[test]
fn a_rule_to_deny_sees_quoted_substitutions() {
    for text in [
        "[[ 'a[$(touch x)]' -eq 1 ]]",
        "test -v 'a[$(touch x)]' && ls",
        "x='a[$(touch x)]'; echo $((x))",
        "x='a[`touch x`]'; echo $((x))",
        "[[ 'a[$(ls; (touch x))]' -eq 1 ]]",
        "[[ 'a[$(touch x' -eq 1 ]]",
    ] {
        assert!(is_denied("touch:*", text), "{text}");
    }
    assert!(!is_denied("touch:*", "npm run x -- '(touch x)'"));
}

const BRINGS_ALONG: &[(&str, &str)] = &[
    ("go build:*", "go build -ldflags=-extld=./x ."),
    ("go build:*", "go build -toolexec ./x ."),
    ("go test:*", "go test -exec ./x ./..."),
    ("go vet:*", "go vet -vettool=./x ./..."),
    ("go build:*", "go build -overlay x.json ."),
    ("sqlite3:*", "sqlite3 a.db '.shell ./x'"),
    ("sqlite3:*", "sqlite3 -cmd '.shell ./x' a.db"),
    ("psql:*", "psql -c '\\! ./x'"),
    ("psql:*", "psql '\\! ./x'"),
    ("cmake:*", "cmake -P x.cmake"),
    ("cmake:*", "cmake -DCMAKE_C_COMPILER=./x ."),
    ("cmake:*", "cmake -D CMAKE_CXX_COMPILER_LAUNCHER=./x ."),
    ("ctest:*", "ctest -S x.cmake"),
    ("gcc:*", "gcc @x"),
    ("cc:*", "cc -fplugin=./x.so a.c"),
    ("rustc:*", "rustc @x"),
    ("javac:*", "javac @x"),
    ("javac:*", "javac -processorpath x A.java"),
    ("protoc:*", "protoc --plugin=protoc-gen-x=./x a.proto"),
    ("zip:*", "zip -T -TT ./x a.zip a"),
    ("zip:*", "zip --unzip-command ./x a.zip a"),
    ("helm:*", "helm template --post-rend ./x a b"),
    ("docker build:*", "docker --config x build ."),
    ("gradle test:*", "gradle test -I x.gradle"),
    ("cargo test:*", "cargo test --manifest-path x/Cargo.toml"),
    ("cargo test:*", "cargo test --config x.toml"),
    ("pylint:*", "pylint --load-plugins=x src"),
    ("pytest:*", "pytest -p x"),
    ("pytest:*", "pytest -c x.ini"),
    ("pytest:*", "pytest --rootdir x"),
    ("eslint:*", "eslint -c x.js src"),
    ("eslint:*", "eslint --conf x.js src"),
    ("mocha:*", "mocha -r ./x.js"),
    ("jest:*", "jest --globalSetup ./x.js"),
    ("phpunit:*", "phpunit --bootstrap x.php"),
    ("install:*", "install -s --strip-program=./x a b"),
    ("anything:*", "anything --plugin ./x"),
    ("npm test:*", "npm test -- --config x.js"),
];

#[test]
fn a_rule_does_not_cover_what_an_option_brings_along() {
    for &(rule, text) in BRINGS_ALONG {
        assert!(!is_covered(&[rule], text), "{rule}: {text}");
    }
    for (rule, text) in [
        ("cargo test:*", "cargo test -- --nocapture foo"),
        ("cargo:*", "cargo +nightly build --release"),
        (
            "cargo:*",
            "cargo clippy --all-targets --all-features -- -D warnings",
        ),
        ("npm run build:*", "npm run build"),
        ("npm ci:*", "npm ci --ignore-scripts"),
        ("npm test:*", "npm test -- --runInBand --watch=false"),
        ("pytest:*", "pytest -x -k name tests/"),
        ("pytest:*", "pytest -q --maxfail=1 --tb=short"),
        ("go test:*", "go test ./... -run X"),
        ("go build:*", "go build -v -ldflags '-s -w' ./cmd/x"),
        ("cmake:*", "cmake -B build -DCMAKE_BUILD_TYPE=Release"),
        ("cmake:*", "cmake --build build -j 4"),
        ("ctest:*", "ctest --output-on-failure -j4"),
        ("gcc:*", "gcc -O2 -Wall -o a a.c"),
        ("docker build:*", "docker build -t x ."),
        ("docker compose:*", "docker compose up -d"),
        ("sqlite3:*", "sqlite3 a.db 'select 1'"),
        ("psql:*", "psql -h localhost -l"),
        ("gradle test:*", "gradle test --info"),
        ("eslint:*", "eslint --fix src"),
        ("jest:*", "jest --coverage src"),
        ("make:*", "make -j4 test"),
    ] {
        assert!(is_covered(&[rule], text), "{rule}: {text}");
    }
}
