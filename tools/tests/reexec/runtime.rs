//! Runs tests that wait.

/// Runs a test as an app does that has a runtime of its own.
pub(crate) fn run(test: impl Future<Output = ()>) -> Result<(), libtest_mimic::Failed> {
    tokio::runtime::Builder::new_current_thread()
        .enable_all()
        .build()?
        .block_on(test);
    Ok(())
}
