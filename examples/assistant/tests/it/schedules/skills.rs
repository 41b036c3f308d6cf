//! Skills that ask to run by themselves.

use super::{ScheduleFixture, says};

const TIDY: &str = "---
name: tidy
description: Tidies the folder. Use it when the folder is untidy.
metadata:
  trigger: cron
  schedule: 2099-12-01T09:00
  time_zone: Europe/Berlin
---

Move what is old into `old/`.
";

#[test]
fn a_skill_with_a_trigger_runs_by_itself_once_a_person_has_enabled_it() {
    let place = skill_with_trigger();
    let shown = place.transcript(&[
        &["skills", "list"],
        &["skills", "enable", "tidy"],
        &["schedule", "list"],
        &["skills", "enable", "tidy", "--yes", "--mode=dont_ask"],
        &["skills", "enable", "tidy"],
        &["skills", "list"],
        &["schedule", "run", "skill-tidy"],
        &["daemon", "--once"],
    ]);
    insta::assert_snapshot!(shown, @"
    $ skills list
    the project's folder `PROJECT/.agents/skills`
      tidy  Tidies the folder. Use it when the folder is untidy.
    · the skill `tidy` asks to run by itself: cron(2099-12-01T09:00)
      help: run `skills enable tidy` to review its schedule and make it
    $ skills enable tidy
    exit Some(1)
    enabled tidy
    the skill `tidy` asks to run by itself: cron(2099-12-01T09:00)

    skill-tidy
    tidy

    status      active
    when        at 2099-12-01T08:00:00Z (Europe/Berlin)
                Once, on Tue 2099-12-01 09:00 +01:00
    next        Tue 2099-12-01 09:00 +01:00
    agent       main
    made by     a person
    mode        default
    runs        0

    Run the skill `tidy` now: load it and do what it says. If it has an entry and the tool `run_skill` is there, call that tool instead. Answer with what came of it.
    error: nothing was accepted: standard input is not a terminal
    help: run `workshop skills enable tidy --yes` to accept without asking
    $ schedule list
    no schedules; `workshop schedule add NAME WHEN PROMPT` makes one
    $ skills enable tidy --yes --mode=dont_ask
    enabled tidy
    the skill `tidy` asks to run by itself: cron(2099-12-01T09:00)

    skill-tidy
    tidy

    status      active
    when        at 2099-12-01T08:00:00Z (Europe/Berlin)
                Once, on Tue 2099-12-01 09:00 +01:00
    next        Tue 2099-12-01 09:00 +01:00
    agent       main
    made by     a person
    mode        dont_ask
    runs        0

    Run the skill `tidy` now: load it and do what it says. If it has an entry and the tool `run_skill` is there, call that tool instead. Answer with what came of it.
    scheduled tidy
    no daemon works in this folder: start `workshop daemon`, or see `workshop daemon --print-unit`
    $ skills enable tidy
    enabled tidy
    $ skills list
    the project's folder `PROJECT/.agents/skills`
      tidy  Tidies the folder. Use it when the folder is untidy.
    · the skill `tidy` runs by itself: cron(2099-12-01T09:00), next Tue 2099-12-01 09:00 +01:00
    $ schedule run skill-tidy
    SESSION
    no daemon works in this folder: start `workshop daemon`, or see `workshop daemon --print-unit`
    $ daemon --once
    The scheduled run `tidy` is done.

    All is tidy.
    ");
}

#[test]
fn the_schedule_of_a_skill_follows_the_skill() {
    let place = skill_with_trigger();
    place.run(&["skills", "enable", "tidy", "--yes", "--mode=dont_ask"]);
    let shown = place.transcript(&[
        &["skills", "pause", "tidy"],
        &["schedule", "list"],
        &["skills", "resume", "tidy"],
        &["schedule", "list"],
        &["skills", "disable", "tidy"],
        &["schedule", "run", "skill-tidy"],
        &["daemon", "--once"],
        &["schedule", "list"],
        &["skills", "enable", "tidy", "--yes"],
        &["skills", "remove", "tidy"],
        &["schedule", "list"],
    ]);
    insta::assert_snapshot!(shown, @"
    $ skills pause tidy
    paused tidy
    $ schedule list
    skill-tidy  paused    at 2099-12-01T08:00:00Z  tidy
    $ skills resume tidy
    resumed tidy
    $ schedule list
    skill-tidy  active  Tue 2099-12-01 09:00 +01:00  at 2099-12-01T08:00:00Z  tidy
    $ skills disable tidy
    disabled tidy
    $ schedule run skill-tidy
    SESSION
    no daemon works in this folder: start `workshop daemon`, or see `workshop daemon --print-unit`
    $ daemon --once
    The scheduled run `tidy` was left out, and its schedule is paused: the skill `tidy` is disabled
    $ schedule list
    skill-tidy  paused    at 2099-12-01T08:00:00Z  tidy
    $ skills enable tidy --yes
    enabled tidy
    the skill `tidy` asks to run by itself: cron(2099-12-01T09:00)

    skill-tidy
    tidy

    status      active
    when        at 2099-12-01T08:00:00Z (Europe/Berlin)
                Once, on Tue 2099-12-01 09:00 +01:00
    next        Tue 2099-12-01 09:00 +01:00
    agent       main
    made by     a person
    mode        default
    runs        0

    Run the skill `tidy` now: load it and do what it says. If it has an entry and the tool `run_skill` is there, call that tool instead. Answer with what came of it.
    scheduled tidy
    no daemon works in this folder: start `workshop daemon`, or see `workshop daemon --print-unit`
    $ skills remove tidy
    removed tidy
    $ schedule list
    no schedules; `workshop schedule add NAME WHEN PROMPT` makes one
    ");
}

/// Installs a skill that asks to run by itself.
fn skill_with_trigger() -> ScheduleFixture {
    let place = ScheduleFixture::new(&[says("All is tidy."), says("All is tidy.")]);
    place.0.write("source/tidy/SKILL.md", TIDY);
    let source = place.0.path("source/tidy").display().to_string();
    let installed = place.run(&["skills", "add", &source, "--yes"]);
    let trigger = "trigger  cron(2099-12-01T09:00) (asked for; `skills enable` makes the schedule)";
    assert!(installed.contains(trigger), "{installed}");
    place
}
