//! Tests of the schedules of skills.

use std::path::Path;

use helve_agent::session::{MemoryStore, SessionMetadata, Sessions};
use helve_agent::turn::Bounds;
use helve_permission::{Mode, Policy};
use helve_skill::{SkillCatalog, SkillFolder};
use helve_state::WorkQueue;

use super::*;

const TIDY: &str = "---\nname: tidy\ndescription: Tidies. Use it often.\n---\n\nTidy.\n";

/// Schedules of the skill `tidy` in a project of its own.
async fn fixture(project: &Path) -> SkillSchedules {
    let skill = project.join("skills/tidy");
    std::fs::create_dir_all(&skill).expect("a folder");
    std::fs::write(skill.join("SKILL.md"), TIDY).expect("a file");
    let folder: Arc<dyn helve_skill::SkillSource> =
        Arc::new(SkillFolder::from_config(project.join("skills")));
    let library = SkillLibrary::new(SkillCatalog::new().with_sources([folder]).await);
    let queue = WorkQueue::open(&project.join("state.db")).expect("a file");
    let about = SessionMetadata::new("test").folder(project.to_string_lossy());
    let schedules = Schedules::new(Sessions::new(MemoryStore::new()), queue, about);
    let statuses = SkillStatuses::new(project.join("status.json"));
    SkillSchedules::new(schedules, Arc::new(library)).statuses(statuses, project)
}

fn authority() -> RunAuthority {
    RunAuthority::of_person("main", &Policy::new(Mode::Default), Bounds::new(10))
}

fn cron(schedule: &str) -> SkillTrigger {
    SkillTrigger::Cron {
        schedule: schedule.to_owned(),
        time_zone: Some("Asia/Tokyo".to_owned()),
    }
}

#[tokio::test]
async fn a_schedule_follows_its_skill_and_is_made_by_a_person_alone() {
    let project = tempfile::tempdir().expect("a folder");
    let skills = fixture(project.path()).await;
    let daily = cron("0 8 * * *");
    let state = async || skills.describe().await.remove("tidy").unwrap_or_default();
    for command in ["enable", "resume", "pause", "disable", "remove"] {
        skills.follow(command, "tidy").await.expect("nothing to do");
        assert_eq!(state().await, "");
    }
    assert!(
        skills
            .enable("tidy", &SkillTrigger::Manual, authority())
            .await
            .expect("read")
            .is_none()
    );
    let planned = skills
        .preview("tidy", &daily, authority())
        .await
        .expect("a schedule");
    assert_eq!(planned.expect("a schedule").time_zone, "Asia/Tokyo");
    assert_eq!(state().await, "");
    skills
        .enable("tidy", &daily, authority())
        .await
        .expect("made");
    assert!(state().await.starts_with("next "), "{}", state().await);
    // What it has is not asked about again.
    assert!(
        skills
            .preview("tidy", &daily, authority())
            .await
            .expect("read")
            .is_none()
    );
    skills.follow("disable", "tidy").await.expect("followed");
    assert_eq!(state().await, "paused: the skill `tidy` is disabled");
    skills.follow("enable", "tidy").await.expect("followed");
    assert!(state().await.starts_with("next "), "{}", state().await);
    // A trigger that changes is asked about, and a wrong one leaves what there is.
    let changed = SkillTrigger::Event("file:inbox/*.csv".to_owned());
    assert!(
        skills
            .preview("tidy", &changed, authority())
            .await
            .expect("read")
            .is_some()
    );
    let wrong = cron("soon");
    skills
        .enable("tidy", &wrong, authority())
        .await
        .expect_err("refused");
    assert!(state().await.starts_with("next "), "{}", state().await);
    skills
        .enable("tidy", &changed, authority())
        .await
        .expect("made");
    assert_eq!(state().await, "waits for it");
    skills.follow("remove", "tidy").await.expect("followed");
    assert_eq!(state().await, "");
}

#[tokio::test]
async fn a_look_makes_no_state_file() {
    let project = tempfile::tempdir().expect("a folder");
    let path = project.path().join("state.db");
    let sessions = Sessions::new(MemoryStore::new());
    let schedules = Schedules::lazy(sessions, &path, SessionMetadata::new("test"));
    let skills = SkillSchedules::new(schedules, Arc::new(SkillLibrary::new(SkillCatalog::new())));
    assert!(skills.describe().await.is_empty());
    skills
        .follow("remove", "tidy")
        .await
        .expect("nothing to do");
    assert!(!path.exists());
}

#[tokio::test]
async fn a_skill_that_is_disabled_paused_or_gone_does_not_run() {
    let project = tempfile::tempdir().expect("a folder");
    let skills = fixture(project.path()).await;
    assert_eq!(skills.unused_because("tidy").await, None);
    let (statuses, _) = skills.statuses.clone().expect("statuses");
    for _ in 0..3 {
        statuses
            .record_run("tidy", project.path(), Some("exit code 1"))
            .expect("written");
    }
    assert_eq!(
        skills.unused_because("tidy").await.as_deref(),
        Some("the skill `tidy` is paused: it failed 3 times in a row, the last time: exit code 1")
    );
    statuses.resume("tidy", project.path()).expect("written");
    SkillGuard::pause(&skills, "tidy", "its last 3 runs failed").await;
    assert_eq!(
        skills.unused_because("tidy").await.as_deref(),
        Some("the skill `tidy` is paused: its last 3 runs failed")
    );
    statuses.resume("tidy", project.path()).expect("written");
    assert_eq!(
        skills.unused_because("other").await.as_deref(),
        Some("the daemon has no skill `other`, or had none when it started")
    );
    std::fs::write(project.path().join("status.json"), "damaged").expect("a file");
    assert!(skills.unused_because("tidy").await.is_some());
}
