//! What the tools say.

use helve::schedule::Schedule;

/// How many coming times are shown.
const SHOWN_TIMES: usize = 3;

/// Describes a schedule and its next times.
pub(crate) fn describe(schedule: &Schedule) -> String {
    let zone = schedule.zone();
    let mut text = format!(
        "{} ({}): {}\n{}, in {}.",
        schedule.id,
        schedule.status.name(),
        schedule.name,
        schedule.when.describe(&zone),
        schedule.time_zone
    );
    if let Some(reason) = &schedule.reason {
        text.push_str(&format!(" Reason: {reason}."));
    }
    if let Some(next) = schedule.next {
        text.push_str("\nNext:");
        let following = schedule.upcoming(next, SHOWN_TIMES - 1);
        for at in std::iter::once(next).chain(following) {
            let at = at.to_zoned(zone.clone());
            text.push_str(&format!(" {};", at.strftime("%a %Y-%m-%d %H:%M %:z")));
        }
        text.pop();
    }
    text
}
