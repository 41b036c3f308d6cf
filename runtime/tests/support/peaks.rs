//! How much memory this process and its children took at most.

/// Returns the peak of this process in KiB.
pub(crate) fn self_peak_kib() -> u64 {
    let status = std::fs::read_to_string("/proc/self/status").unwrap();
    let line = status.lines().find(|line| line.starts_with("VmHWM:"));
    let value = line.unwrap().split_whitespace().nth(1);
    value.unwrap().parse().unwrap()
}

/// Returns the peak of the largest child that has ended, in KiB.
#[expect(
    unsafe_code,
    reason = "no library of ours asks for the usage of children"
)]
pub(crate) fn children_peak_kib() -> u64 {
    let mut usage = std::mem::MaybeUninit::<libc::rusage>::zeroed();
    // SAFETY: the pointer is to a whole `rusage`, which all zeroes are a value of.
    let usage = unsafe {
        assert_eq!(
            libc::getrusage(libc::RUSAGE_CHILDREN, usage.as_mut_ptr()),
            0
        );
        usage.assume_init()
    };
    u64::try_from(usage.ru_maxrss).unwrap()
}
