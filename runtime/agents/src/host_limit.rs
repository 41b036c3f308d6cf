//! The limit of an agent on the hosts that its tools reach.

use std::sync::Arc;

use helve_agent::{CallSite, Hook, Next};
use helve_core::BoxFuture;
use helve_core::authority;
use helve_core::capability::{
    BackendError, HttpBackend, HttpRequest, HttpResponse, HttpScope, NetAddress, OpeningStream,
    Refusal,
};
use helve_core::network::{Host, HostPatternError, HostPolicy, HostRules};
use helve_core::tool::{ToolContext, ToolResult};

use crate::HostScope;

/// A hook that narrows the network of each call.
#[derive(Debug, Clone)]
pub(crate) struct HostLimit(Arc<HostGate>);

/// The hosts that may be reached; `None` if the rules cannot be read, so that none may.
#[derive(Debug)]
struct HostGate(Option<HostPolicy>);

/// The network of the session, as far as the agent may use it.
#[derive(Debug)]
struct LimitedHttp {
    inner: Arc<dyn HttpBackend>,
    gate: Arc<HostGate>,
}

impl HostLimit {
    /// Creates the limit of a scope. If its rules cannot be read, no host may be reached.
    pub(crate) fn new(scope: &HostScope) -> Result<Self, (Self, HostPatternError)> {
        let all = || vec!["*:*".to_owned()];
        let mut rules = HostRules::from_allowed(scope.allow.clone().unwrap_or_else(all));
        rules.deny.clone_from(&scope.deny);
        // The session decides about private networks.
        rules.private = true;
        match HostPolicy::new(&rules) {
            Ok(policy) => Ok(Self(Arc::new(HostGate(Some(policy))))),
            Err(error) => Err((Self(Arc::new(HostGate(None))), error)),
        }
    }
}

impl HostGate {
    /// Returns the rule for the host of a request alone, if the request may be sent.
    fn judge(&self, url: &str, declared: &[&str]) -> Result<String, Refusal> {
        let refused = |detail: &str| Refusal::host_not_allowed(url, detail);
        let unknown = || refused("the host of the URL cannot be read");
        let (host, port) = authority_of(url).ok_or_else(unknown)?;
        self.judge_host(&host, port, declared)
    }

    /// Returns the rule for a host and a port alone, if they may be reached.
    fn judge_host(&self, host: &Host, port: u16, declared: &[&str]) -> Result<String, Refusal> {
        let refused = |detail: &str| Refusal::host_not_allowed(host.to_string(), detail);
        let policy = self.0.as_ref();
        let policy = policy.ok_or_else(|| refused("the `hosts` of the agent cannot be read"))?;
        let policy = policy.with_declared(declared);
        let policy = policy.map_err(|_| refused("the hosts of the tool cannot be read"))?;
        let judged = policy.judge(host, port);
        judged.map_err(|refusal| {
            let detail = format!("the agent may not reach it: {refusal}");
            Refusal::host_not_allowed(host.to_string(), detail)
        })?;
        Ok(match port {
            80 | 443 => host.to_string(),
            port => format!("{host}:{port}"),
        })
    }
}

/// Returns the host and the port of a URL.
fn authority_of(url: &str) -> Option<(Host, u16)> {
    let (scheme, rest) = url.split_once("://")?;
    let port = match &*scheme.to_ascii_lowercase() {
        "https" => 443,
        "http" => 80,
        _ => return None,
    };
    let end = rest.find(['/', '?', '#', '\\']).unwrap_or(rest.len());
    let authority = &rest[..end];
    let host = authority
        .rsplit_once('@')
        .map_or(authority, |(_, host)| host);
    Host::parse_authority(host, Some(port))
}

impl HttpBackend for LimitedHttp {
    fn send<'a>(
        &'a self,
        request: HttpRequest,
        scope: HttpScope<'a>,
    ) -> BoxFuture<'a, Result<HttpResponse, BackendError>> {
        Box::pin(async move {
            let host = self.gate.judge(&request.url, scope.hosts)?;
            // The network of the session holds the request, and each redirect, to this host.
            let hosts = [host.as_str()];
            let scope = HttpScope {
                hosts: &hosts,
                ..scope
            };
            self.inner.send(request, scope).await
        })
    }

    fn connect<'a>(&'a self, to: NetAddress<'a>, scope: HttpScope<'a>) -> OpeningStream<'a> {
        Box::pin(async move {
            let host = self
                .gate
                .judge_host(&to.parse_host()?, to.port, scope.hosts)?;
            let hosts = [host.as_str()];
            let scope = HttpScope {
                hosts: &hosts,
                ..scope
            };
            self.inner.connect(to, scope).await
        })
    }
}

