use crate::world::{Home, World};
use helve::ToolContext;
use helve::agent::{Agent, AgentEvent, EventKind};
use helve::capability::Grants;
use helve::model::ScriptedModel;
use helve::permission::{Mode, Policy, Rules};
use helve::sandbox::{IsolatedSandbox, LocalFs, SandboxFs};
use helve::transcript::Message;
use serde_json::json;
use std::sync::Arc;

pub(crate) fn debug(home: &Home) {
    let runtime = tokio::runtime::Builder::new_multi_thread()
        .worker_threads(2)
        .enable_all()
        .build()
        .unwrap();
    for mode in [Mode::AcceptEdits, Mode::Bypass] {
        for kind in ["local", "protect", "isolated"] {
            let world = World::new(home);
            let ws = world.targets.workspace.clone();
            let stop = Arc::new(std::sync::atomic::AtomicBool::new(false));
            let (s2, w2) = (Arc::clone(&stop), ws.clone());
            std::os::unix::fs::symlink("plain", ws.join("swap")).unwrap();
            let t = std::thread::spawn(move || {
                while !s2.load(std::sync::atomic::Ordering::Relaxed) {
                    for to in ["vault", "plain"] {
                        let _ = std::os::unix::fs::symlink(to, w2.join("t"));
                        let _ = std::fs::rename(w2.join("t"), w2.join("swap"));
                        std::thread::sleep(std::time::Duration::from_micros(300));
                    }
                }
            });
            runtime.block_on(async {
                let sb = IsolatedSandbox::open(world.policy()).await.unwrap();
                use helve::sandbox::Sandbox as _;
                let files: Arc<dyn SandboxFs> = match kind {
                    "local" => Arc::new(LocalFs::new(&ws).unwrap()),
                    "protect" => Arc::new(LocalFs::new(&ws).unwrap().protect([".git"]).unwrap()),
                    _ => sb.files(),
                };
                let cx = ToolContext::builder()
                    .grants(Grants {
                        files: Some(files),
                        ..Grants::default()
                    })
                    .build();
                let mut model = ScriptedModel::new();
                for n in 0..200 {
                    model = model.call(
                        "write_file",
                        json!({"path": format!("swap/entry-{n}.txt"), "content": "x\n"}),
                    );
                }
                let rules = Rules::new().deny("write_file(vault/**)".parse().unwrap());
                let counts = Arc::new(std::sync::Mutex::new(std::collections::BTreeMap::<
                    String,
                    usize,
                >::new()));
                let c2 = Arc::clone(&counts);
                let agent = Agent::new("main", model.say("x"))
                    .toolset(helve::tools::files())
                    .policy(Policy::new(mode).rules(rules))
                    .bounds(
                        helve::agent::turn::Bounds::new(1000)
                            .denials(None)
                            .repeats(None)
                            .identical_calls(None),
                    );
                agent
                    .run(vec![Message::user("x")], &cx, move |e: AgentEvent| {
                        if let EventKind::ToolResult { content, .. } = e.kind {
                            let t: String = content.iter().filter_map(|b| b.as_text()).collect();
                            let t: String =
                                t.chars().filter(|c| !c.is_ascii_digit()).take(90).collect();
                            *c2.lock().unwrap().entry(t).or_default() += 1;
                        }
                    })
                    .await;
                println!("{mode:?} {kind} {:#?}", counts.lock().unwrap());
            });
            stop.store(true, std::sync::atomic::Ordering::Relaxed);
            t.join().unwrap();
            println!("landed: {}", world.differences().len());
        }
    }
}
