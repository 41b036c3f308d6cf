pub(crate) fn all() -> Vec<(&'static str, fn())> {
    let _ = crate::run::told;
    vec![]
}
