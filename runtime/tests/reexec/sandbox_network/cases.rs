//! The cases, with bash as the client: it speaks TCP by itself.

use helve_runtime::network::HostRules;
use helve_runtime::sandbox::{Access, NetworkAccess};

use crate::isolated::fixture::{IsolatedCase, IsolatedWorld};
use crate::sandbox_network::server::{Server, ok};

pub(crate) fn all() -> Vec<IsolatedCase> {
    vec![
        ("allowed_hosts_are_reached_through_the_proxy_alone", || {
            Box::pin(allowed())
        }),
        ("without_rules_there_is_no_network", || Box::pin(nothing())),
        (
            "a_process_with_a_closed_network_connects_to_nothing",
            || Box::pin(closed()),
        ),
        ("what_runs_inside_is_reached_inside", || Box::pin(inside())),
    ]
}

/// Asks the proxy for something, in one word of a script.
const ASK: &str = r#"
ask() {
    exec 3<>"/dev/tcp/127.0.0.1/${http_proxy##*:}" || return
    printf '%s\r\nHost: x\r\nConnection: close\r\n\r\n' "$1" >&3
    cat <&3
    exec 3>&-
}
"#;

impl IsolatedWorld {
    async fn bash(&self, script: &str) -> String {
        let done = self.run(self.spec(["bash", "-c", script])).await.unwrap();
        format!("{}{}", done.stdout, done.stderr)
    }
}

async fn allowed() {
    let server = Server::start("127.0.0.1:0", &[("/", &ok("hello"))]).await;
    let port = server.port();
    let world = IsolatedWorld::with_policy(|policy| {
        policy.network = HostRules::from_allowed([format!("localhost:{port}")]);
    })
    .await;
    let ask = async |line: &str| world.bash(&format!("{ASK}\nask '{line} HTTP/1.1'")).await;
    for name in ["localhost", "LOCALHOST", "localhost."] {
        let answer = ask(&format!("GET http://{name}:{port}/")).await;
        assert!(answer.ends_with("hello"), "{name}: {answer}");
    }
    assert_eq!(server.asked().len(), 3);
    for line in [
        format!("GET http://127.0.0.1:{port}/"),
        format!("GET http://2130706433:{port}/"),
        format!("GET http://[::ffff:127.0.0.1]:{port}/"),
        "GET http://localhost:1/".to_owned(),
        "GET http://evil.test/".to_owned(),
        "GET http://169.254.169.254/latest".to_owned(),
        "CONNECT 169.254.169.254:443".to_owned(),
        format!("CONNECT 0x7f000001:{port}"),
        "CONNECT evil.test:443".to_owned(),
    ] {
        let answer = ask(&line).await;
        assert!(
            answer.starts_with("HTTP/1.1 403") && answer.contains("may not be reached"),
            "{line}: {answer}"
        );
    }
    // Past the proxy there is nothing, whatever the variables say. A connection alone is no proof: the kernel may give it the
    // port that it is to, so that it is one to itself.
    let past = format!(
        r#"NO_PROXY='*' no_proxy='*'; exec 3<>/dev/tcp/127.0.0.1/{port} && printf '%s\r\n\r\n' 'GET / HTTP/1.1' >&3 &&
        read -t 5 -r line <&3 && echo "$line""#
    );
    let answer = world.bash(&past).await;
    assert!(!answer.contains("HTTP/1.1 200"), "{answer}");
    assert_eq!(server.asked().len(), 3);
    world.close().await;
}

async fn nothing() {
    let server = Server::start("127.0.0.1:0", &[("/", &ok("hello"))]).await;
    let world = IsolatedWorld::new().await;
    let script = format!(
        "env | grep -i proxy; exec 3<>/dev/tcp/127.0.0.1/{} && echo through",
        server.port()
    );
    let told = world.bash(&script).await;
    assert!(
        !told.contains("through") && !told.to_lowercase().contains("http_proxy"),
        "{told}"
    );
    world.close().await;
}

async fn closed() {
    let server = Server::start("127.0.0.1:0", &[("/", &ok("hello"))]).await;
    let port = server.port();
    let world = IsolatedWorld::with_policy(|policy| {
        policy.network = HostRules::from_allowed([format!("localhost:{port}")]);
    })
    .await;
    let script = format!("{ASK}\nask 'GET http://localhost:{port}/ HTTP/1.1'");
    for access in [Access::Read, Access::Write] {
        let mut spec = world.spec(["bash", "-c", &script]);
        spec.access = access;
        assert!(
            world
                .run(spec.clone())
                .await
                .unwrap()
                .stdout
                .ends_with("hello")
        );
        spec.id = world.spec(["true"]).id;
        spec.network = NetworkAccess::Closed;
        let done = world.run(spec).await.unwrap();
        assert_eq!(done.stdout, "");
        assert!(done.stderr.contains("not permitted"), "{}", done.stderr);
    }
    assert_eq!(server.asked().len(), 2);
    world.close().await;
}

async fn inside() {
    let world = IsolatedWorld::new().await;
    // bash cannot listen; whether the loopback of the sandbox is up shows in how it refuses.
    let told = world.bash("exec 3<>/dev/tcp/127.0.0.1/9").await;
    assert!(told.contains("refused"), "{told}");
    world.close().await;
}
