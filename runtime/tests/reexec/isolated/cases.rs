//! The cases.

mod basics;
mod ending;
mod input;
mod protection;
mod removed;
mod reported_changes;
mod sharing;
mod staged;

use crate::isolated::fixture::IsolatedCase;

/// Lists cases by the names of their functions.
macro_rules! cases {
    ($($module:ident: $($name:ident),* $(,)?;)*) => {
        vec![$($((concat!(stringify!($module), "::", stringify!($name)), || Box::pin($module::$name()))),*),*]
    };
}

pub(crate) fn all() -> Vec<IsolatedCase> {
    cases! {
        basics:
            a_command_runs_and_tells_how_it_ended,
            output_comes_by_offset,
            the_outside_is_not_there,
            who_it_is_and_what_it_may,
            a_name_is_taken_once,
            bad_words_are_refused;
        ending:
            what_is_left_running_is_told,
            a_signal_reaches_the_whole_tree,
            its_time_is_up,
            a_flood_stays_bounded,
            closing_ends_everything,
            dropping_ends_everything,
            a_killed_keeper_takes_all_along,
            a_killed_app_takes_all_along;
        input:
            what_is_written_is_read,
            nothing_is_the_end_at_once,
            a_terminal_is_one,
            a_closed_input_is_told;
        protection:
            hooks_stay_while_commits_work,
            a_pinned_folder_cannot_be_renamed,
            secrets_are_masked,
            what_is_replaced_outside_stays_covered,
            what_appears_is_taken_away,
            a_repository_made_inside_runs_nothing,
            a_clone_keeps_what_it_brings,
            a_rebase_works_and_starts_nothing_later,
            a_running_command_leaves_nothing,
            git_goes_on_in_a_running_command,
            a_begun_rebase_runs_nothing,
            what_the_user_makes_between_commands_stays,
            what_is_replaced_while_a_command_runs_is_covered,
            fast_changes_hide_nothing,
            no_stub_is_left,
            folders_of_others_are_looked_through;
        removed:
            what_is_removed_between_commands_is_not_planted,
            what_is_removed_while_a_command_runs_is_not_planted,
            what_is_made_anew_is_covered,
            a_repository_is_cloned_again_where_one_was_removed;
        sharing:
            another_process_attaches,
            a_folder_is_projected,
            readable_and_writable_folders,
            loopback_is_its_own,
            many_at_once;
        staged:
            what_it_changes_is_applied,
            nothing_is_there_while_it_runs,
            what_would_run_later_is_never_there,
            repositories_work,
            what_is_protected_is_covered_in_the_overlay,
            what_it_left_running_ends_with_it,
            each_has_its_own_changes,
            the_same_file_is_changed_once,
            two_commands_put_no_repository_together,
            what_it_changed_that_runs_later_is_told,
            several_folders_are_staged,
            what_the_user_changes_meanwhile_stays,
            it_is_said_and_nothing_is_left,
            what_the_user_puts_in_the_way_stays;
        reported_changes:
            what_may_change_is_told;
    }
}
