//! An app with every tool that comes with helve.

fn main() -> std::process::ExitCode {
    helve::app!()
        .pack(helve::tools::ask_user())
        .pack(helve::tools::check_code())
        .pack(helve::tools::datetime())
        .pack(helve::tools::files())
        .pack(helve::tools::http())
        .pack(helve::tools::shell())
        .pack(helve::tools::todo())
        .pack(helve::tools::web())
        .pack(helve::tools::web_search())
        .main()
}
