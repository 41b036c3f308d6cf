//! MCP servers as a person meets them on the command line: named, shown, approved, used, and asked by.

mod approving;
mod client_requests;
mod fixture;
#[cfg(unix)]
mod login;
mod naming;
#[cfg(unix)]
mod programs;
#[cfg(unix)]
#[allow(dead_code, reason = "the tests of the terminal use all of it")]
#[path = "../it/terminal/pty.rs"]
mod pty;
#[cfg(unix)]
mod sandboxed;
mod server;
#[cfg(unix)]
mod steering;
mod using;
#[allow(dead_code, reason = "the tests of the settings use all of it")]
#[path = "../it/config/server.rs"]
mod web;

use libtest_mimic::Trial;

/// Makes a test of a function, by its name.
macro_rules! tests {
    ($($module:ident: $($test:ident),*;)*) => {
        vec![$($(Trial::test(concat!("mcp::", stringify!($module), "::", stringify!($test)), || {
            $module::$test();
            Ok(())
        }),)*)*]
    };
}

/// Is the server, where a test started this process as one.
pub(crate) fn run_as_role() -> bool {
    let arguments: Vec<String> = std::env::args().collect();
    let [_, role, state] = &arguments[..] else {
        return false;
    };
    if role != server::ROLE {
        return false;
    }
    server::serve(state.as_ref());
    true
}

pub(crate) fn tests() -> Vec<Trial> {
    #[cfg_attr(not(unix), expect(unused_mut, reason = "there are more on Unix"))]
    let mut trials = tests! {
        naming: nobody_has_named_one, one_is_added_and_removed, what_cannot_be_added,
            mistakes_are_told_and_stop_nothing_else, a_clone_starts_nothing, a_server_is_one_thing,
            the_doctor_names_them, secrets_are_shown_to_nobody;
        approving: nothing_is_offered_before_it_is_approved, what_changes_is_withheld;
        using: a_person_calls_a_tool, an_agent_calls_a_tool, a_server_that_is_not_there_stops_nobody,
            which_servers_are_used, a_server_is_tried, it_sees_what_it_is_given, a_skill_of_a_server_is_used;
        client_requests: nobody_is_there_to_be_asked;
    };
    #[cfg(unix)]
    trials.extend(tests! {
        client_requests: a_form_is_filled_in, an_address_is_shown_and_not_opened, the_model_is_lent_once_it_is_allowed,
            what_is_added_is_shown_at_once, what_the_model_writes_goes_to_the_server,
            a_server_that_is_not_allowed_to_gets_nothing_of_the_model,
            why_the_model_failed_is_no_matter_of_the_server;
        steering: the_work_goes_on_and_nothing_is_carried_elsewhere;
        sandboxed: the_output_of_a_command_is_shown_once_and_whole, it_answers_and_reaches_only_what_it_is_granted, nothing_of_a_long_answer_is_lost, what_cannot_be_started_there_is_told;
        programs: a_command_does_not_change_them, one_at_the_top_is_not_started;
        login: a_person_logs_in_and_out, what_has_run_out_is_renewed_as_long_as_that_is_granted, an_answer_of_nobody_ends_no_login;
    });
    trials
}
