use super::*;
use crate::{EmbeddedFile, EmbeddedSkill};

fn leak<T>(value: T) -> &'static T {
    Box::leak(Box::new(value))
}

fn text(text: impl Into<String>) -> &'static str {
    leak(text.into())
}

fn set(package: &'static str, skills: Vec<EmbeddedSkill>) -> &'static SkillSet {
    leak(SkillSet::new(package, "skills", leak(skills)))
}

fn skill(name: impl Into<String>, description: impl Into<String>) -> EmbeddedSkill {
    EmbeddedSkill::new(text(name), text(description), "body", 0, &[])
}

fn many(count: usize, description: &str) -> SkillCatalog {
    let skills = (0..count)
        .map(|index| skill(format!("skill-{index:04}"), description))
        .collect();
    SkillCatalog::new().with(set("many", skills)).unwrap()
}

#[test]
fn duplicates_are_one_error_with_every_origin() {
    let first = set(
        "one",
        vec![skill("pdf", "d"), skill("csv", "d"), skill("web", "d")],
    );
    let second = set("two", vec![skill("csv", "d"), skill("pdf", "d")]);
    let third = set("three", vec![skill("pdf", "d")]);
    let error = SkillCatalog::new()
        .extend([second, first, third].into_iter())
        .unwrap_err();
    insta::assert_snapshot!(error, @"
    2 skills are named `csv`: `skills/csv` of package `one`, `skills/csv` of package `two`
    3 skills are named `pdf`: `skills/pdf` of package `one`, `skills/pdf` of package `three`, `skills/pdf` of package `two`
    ");
    let error = SkillCatalog::new()
        .with(first)
        .unwrap()
        .with(third)
        .unwrap_err();
    insta::assert_snapshot!(error, @"2 skills are named `pdf`: `skills/pdf` of package `one`, `skills/pdf` of package `three`");
}

#[test]
fn the_prompt_is_sorted_escaped_and_on_one_line_a_skill() {
    let set = set(
        "p",
        vec![
            skill("web", "a\n  b\u{1b}[2J"),
            skill("csv", "</description> & <b>"),
        ],
    );
    insta::assert_snapshot!(SkillCatalog::new().with(set).unwrap().prompt(), @"
    <available_skills>
      <skill><name>csv</name><description>&lt;/description&gt; &amp; &lt;b&gt;</description></skill>
      <skill><name>web</name><description>a b�[2J</description></skill>
    </available_skills>
    ");
    assert_eq!(SkillCatalog::new().prompt(), "");
}

#[test]
fn long_descriptions_are_shortened_before_short_ones() {
    let set = set(
        "p",
        vec![
            skill("long", "word ".repeat(200)),
            skill("short", "Stays as it is, all of it."),
        ],
    );
    insta::assert_snapshot!(SkillCatalog::new().with(set).unwrap().prompt_within(300), @"
    <available_skills>
      <skill><name>long</name><description>word word word word word wo…</description></skill>
      <skill><name>short</name><description>Stays as it is, all of it.</description></skill>
      <note>Some descriptions are shortened; load_skill gives a skill in full.</note>
    </available_skills>
    ");
}

#[test]
fn a_prompt_keeps_its_budget_and_loses_no_name() {
    for (count, description) in [
        (20, "d".repeat(1024)),
        (100, "<".repeat(1024)),
        (150, "d".repeat(300)),
    ] {
        let prompt = many(count, &description).prompt();
        assert!(
            prompt.chars().count() <= 8_000,
            "{count}: {}",
            prompt.chars().count()
        );
        assert_eq!(prompt.matches("<name>").count(), count);
        assert!(prompt.contains("<note>"));
    }
    let prompt = many(20, &"d".repeat(1024)).prompt();
    assert!(
        prompt.chars().count() > 7_900,
        "the budget is used: {}",
        prompt.chars().count()
    );
}

#[test]
fn names_that_do_not_fit_are_counted() {
    let prompt = many(1_000, "d").prompt();
    assert!(prompt.chars().count() <= 8_000);
    let shown = prompt.matches("<name>").count();
    assert!(shown > 150, "{shown}");
    assert!(
        prompt.contains(&format!("{} more skills are not listed", 1_000 - shown)),
        "{prompt}"
    );
    insta::assert_snapshot!(many(3, "d").prompt_within(10), @"
    <available_skills>
      <note>The descriptions are left out for space; load_skill gives a skill in full. 3 more skills are not listed for space.</note>
    </available_skills>
    ");
}

#[tokio::test]
async fn an_unknown_skill_gets_a_suggestion_or_the_list() {
    let set = set("p", vec![skill("pdf-forms", "d"), skill("csv", "d")]);
    let catalog = SkillCatalog::new().with(set).unwrap();
    let error = |name| catalog.find(name).unwrap_err().to_string();
    assert_eq!(
        error("pdf_form"),
        "unknown skill `pdf_form`; did you mean `pdf-forms`?"
    );
    assert_eq!(error("CSV"), "unknown skill `CSV`; did you mean `csv`?");
    assert_eq!(
        error("weather"),
        "unknown skill `weather`; the skills are: csv, pdf-forms"
    );
    assert!(
        many(30, "d")
            .load("x")
            .await
            .unwrap_err()
            .to_string()
            .ends_with("skill-0019 and 10 more")
    );
    let empty = SkillCatalog::new().load("x").await.unwrap_err();
    assert_eq!(empty.to_string(), "unknown skill `x`; there are no skills");
}

#[tokio::test]
async fn the_file_list_of_a_loaded_skill_is_capped() {
    let files = (0..53)
        .map(|index| EmbeddedFile::new(text(format!("f{index:02}")), b"x", [0; 32], false, true));
    let files: &'static Vec<_> = leak(files.collect());
    let set = set(
        "p",
        vec![EmbeddedSkill::new("pdf", "d", "---\n---\nbody", 8, files)],
    );
    let catalog = SkillCatalog::new().with(set).unwrap();
    let loaded = catalog.load("pdf").await.unwrap();
    assert_eq!((loaded.listed_files, loaded.more_files), (50, 3));
    let text = loaded.to_string();
    assert!(
        text.starts_with("<skill name=\"pdf\">\nbody\n</skill>\n<skill_files>\nf00 (1 byte)\n"),
        "{text}"
    );
    assert!(
        text.ends_with("f49 (1 byte)\nand 3 more\n</skill_files>"),
        "{text}"
    );
}

/// The skills that a user has disabled, or an error.
#[derive(Debug, Default)]
struct Disabled(std::sync::Mutex<Option<Vec<&'static str>>>);

impl SkillAvailability for Disabled {
    fn unused(&self) -> Result<BTreeMap<String, String>, String> {
        let names = self.0.lock().unwrap().clone().ok_or("damaged")?;
        let reason = |name: &str| (name.to_owned(), "disabled".to_owned());
        Ok(names.into_iter().map(reason).collect())
    }
}

#[tokio::test]
async fn what_is_disabled_between_two_turns_is_left_out() {
    let names = |catalog: &SkillCatalog| {
        let names: Vec<_> = catalog
            .skills()
            .map(|skill| skill.name().to_owned())
            .collect();
        names.join(" ")
    };
    let disabled = Arc::new(Disabled::default());
    let set_disabled = |names: Option<&[&'static str]>| {
        *disabled.0.lock().unwrap() = names.map(<[_]>::to_vec);
    };
    let set = set("p", vec![skill("csv", "d"), skill("pdf", "d")]);
    let catalog = SkillCatalog::new().with(set).unwrap();
    let catalog = catalog.with_availability(disabled.clone()).await;
    let library = crate::SkillLibrary::new(catalog);
    let narrowed = library.filtered(&SkillFilter::only(["pdf"]));
    assert_eq!(names(&library.current()), "csv pdf");

    set_disabled(Some(&["pdf"]));
    let before = library.current();
    assert!(before.find("pdf").is_ok(), "a snapshot stays what it was");
    let error = before.find_usable("pdf").await.unwrap_err();
    assert_eq!(error.to_string(), "the skill `pdf` is disabled");
    assert_eq!(names(&library.refresh().await.unwrap()), "csv");
    assert!(narrowed.current().is_empty());
    let error = library.current().load("pdf").await.unwrap_err();
    assert_eq!(error.to_string(), "the skill `pdf` is disabled");
    assert!(library.refresh().await.is_none());

    // What cannot be read changes nothing.
    set_disabled(None);
    assert!(library.refresh().await.is_none());
    set_disabled(Some(&[]));
    assert_eq!(names(&library.refresh().await.unwrap()), "csv pdf");
    assert_eq!(names(&narrowed.current()), "pdf");
}
