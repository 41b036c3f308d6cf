//! Commands of an app that have the names of built-in ones.

use std::process::ExitCode;

use super::{builtin_commands, command_line};
use crate::{App, Package};

fn app(names: &[&'static str]) -> App {
    let app = App::new(Package {
        name: "nothing",
        version: "0.0.0",
        description: "",
        binary: None,
    });
    names.iter().fold(app, |app, name| {
        app.command(clap::Command::new(*name), |_, _| ExitCode::from(7))
    })
}

#[test]
fn a_command_of_the_app_replaces_a_built_in_one() {
    let builtin = builtin_commands(&app(&[]).definition);
    let replaceable = builtin.iter().map(clap::Command::get_name);
    let names: Vec<&str> = replaceable.filter(|name| *name != "complete").collect();
    assert!(
        names.contains(&"init") && names.contains(&"call"),
        "{names:?}"
    );
    for name in names {
        let name: &'static str = name.to_owned().leak();
        let app = app(&[name]);
        command_line(&app.definition, &app.commands).debug_assert();
        assert_eq!(
            app.main_from(["nothing", name]),
            ExitCode::from(7),
            "{name}"
        );
    }
}

#[test]
fn a_name_that_is_taken_is_told() {
    for names in [&["complete"][..], &["own", "own"]] {
        assert_eq!(app(names).main_from(["nothing", "own"]), ExitCode::from(1));
    }
}
