//! The cases, by subject.

mod ends;
mod environment;
mod files;
mod input;
mod lifetime;
mod limits;
mod names;
mod output;
mod projects;
mod signals;

use std::pin::Pin;

use crate::sandbox_suite::fixture::Fixture;

pub(crate) type SuiteCase = fn(Fixture) -> Pin<Box<dyn Future<Output = ()> + Send>>;

/// Lists cases with the names of their functions.
macro_rules! cases {
    ($($module:ident: $($case:ident),+;)+) => {
        vec![$($((
            concat!(stringify!($module), "::", stringify!($case)),
            (|place| Box::pin($module::$case(place))) as SuiteCase,
        )),+),+]
    };
}

pub(crate) fn all() -> Vec<(&'static str, SuiteCase)> {
    cases! {
        names: an_id_is_started_once, an_unknown_program_does_not_start, nobody_knows_an_unknown_process,
            processes_are_listed_in_the_order_of_their_starts, arguments_arrive_as_they_are, many_run_at_once;
        ends: a_code_is_told, a_signal_is_told, the_end_comes_after_the_output, the_end_does_not_wait_for_who_stays_behind,
            a_wait_ends_with_the_process;
        signals: a_request_can_be_heard, an_interrupt_ends_it, a_kill_takes_the_whole_tree,
            who_left_the_session_is_found, what_has_ended_is_left_alone;
        limits: time_is_up_for_the_whole_tree, computing_is_limited, a_file_is_limited, memory_is_limited,
            open_files_are_limited;
        output: any_part_can_be_read, two_readers_see_the_same, a_reader_waits_for_what_comes,
            the_oldest_output_goes_first, bytes_stay_as_they_are, a_large_output_is_whole, a_flood_is_bounded;
        input: nothing_ends_at_once, what_is_written_is_read, much_is_taken_as_it_is_read, a_closed_input_is_closed,
            a_process_may_stop_reading, a_terminal_is_one, a_terminal_can_be_resized, a_terminal_is_written_to,
            without_a_terminal_nothing_is_resized;
        environment: variables_are_chosen, a_folder_is_chosen, a_folder_outside_is_refused, a_program_is_found,
            reading_only_does_not_write, what_is_claimed_of_single_processes_holds,
                the_search_path_is_that_of_processes;
        projects: a_folder_is_shown, a_link_that_leads_out_leads_nowhere, a_name_is_taken_once;
        lifetime: closing_ends_everything, closing_twice_does_nothing, dropping_ends_everything,
            a_start_that_nobody_waits_for_happens_once, a_read_that_nobody_waits_for_costs_nothing,
            a_write_that_nobody_waits_for_is_whole, another_handle_takes_it_up;
        files: commands_and_the_door_see_the_same, a_write_has_its_condition, changes_are_made_together,
            folders_are_made_and_removed, a_folder_goes_through_an_archive, a_path_outside_is_refused;
    }
}
