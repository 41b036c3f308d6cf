//! What a scan finds, and what becomes of a skill then.

use std::borrow::Cow;
use std::sync::Arc;

use futures_util::future::BoxFuture;
use helve_runtime::skill::scan::{ScanFinding, Severity, scan};
use helve_runtime::skill::{SkillCatalog, SkillError, SkillList, SkillOrigin, SkillSource};
use serde_json::json;

use super::vectors::{Case, Tally, load_topic};

const TIERS: &str = "helve installs nothing, so it ranks no places to install from: a skill that is not embedded is scanned wherever it comes from";
const HOSTS: &str = "helve has no list of hosts that a skill declares: which hosts are reached is decided where they are reached";

#[tokio::test]
async fn scans_find_the_same() {
    let Some(cases) = load_topic("skill_scan") else {
        return;
    };
    let (mut tally, mut outside) = (Tally::new("skill_scan"), Vec::new());
    for case in &cases {
        match case.function.rsplit(':').next().unwrap() {
            "scanSkillMd" => found(&mut tally, case, "SKILL.md"),
            "scanPluginCode" => found(&mut tally, case, "index.js"),
            "isSensitiveEnvVar" => {
                let line = case.input["args"][0].as_str().unwrap();
                let findings = scan("index.js", line);
                let found = findings
                    .iter()
                    .any(|finding| finding.rule == "credential-access");
                tally.compare(case, &found, &case.expected.as_bool().unwrap());
            }
            "canInstall" => {
                let found = is_used(case).await;
                tally.compare(case, &found, &case.expected["allowed"].as_bool().unwrap());
            }
            "deriveTier" | "getTierPolicy" | "extractGitHubOrg" => {
                outside.push((case.id.clone(), TIERS))
            }
            "extractHostFromLine" => outside.push((case.id.clone(), HOSTS)),
            other => panic!("{other}"),
        }
    }
    crate::vectors_skills::outside("skill_scan", &outside);
    tally.finish(&[]);
}

/// Compares severities, rules and lines.
fn found(tally: &mut Tally, case: &Case, path: &str) {
    let findings = scan(path, case.input["args"][0].as_str().unwrap());
    let found: Vec<_> = findings
        .iter()
        .map(|finding| {
            (
                finding.severity.to_string(),
                finding.rule.to_owned(),
                finding.line as u64,
            )
        })
        .collect();
    let recorded: Vec<_> = case.expected["findings"]
        .as_array()
        .unwrap()
        .iter()
        .map(|finding| {
            let text = |key: &str| finding[key].as_str().unwrap().to_owned();
            (
                text("severity"),
                text("rule"),
                finding["line"].as_u64().unwrap(),
            )
        })
        .collect();
    if found.len() < recorded.len() {
        tally.differ_laxer(case, format!("{found:?}, recorded was {recorded:?}"));
    } else {
        tally.compare(case, &found, &recorded);
    }
}

/// A source of the one skill of a case, which has its findings.
#[derive(Debug)]
struct Scanned(Vec<ScanFinding>);

impl SkillSource for Scanned {
    fn origin(&self) -> SkillOrigin {
        SkillOrigin::Other("case".to_owned())
    }

    fn list(&self) -> BoxFuture<'_, Result<SkillList, SkillError>> {
        let skill = super::skill("x", &json!({}))
            .findings(self.0.clone())
            .build();
        Box::pin(async { Ok(SkillList::new([skill])) })
    }

    fn read<'a>(
        &'a self,
        skill: &'a str,
        _: &'a str,
    ) -> BoxFuture<'a, Result<Cow<'static, [u8]>, SkillError>> {
        Box::pin(async move { Err(SkillError::unknown(skill, [])) })
    }
}

/// Tells whether a skill with the findings of a case is used. What is built in is embedded in helve, and is not scanned;
/// of the rest the recorded system takes nothing with a finding unasked.
async fn is_used(case: &Case) -> bool {
    let findings = case.input["args"][0]["findings"].as_array().unwrap().iter();
    let findings = findings.map(|finding| {
        let severity = match finding["severity"].as_str().unwrap() {
            "red" => Severity::Red,
            _ => Severity::Yellow,
        };
        ScanFinding::new(
            severity, "recorded", "SKILL.md", 1, "", "recorded", "read it",
        )
    });
    let builtin = case.input["args"][1] == "builtin";
    let findings = if builtin {
        Vec::new()
    } else {
        findings.collect()
    };
    let catalog = SkillCatalog::new().withhold_from(Severity::Yellow);
    !catalog
        .with_source(Arc::new(Scanned(findings)))
        .await
        .is_empty()
}
