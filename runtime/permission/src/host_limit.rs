//! The limits of policies on the hosts that calls reach.

use std::sync::Arc;

use crate::Policy;
use helve_core::BoxFuture;
use helve_core::authority;
use helve_core::capability::{
    BackendError, HttpBackend, HttpRequest, HttpResponse, HttpScope, NetAddress, OpeningStream,
    Refusal,
};
use helve_core::network::{Host, HostPolicy, HostRules};
use helve_core::tool::ToolContext;

/// The hosts that may be reached; `None` if the rules cannot be read, so that none may.
#[derive(Debug)]
struct HostGate(Option<HostPolicy>);

/// The network of the session, as far as a limit permits.
#[derive(Debug)]
struct LimitedHttp {
    inner: Arc<dyn HttpBackend>,
    gate: HostGate,
}

impl Policy {
    /// Returns a context whose network reaches no host outside of the limits of this policy and of its ceilings.
    pub(crate) fn limit_hosts(&self, context: ToolContext) -> ToolContext {
        let scopes = self.levels().flat_map(|level| &level.scopes);
        let mut limits = scopes.filter_map(|scope| scope.hosts.as_ref()).peekable();
        let Some(http) = limits
            .peek()
            .and_then(|_| authority::grants(&context).http.clone())
        else {
            return context;
        };
        let mut grants = authority::grants(&context).clone();
        grants.http = Some(limits.fold(http, |inner, rules| {
            let gate = HostGate::new(rules);
            Arc::new(LimitedHttp { inner, gate })
        }));
        context.derive().grants(grants).build()
    }
}

impl HostGate {
    fn new(rules: &HostRules) -> Self {
        Self(HostPolicy::new(rules).ok())
    }

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

#[cfg(test)]
mod tests {
    use super::*;

    use std::task::{Context, Poll, Waker};

    fn gate(allow: &[&str], deny: &[&str]) -> HostGate {
        let mut rules = HostRules::from_allowed(allow.iter().copied());
        rules.deny = deny.iter().map(|host| (*host).to_owned()).collect();
        HostGate::new(&rules)
    }

    #[test]
    fn hosts_are_limited_and_a_request_stays_on_its_host() {
        let docs = gate(&["docs.example", "*.example.org"], &["evil.example.org"]);
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
        let gate = gate(&["mail.example.org:993", "docs.example"], &[]);
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
    fn denied_hosts_and_rules_that_cannot_be_read_are_closed() {
        let all = gate(&["*:*"], &["evil.example"]);
        assert!(all.judge("https://packages.example:8443/", &[]).is_ok());
        assert!(all.judge("https://evil.example/", &[]).is_err());
        for closed in [gate(&[], &[]), gate(&["not a host"], &[])] {
            assert!(closed.judge("https://docs.example/", &[]).is_err());
        }
    }
}
