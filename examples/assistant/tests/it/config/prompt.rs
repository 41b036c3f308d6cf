//! What the model is told before anything else.

use crate::config::fixture::ConfigFixture;
use crate::config::server::TestServer;

#[test]
fn the_model_knows_the_project_and_where_it_works() {
    let server = TestServer::replying_done();
    let place = ConfigFixture::new().with_file("project/AGENTS.md", "Be brief.\n");
    let place = place.with_variable("OPENAI_API_KEY", "sk-of-the-user");
    let url = server.url();
    let seen = place.run(&["run", "hello", "--model", "groq/m", "--base-url", &url]);
    assert!(seen.starts_with("exit 0"), "{seen}");
    let body = server.first_body();
    let system = body["messages"][0]["content"].as_str().expect("a text");
    let order = [
        "You help with the files",
        "<available_skills>",
        "AGENTS.md\">\nBe brief.\n</project_instructions>",
        "# Context\n\nWorking folder: ",
        "\nPlatform: ",
        "\nDate: 20",
    ];
    let places = order.map(|part| {
        system
            .find(part)
            .unwrap_or_else(|| panic!("{part}: {system}"))
    });
    assert!(places.is_sorted(), "{system}");
    let day = system.rsplit_once("Date: ").map_or("", |(_, day)| day);
    assert_eq!(
        day.len(),
        "2026-11-22".len(),
        "the hour changes too often: {day}"
    );
}
