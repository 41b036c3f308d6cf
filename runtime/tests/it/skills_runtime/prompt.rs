//! The list of skills in a system prompt.

use helve_runtime::skill::{SkillCatalog, prompt_budget};
use proptest::prelude::*;

use crate::skills_runtime::fixture::{Fixture, embedded};

/// The note that is left where nothing else fits is not shorter.
const SMALLEST: usize = 200;

#[tokio::test]
async fn skills_that_only_people_start_are_not_in_it() {
    let world = Fixture::new();
    world.skill("pdf", "# PDF").write(
        "project/.agents/skills/deploy/SKILL.md",
        "---\nname: deploy\ndescription: d\ndisable-model-invocation: true\n---\n# Deploy\n",
    );
    let catalog = world.catalog().await;
    assert_eq!(catalog.len(), 2);
    insta::assert_snapshot!(catalog.prompt(), @r#"
    <available_skills>
      <skill><name>pdf</name><description>Does pdf.</description></skill>
    </available_skills>
    "#);
}

#[test]
fn the_budget_is_a_share_of_the_window() {
    assert_eq!(prompt_budget(None), 8_000);
    assert_eq!(prompt_budget(Some(100_000)), 8_000);
    assert_eq!(prompt_budget(Some(1_000_000)), 80_000);
    assert_eq!(prompt_budget(Some(0)), 0);
    assert!(prompt_budget(Some(u64::MAX)) > 1 << 50);
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(64))]
    #[test]
    fn it_keeps_its_budget_and_drops_nothing_in_silence(
        lengths in proptest::collection::vec(1_usize..60, 1..120),
        budget in SMALLEST..6_000,
    ) {
        let names: Vec<_> = lengths.iter().enumerate().map(|(number, length)| format!("s{number}-{}", "n".repeat(*length))).collect();
        let skills: Vec<_> = names.iter().map(|name| (name.as_str(), "")).collect();
        let catalog = SkillCatalog::new().with(embedded(&skills)).unwrap();
        let prompt = catalog.prompt_within(budget);
        prop_assert!(prompt.chars().count() <= budget, "{}: {prompt}", prompt.chars().count());
        let listed = prompt.matches("<name>").count();
        let missing = names.len() - listed;
        let says = prompt.contains(&format!("{missing} more skills are not listed for space."));
        prop_assert_eq!(missing > 0, says);
        let whole = prompt.matches("<description>Embedded ").count() == names.len() && !prompt.contains('…');
        prop_assert_eq!(!whole, prompt.contains("<note>"));
    }
}
