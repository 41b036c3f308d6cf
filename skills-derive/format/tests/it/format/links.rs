//! Tests of the links in a skill's Markdown.

use helve_skill_format::Options;

use crate::format::world::World;

fn skill(body: &str) -> String {
    format!("---\nname: pdf\ndescription: d\n---\n{body}")
}

#[test]
fn links_lead_to_files_of_the_skill() {
    let body = "\
See [forms](references/forms.md#fields), [the folder](references/), ![logo](<my logo.png>) and [it](my%20logo.png).
Broken: [a](forms.md), [b](references/none.md \"title\"), [c][ref].
Out: [d](../csv/SKILL.md), [e](/etc/hosts), [f](~/notes.md).
Not links: `[g](gone.md)`, \\[h\\](gone.md), [i](https://example.com/x.md), [j](mailto:a@b.c), [k](#top), [l](url),
[m]({{path}}/x.md), [n](//example.com/y.md).

```
[o](gone.md)
```

[ref]: scripts/gone.py
[^1]: not/a/link.md
";
    let world = World::new(&[
        ("pdf/SKILL.md", &skill(body)),
        (
            "pdf/references/forms.md",
            "Back to [the skill](../SKILL.md).",
        ),
        ("pdf/my logo.png", "x"),
    ]);
    insta::assert_snapshot!(world.problems(), @r#"
    warning[SK0203]: the link `forms.md` leads to no file of the skill
      --> skills/pdf/SKILL.md:6:13
       = help: there is `references/forms.md`
    warning[SK0203]: the link `references/none.md` leads to no file of the skill
      --> skills/pdf/SKILL.md:6:28
       = help: add the file, or delete the link
    warning[SK0204]: the link `../csv/SKILL.md` leads out of the skill
      --> skills/pdf/SKILL.md:7:10
       = help: a skill must contain its own files: add a copy inside the skill
    warning[SK0204]: the link `/etc/hosts` leads out of the skill
      --> skills/pdf/SKILL.md:7:32
       = help: a skill must contain its own files: add a copy inside the skill
    warning[SK0204]: the link `~/notes.md` leads out of the skill
      --> skills/pdf/SKILL.md:7:49
       = help: a skill must contain its own files: add a copy inside the skill
    warning[SK0203]: the link `scripts/gone.py` leads to no file of the skill
      --> skills/pdf/SKILL.md:15:8
       = help: add the file, or delete the link
    "#);
    assert_eq!(world.read().skills.len(), 1);
}

#[test]
fn references_are_one_level_deep() {
    let world = World::new(&[
        ("pdf/SKILL.md", &skill("[a](a.md) and [b](b.md)")),
        (
            "pdf/a.md",
            "[b](b.md)\n[c](deep/c.md), and [c again](deep/c.md), [data](data.csv)",
        ),
        ("pdf/b.md", "[gone](gone.md)"),
        ("pdf/deep/c.md", "[a](../a.md), [d](d.md)"),
        ("pdf/deep/d.md", "x"),
        ("pdf/data.csv", "x"),
    ]);
    insta::assert_snapshot!(world.problems(), @r#"
    warning[SK0205]: `deep/c.md` is reached only from here, two levels deep
      --> skills/pdf/a.md:2:5
       = help: link to it from SKILL.md, too
    warning[SK0203]: the link `gone.md` leads to no file of the skill
      --> skills/pdf/b.md:1:8
       = help: add the file, or delete the link
    "#);
    // Without digests, only the SKILL.md is read.
    let world = world.with(Options::new().digests(false));
    assert_eq!(world.problems(), "");
}
