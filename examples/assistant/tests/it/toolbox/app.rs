//! An app with every tool that comes with helve.

use helve::agent::exposure::ToolExposure;

fn main() -> std::process::ExitCode {
    helve::app!()
        // The models of the tests call these without a search.
        .tool_exposure(ToolExposure::new().always(["web_fetch", "web_search", "http_request", "schedule_create", "schedule_list"]))
        .pack(helve::tools::ask_user())
        .pack(helve::tools::check_code())
        .pack(helve::tools::datetime())
        .pack(helve::tools::documents())
        .pack(helve::tools::files())
        .pack(helve::tools::github())
        .pack(helve::tools::http())
        .pack(helve::tools::schedule())
        .pack(helve::tools::session_search())
        .pack(helve::tools::memory())
        .pack(helve::tools::shell())
        .pack(helve::tools::todo())
        .pack(helve::tools::view_image())
        .pack(helve::tools::web())
        .pack(helve::tools::web_search())
        .main()
}