impl Hook for HostLimit {
    fn tool_call<'a>(
        &'a self,
        _site: &'a CallSite,
        context: ToolContext,
        next: Next<'a, ToolContext, ToolResult>,
    ) -> BoxFuture<'a, ToolResult> {
        let mut grants = authority::grants(&context).clone();
        let Some(inner) = grants.http.take() else {
            return next.run(context);
        };
        let gate = Arc::clone(&self.0);
        grants.http = Some(Arc::new(LimitedHttp { inner, gate }));
        next.run(context.derive().grants(grants).build())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    use std::task::{Context, Poll, Waker};

    fn gate(allow: Option<&[&str]>, deny: &[&str]) -> Arc<HostGate> {
        let owned = |hosts: &[&str]| hosts.iter().map(|host| (*host).to_owned()).collect();
        let scope = HostScope {
            allow: allow.map(owned),
            deny: owned(deny),
        };
        let limit = HostLimit::new(&scope).unwrap_or_else(|(closed, _)| closed);
        Arc::clone(&limit.0)
    }

    #[test]
    fn hosts_are_limited_and_a_request_stays_on_its_host() {
        let docs = gate(
            Some(&["docs.example", "*.example.org"]),
            &["evil.example.org"],
        );
        let judged = |url: &str| docs.judge(url, &[]).ok();
        assert_eq!(
            judged("https://docs.example/helve").as_deref(),
            Some("docs.example")
        );
        assert_eq!(
            judged("http://a.example.org/?x#y").as_deref(),
            Some("a.example.org")
        );
        for refused in [
            "https://packages.example/",
            "https://evil.example.org/",
            "https://docs.example@packages.example/",
            "https://docs.example\\@packages.example/",
            "https://packages.example#docs.example",
            "https://docs.example:8443/",
            "ftp://docs.example/",
            "docs.example",
        ] {
            let judged = judged(refused);
            let is_same = refused.contains('\\') && judged.as_deref() == Some("docs.example");
            assert!(judged.is_none() || is_same, "{refused}: {judged:?}");
        }
        assert!(
            docs.judge("https://docs.example/", &["packages.example"])
                .is_err()
        );
    }

    /// A network that refuses every connection, and says which hosts it was held to.
    #[derive(Debug)]
    struct NoNetwork;

    impl HttpBackend for NoNetwork {
        fn send<'a>(
            &'a self,
            _: HttpRequest,
            _: HttpScope<'a>,
        ) -> BoxFuture<'a, Result<HttpResponse, BackendError>> {
            Box::pin(async { Err("no request".into()) })
        }

        fn connect<'a>(&'a self, _: NetAddress<'a>, scope: HttpScope<'a>) -> OpeningStream<'a> {
            Box::pin(async move { Err(format!("held to {:?}", scope.hosts).into()) })
        }
    }

    #[test]
    fn connections_are_limited_as_requests_are() {
        let gate = gate(Some(&["mail.example.org:993", "docs.example"]), &[]);
        let inner = Arc::new(NoNetwork);
        let limited = LimitedHttp { inner, gate };
        let connect = |host, port, declared: &[&str]| {
            let tls = helve_core::capability::Tls::Required;
            let to = NetAddress { host, port, tls };
            let scope = HttpScope {
                hosts: declared,
                ..HttpScope::default()
            };
            let mut connecting = limited.connect(to, scope);
            match connecting
                .as_mut()
                .poll(&mut Context::from_waker(Waker::noop()))
            {
                Poll::Ready(Err(error)) => error.to_string(),
                other => panic!("{other:?}"),
            }
        };
        assert_eq!(
            connect("mail.example.org", 993, &[]),
            "held to [\"mail.example.org:993\"]"
        );
        assert_eq!(
            connect("docs.example", 443, &[]),
            "held to [\"docs.example\"]"
        );
        for (host, port, declared) in [
            ("mail.example.org", 25, &[][..]),
            ("docs.example", 993, &[]),
            ("packages.example", 443, &[]),
            ("mail.example.org", 993, &["docs.example"]),
            ("https://docs.example", 443, &[]),
        ] {
            let error = connect(host, port, declared);
            assert!(
                error.contains("may not be reached"),
                "{host}:{port}: {error}"
            );
        }
    }

    #[test]
    fn without_a_list_all_hosts_but_the_denied_ones_are_left_to_the_session() {
        let all = gate(None, &["evil.example"]);
        assert!(all.judge("https://packages.example:8443/", &[]).is_ok());
        assert!(all.judge("https://evil.example/", &[]).is_err());
        for closed in [gate(Some(&[]), &[]), gate(Some(&["not a host"]), &[])] {
            assert!(closed.judge("https://docs.example/", &[]).is_err());
        }
    }
}
