//! Where images may come from.

use std::os::unix::net::UnixListener;
use std::sync::Arc;

use helve::ToolContext;
use helve::capability::{Attachment, Grants, GuardedHttp, MemoryAttachments};
use helve::network::HostRules;
use helve::sandbox::LocalFs;
use image::ImageFormat;
use libtest_mimic::Trial;
use serde_json::json;

use super::{encoded, photo, trial, view, written};
use crate::support::Tree;
use crate::web::server::{Server, ok, to, with_headers};

pub(super) fn tests() -> Vec<Trial> {
    vec![
        trial("only_regular_files_below_the_roots_are_read", paths),
        trial("addresses_are_fetched_through_the_guard", addresses),
        trial("what_may_not_be_reached_is_refused", refusals),
        trial("attachments_are_shown", attachments),
    ]
}

async fn paths() {
    let tree = Tree::new(&[]);
    std::fs::create_dir(tree.root().join("folder.png")).unwrap();
    std::fs::write(
        tree.outside().join("out.png"),
        encoded(&photo(8, 8), ImageFormat::Png),
    )
    .unwrap();
    tree.link("../out.png", "link.png");
    tree.link("/dev/zero", "device.png");
    tree.link("inside.png", "good.png");
    tree.write("inside.png", encoded(&photo(8, 8), ImageFormat::Png));
    let fifo = tree.root().join("fifo.png");
    let made = std::process::Command::new("mkfifo")
        .arg(&fifo)
        .status()
        .unwrap();
    assert!(made.success());
    let _socket = UnixListener::bind(tree.root().join("socket.png")).unwrap();
    let cx = tree.builder().build();
    let mut shown = Vec::new();
    for source in [
        "good.png",
        "link.png",
        "../out.png",
        "device.png",
        "/dev/zero",
        "fifo.png",
        "socket.png",
        "folder.png",
        "missing.png",
        "a\nb.png",
        "file:///etc/passwd",
        "data:image/png;base64,AAAA",
    ] {
        let result = written(&view(&cx, json!({ "source": source })).await);
        let root = tree.outside().canonicalize().unwrap();
        let result = result.replace(root.to_str().unwrap(), "DIR");
        shown.push(result.replace(tree.outside().to_str().unwrap(), "DIR"));
    }
    insta::assert_snapshot!(shown.join("\n"), @r#"
    [good.png: image/png, 8 x 8 pixels]
    <image/png 8 x 8>
    failed: `link.png` is outside of the accessible folders; give a path in `DIR/root`
    failed: `../out.png` is outside of the accessible folders; give a path in `DIR/root`
    failed: `device.png` is outside of the accessible folders; give a path in `DIR/root`
    failed: `/dev/zero` is outside of the accessible folders; give a path in `DIR/root`
    failed: `fifo.png` is a named pipe; only regular files can be used
    failed: `socket.png` is a socket; only regular files can be used
    failed: `folder.png` is a directory; list it, or give the path of a file in it
    failed: `missing.png` does not exist; did you mean `inside.png`?
    failed: `a\nb.png` does not exist; list the folder above it to see what there is
    failed: `file:///etc/passwd` is no path; leave out `file://`
    failed: `source` is the image itself; give the path of a file, or an address
    "#);
}

fn context(rules: &HostRules) -> ToolContext {
    let http = GuardedHttp::new(rules).unwrap();
    let files = LocalFs::new(env!("CARGO_MANIFEST_DIR")).unwrap();
    ToolContext::builder()
        .grants(Grants {
            http: Some(Arc::new(http)),
            files: Some(Arc::new(files)),
            ..Grants::default()
        })
        .build()
}

async fn addresses() {
    let png = encoded(&photo(32, 16), ImageFormat::Png);
    let other = Server::start(vec![("/a.png", ok("image/png", &png))]);
    let server = Server::start(vec![
        ("/a.png", ok("text/plain", &png)),
        ("/moved", to("/a.png#part")),
        ("/away", to(&other.url("/a.png"))),
        ("/loop", to("/loop")),
        ("/inside", to("http://169.254.169.254/a.png")),
        ("/file", to("file:///etc/passwd")),
        ("/page", ok("text/html", "<p>words")),
        (
            "/drawing",
            ok("image/svg+xml", "<svg><text>words</text></svg>"),
        ),
        (
            "/packed",
            with_headers("content-type: image/png\r\ncontent-encoding: gzip", "abc"),
        ),
    ]);
    let cx = context(&HostRules::from_allowed(["127.0.0.1:*"]));
    let mut shown = Vec::new();
    for path in [
        "/a.png", "/moved", "/away", "/loop", "/inside", "/file", "/page", "/drawing", "/packed",
        "/none",
    ] {
        let result = written(&view(&cx, json!({ "source": server.url(path) })).await);
        let result = result.replace(&server.address.to_string(), "HOST");
        shown.push(result.replace(&other.address.to_string(), "OTHER"));
    }
    insta::assert_snapshot!(shown.join("\n"), @"
    [http://HOST/a.png: image/png, 32 x 16 pixels]
    <image/jpeg 32 x 16>
    [http://HOST/moved: image/png, 32 x 16 pixels]
    <image/jpeg 32 x 16>
    [http://HOST/away: status 302, a redirect to another host, which was not followed]
    redirects to: http://OTHER/a.png
    failed: gave up after 5 requests, each redirected to the next, at last to `http://HOST/loop`
    [http://HOST/inside: status 302, a redirect to another host, which was not followed]
    redirects to: http://169.254.169.254/a.png
    failed: `http://HOST/file` redirects to something that is no address of an image
    failed: `http://HOST/page` is a web page, and no image; give the address of the image itself
    [http://HOST/drawing: an SVG drawing, which is not drawn; its source text follows]
    <svg><text>words</text></svg>
    failed: using the network failed: the response is said to be compressed with gzip, and cannot be decoded: its data is damaged, or is something else
    failed: `http://HOST/none` was answered with status 404, and no image
    ");
    assert!(other.asked().is_empty());
}

async fn refusals() {
    let server = Server::start(vec![(
        "/a.png",
        ok("image/png", encoded(&photo(8, 8), ImageFormat::Png)),
    )]);
    let cx = context(&HostRules::default());
    for source in [
        server.url("/a.png"),
        "http://169.254.169.254/latest/a.png".to_owned(),
        "http://[::1]/a.png".to_owned(),
        "http://2130706433/a.png".to_owned(),
    ] {
        let result = view(&cx, json!({ "source": source })).await;
        assert!(result.is_err(), "{source}: {}", written(&result));
    }
    assert!(server.asked().is_empty());
}

async fn attachments() {
    let stored = MemoryAttachments::new();
    let png = encoded(&photo(20, 10), ImageFormat::Png);
    let id = stored
        .add(Attachment::new("plan.png", "image/png", png))
        .unwrap();
    let cx = ToolContext::builder()
        .grants(Grants {
            attachments: Some(Arc::new(stored)),
            ..Grants::default()
        })
        .build();
    let source = format!("attachment:{id}");
    let shown = written(&view(&cx, json!({ "source": source })).await);
    assert_eq!(
        shown.replace(&source, "ID"),
        "[ID: image/png, 20 x 10 pixels]\n<image/png 20 x 10>"
    );
    let unknown = view(&cx, json!({ "source": "attachment:nothing" })).await;
    assert!(
        written(&unknown).contains("unknown attachment `nothing`"),
        "{}",
        written(&unknown)
    );
}
