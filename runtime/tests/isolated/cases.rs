//! The cases.

mod basics;

use std::pin::Pin;

type Case = fn() -> Pin<Box<dyn Future<Output = ()>>>;

/// Lists cases by the names of their functions.
macro_rules! cases {
    ($($module:ident: $($name:ident),* $(,)?;)*) => {
        vec![$($((concat!(stringify!($module), "::", stringify!($name)), (|| Box::pin($module::$name())) as Case)),*),*]
    };
}

pub(crate) fn all() -> Vec<(&'static str, Case)> {
    cases! {
        basics:
            a_command_runs_and_tells_how_it_ended,
            output_comes_by_offset,
            the_outside_is_not_there;
    }
}
