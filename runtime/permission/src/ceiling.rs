//! Ceilings: policies that bound another policy.

use std::collections::BTreeSet;
use std::sync::Arc;

use super::level::{Ceiling, PolicyConfig};
use super::{Mode, Policy, Rule, Verdict};
use helve_core::transcript::ToolName;

impl Policy {
    /// Returns a copy of this policy that is also bound by `ceiling`, and by the ceilings of `ceiling`.
    ///
    /// A call is judged under all of these policies, and the strictest verdict applies: a denial before a question for
    /// reasons of safety, before any other question, before a permission. The rules that are granted at run time, and
    /// the provenance that makes a policy careful, are shared with the session of `ceiling` from then on. A grant is
    /// judged under every ceiling as well, so that it permits nothing that a ceiling forbids. Rules are suggested only
    /// if they satisfy all levels.
    ///
    /// ```
    /// use helve::permission::{Mode, Policy, Verdict};
    /// use helve::prelude::*;
    ///
    /// /// Writes a file.
    /// #[tool(risk = "low")]
    /// fn write_it() {}
    ///
    /// # fn main() -> Result<(), Box<dyn std::error::Error>> {
    /// let tool = toolset![write_it].get("write_it").ok_or("no tool")?;
    /// let helper = Policy::new(Mode::Bypass).with_ceiling(&Policy::new(Mode::Explore));
    /// let judgement = helper.judge(&*tool, &ToolContext::new(), "{}").map_err(|error| error.to_string())?;
    /// assert!(matches!(judgement.verdict, Verdict::Deny { .. }));
    /// # Ok(())
    /// # }
    /// ```
    #[must_use]
    pub fn with_ceiling(&self, ceiling: &Self) -> Self {
        self.push_ceiling(ceiling, None)
    }

    /// Returns a copy of this policy that is also bound by `ceiling`, and by the tools that are available to the
    /// delegating agent.
    #[must_use]
    #[doc(hidden)]
    pub fn with_tool_ceiling(
        &self,
        ceiling: &Self,
        tools: impl IntoIterator<Item = ToolName>,
    ) -> Self {
        self.push_ceiling(ceiling, Some(Arc::new(tools.into_iter().collect())))
    }

    fn push_ceiling(&self, ceiling: &Self, tools: Option<Arc<BTreeSet<ToolName>>>) -> Self {
        let top = Ceiling {
            config: Arc::clone(&ceiling.config),
            tools,
            is_recorded: false,
        };
        let mut ceilings = self.ceilings.to_vec();
        for ceiling in ceiling.ceilings.iter().cloned().chain([top]) {
            if !ceilings.iter().any(|known| ceiling.is_same(known)) {
                ceilings.push(ceiling);
            }
        }
        self.with_ceilings(ceilings, ceiling)
    }

    /// Returns a policy that permits only what both this policy and this policy in another mode permit.
    #[must_use]
    #[doc(hidden)]
    pub fn with_mode_ceiling(&self, mode: Mode) -> Self {
        if mode == self.current_mode() {
            return self.clone();
        }
        let before = Ceiling {
            config: self.clone().mode(mode).config,
            tools: None,
            is_recorded: true,
        };
        self.with_more_ceilings([before])
    }

    /// Returns this policy in a mode, bound by this policy as it is: it permits only what both permit, whatever rules are
    /// added to it.
    ///
    /// ```
    /// use helve::permission::{Mode, Policy};
    ///
    /// let policy = Policy::new(Mode::Explore).narrowed_to(Mode::Bypass);
    /// assert_eq!(policy.current_mode(), Mode::Bypass); // and nothing runs that does more than read
    /// ```
    #[must_use]
    pub fn narrowed_to(&self, mode: Mode) -> Self {
        self.narrowed().mode(mode)
    }

    /// Returns this policy bound by itself as it is: it permits only what it permits now, whatever rules are added to it. Its
    /// mode is that of the session.
    #[must_use]
    #[doc(hidden)]
    pub fn narrowed(&self) -> Self {
        let above = Ceiling {
            config: Arc::clone(&self.config),
            tools: None,
            is_recorded: false,
        };
        let mode = self.current_mode();
        let own = self.clone().change(|own| {
            own.mode = mode;
            own.inherits_mode = true;
        });
        own.with_more_ceilings([above])
    }

    /// Returns the verdict of a hook, limited by the ceilings: under a ceiling, a hook cannot make a verdict more
    /// permissive.
    pub(crate) fn clamp_hook_verdict(&self, judged: Verdict, hooked: Verdict) -> Verdict {
        if !self.ceilings.is_empty() && hooked.strictness() < judged.strictness() {
            judged
        } else {
            hooked
        }
    }

    /// Returns a number that identifies this policy, the same in every process. Rules granted at run time are not
    /// included.
    #[must_use]
    #[doc(hidden)]
    pub fn digest(&self) -> String {
        let mut digest = Fnv(0xcbf2_9ce4_8422_2325);
        self.config.write_to(&mut digest);
        for ceiling in self.ceilings.iter() {
            digest.write("under");
            ceiling.config.write_to(&mut digest);
            let tools = ceiling.tools.iter().flat_map(|tools| tools.iter());
            tools.for_each(|tool| digest.write(tool));
        }
        format!("{:016x}", digest.0)
    }
}

impl PolicyConfig {
    fn write_to(&self, digest: &mut Fnv) {
        digest.write(self.mode.name());
        let lists = [
            ("allow", &self.rules.allow),
            ("ask", &self.rules.ask),
            ("deny", &self.rules.deny),
        ];
        for (name, rules) in lists {
            digest.write(name);
            let rules = rules.iter().map(Rule::to_string);
            rules.for_each(|rule| digest.write(&rule));
        }
        digest.write("folders");
        for folder in &self.working_folders {
            digest.write(&folder.to_string_lossy());
        }
        digest.write("dangerous");
        let patterns = self.dangerous.patterns();
        patterns.for_each(|pattern| digest.write(pattern));
        let listing = if self.allow_unlisted {
            "unlisted"
        } else {
            "listed"
        };
        digest.write(listing);
        digest.write(self.untrusted.name());
        self.even_tainted.iter().for_each(|host| digest.write(host));
        let scopes = self.scopes.iter().map(|scope| format!("{scope:?}"));
        scopes.for_each(|scope| digest.write(&scope));
    }
}

/// FNV-1a. The digest is not a security boundary, so collision resistance is not needed.
struct Fnv(u64);

impl Fnv {
    fn write(&mut self, text: &str) {
        // Each text is followed by a byte that cannot occur in text, so that different lists of texts have different
        // inputs.
        for byte in text.bytes().chain([0xff]) {
            self.0 = (self.0 ^ u64::from(byte)).wrapping_mul(0x0100_0000_01b3);
        }
    }
}
