#include "doors.h"
#include <linux/bpf.h>
#include <linux/io_uring.h>
#include <linux/keyctl.h>
#include <linux/perf_event.h>
#include <linux/userfaultfd.h>
#include <sys/klog.h>
#include <sys/timex.h>
#include <termios.h>
#include <time.h>

static int io_uring(int count, char **arguments) {
    struct io_uring_params parameters = {0};
    int ring = syscall(SYS_io_uring_setup, 4, &parameters);
    if (ring < 0) return refused("io_uring_setup");
    return reached();
}

static int bpf(int count, char **arguments) {
    union bpf_attr map = {.map_type = BPF_MAP_TYPE_ARRAY, .key_size = 4, .value_size = 8, .max_entries = 1};
    if (syscall(SYS_bpf, BPF_MAP_CREATE, &map, sizeof map) < 0) return refused("bpf");
    return reached();
}

static int perf(int count, char **arguments) {
    struct perf_event_attr event = {.type = PERF_TYPE_SOFTWARE, .size = sizeof event, .config = PERF_COUNT_SW_TASK_CLOCK};
    event.exclude_kernel = 1;
    event.exclude_hv = 1;
    if (syscall(SYS_perf_event_open, &event, 0, -1, -1, 0) < 0) return refused("perf_event_open");
    return reached();
}

static int userfault(int count, char **arguments) {
    int fd = syscall(SYS_userfaultfd, O_CLOEXEC | UFFD_USER_MODE_ONLY);
    if (fd < 0) return refused("userfaultfd");
    struct uffdio_api api = {.api = UFFD_API};
    return ioctl(fd, UFFDIO_API, &api) ? refused("UFFDIO_API") : reached();
}

/* Stores something in a keyring and reads it back. */
static int keyring(int count, char **arguments) {
    const char *nonce = need("NONCE");
    long key = syscall(SYS_add_key, "user", "helve-escape", nonce, strlen(nonce), KEY_SPEC_PROCESS_KEYRING);
    if (key < 0) return refused("add_key");
    char back[128] = {0};
    if (syscall(SYS_keyctl, KEYCTL_READ, key, back, sizeof back) < 0) return refused("keyctl");
    return strcmp(back, nonce) ? refused("keyctl") : reached();
}

/* Keeps a secret in the user's keyring (`keyring_put TEXT`), or reads it from there. */
static int keyring_put(int count, char **arguments) {
    char name[128];
    snprintf(name, sizeof name, "helve-%s", need("NONCE"));
    long key = syscall(SYS_add_key, "user", name, arguments[0], strlen(arguments[0]), KEY_SPEC_USER_KEYRING);
    if (key < 0) return refused("add_key");
    syscall(SYS_keyctl, KEYCTL_SETPERM, key, 0x3f3f3f3f);
    printf("%ld\n", key);
    return 0;
}

static int keyring_drop(int count, char **arguments) {
    return syscall(SYS_keyctl, KEYCTL_INVALIDATE, number("KEY")) ? refused("keyctl") : 0;
}

static int keyring_steal(int count, char **arguments) {
    char text[256] = {0};
    if (syscall(SYS_keyctl, KEYCTL_READ, number("KEY"), text, sizeof text - 1) < 0) return refused("keyctl");
    puts(text);
    return 0;
}

static int fs_open(int count, char **arguments) {
    return syscall(SYS_fsopen, "tmpfs", 0) < 0 ? refused("fsopen") : reached();
}

static int open_tree_clone(int count, char **arguments) {
    return syscall(SYS_open_tree, AT_FDCWD, "/", 1) < 0 ? refused("open_tree") : reached();
}

static int set_clock(int count, char **arguments) {
    struct timespec now;
    clock_gettime(CLOCK_REALTIME, &now);
    return clock_settime(CLOCK_REALTIME, &now) ? refused("clock_settime") : reached();
}

static int adjust_clock(int count, char **arguments) {
    struct timex now = {.modes = 0};
    if (adjtimex(&now) < 0) return refused("adjtimex");
    now.modes = ADJ_STATUS;
    return adjtimex(&now) < 0 ? refused("adjtimex") : reached();
}

static int set_host_name(int count, char **arguments) {
    char name[256];
    gethostname(name, sizeof name);
    return sethostname(name, strlen(name)) ? refused("sethostname") : reached();
}

static int set_domain_name(int count, char **arguments) {
    char name[256];
    if (getdomainname(name, sizeof name)) return refused("getdomainname");
    return setdomainname(name, strlen(name)) ? refused("setdomainname") : reached();
}

/* Types a character into a terminal, as if a person had. */
static int type_for_you(int count, char **arguments) {
    int terminal = 0;
    if (!isatty(0)) {
        int master = posix_openpt(O_RDWR | O_NOCTTY);
        if (master < 0 || grantpt(master) || unlockpt(master)) return refused("posix_openpt");
        pid_t child = fork();
        if (child) {
            int status;
            waitpid(child, &status, 0);
            return WEXITSTATUS(status);
        }
        setsid();
        terminal = open(ptsname(master), O_RDWR);
    }
    struct termios raw;
    if (tcgetattr(terminal, &raw)) return refused("tcgetattr");
    cfmakeraw(&raw);
    raw.c_oflag |= OPOST;
    tcsetattr(terminal, TCSANOW, &raw);
    if (ioctl(terminal, TIOCSTI, "x")) return refused("TIOCSTI");
    char typed = 0;
    struct pollfd ready = {.fd = terminal, .events = POLLIN};
    while (typed != 'x')
        if (poll(&ready, 1, 1000) != 1 || read(terminal, &typed, 1) != 1) return refused("read");
    return reached();
}

static int console_ioctl(int count, char **arguments) {
    char paste = 3;
    if (ioctl(0, TIOCLINUX, &paste) < 0 && errno != EFAULT && errno != EINVAL) return refused("TIOCLINUX");
    return reached();
}

/* Reads the kernel's own log. */
static int kernel_log(int count, char **arguments) {
    static char text[1 << 20];
    int n = klogctl(3, text, sizeof text - 1);
    if (n <= 0) return refused("syslog");
    return reached();
}

/* These ask for what is never there, so that nothing happens: the door is open when the answer is not "not you". */
static int module(int count, char **arguments) {
    if (syscall(SYS_init_module, "", 0, "") && errno != ENOEXEC && errno != EFAULT) return refused("init_module");
    return reached();
}

static int kexec(int count, char **arguments) {
    if (syscall(SYS_kexec_load, 0, 99999, NULL, 0) && errno != EINVAL) return refused("kexec_load");
    return reached();
}

static int reboot_machine(int count, char **arguments) {
    if (syscall(SYS_reboot, 1, 2, 3, NULL) && errno != EINVAL) return refused("reboot");
    return reached();
}

static int swap_file(int count, char **arguments) {
    if (syscall(SYS_swapon, "/nonexistent/helve", 0) && errno != ENOENT) return refused("swapon");
    return reached();
}

static int accounting(int count, char **arguments) {
    if (syscall(SYS_acct, "/nonexistent/helve") && errno != ENOENT) return refused("acct");
    return reached();
}

static int port_level(int count, char **arguments) {
    return syscall(SYS_ioperm, 0x80, 1, 1) ? refused("ioperm") : reached();
}

static int quota(int count, char **arguments) {
    if (syscall(SYS_quotactl, 0x80000100, "/nonexistent", 0, NULL) && errno == EPERM) return refused("quotactl");
    return reached();
}

#ifdef __x86_64__
static void no_such_call(int signal) {
    errno = ENOSYS;
    _exit(refused("int 0x80"));
}

/* The 32-bit way of making a socket, which a filter for 64-bit numbers does not see: family, type, protocol. */
static int int80(int count, char **arguments) {
    signal(SIGSEGV, no_such_call);
    long result;
    __asm__ volatile("int $0x80" : "=a"(result) : "a"(359L), "b"(1L), "c"(1L), "d"(0L) : "memory", "r8", "r9", "r10", "r11");
    if (result < 0) {
        errno = -result;
        return refused("int 0x80 socket");
    }
    return reached();
}

static int x32(int count, char **arguments) {
    if (syscall(0x40000000 | SYS_socket, AF_UNIX, SOCK_STREAM, 0) < 0) return refused("x32 socket");
    return reached();
}
#else
static int int80(int count, char **arguments) { errno = ENOSYS; return refused("int 0x80"); }
static int x32(int count, char **arguments) { errno = ENOSYS; return refused("x32"); }
#endif

const struct entry KERNEL[] = {
    {"io_uring", io_uring},
    {"bpf", bpf},
    {"perf", perf},
    {"userfaultfd", userfault},
    {"keyring", keyring},
    {"keyring_put", keyring_put},
    {"keyring_drop", keyring_drop},
    {"keyring_steal", keyring_steal},
    {"fsopen", fs_open},
    {"open_tree", open_tree_clone},
    {"set_clock", set_clock},
    {"adjust_clock", adjust_clock},
    {"set_host_name", set_host_name},
    {"set_domain_name", set_domain_name},
    {"type_for_you", type_for_you},
    {"console_ioctl", console_ioctl},
    {"kernel_log", kernel_log},
    {"module", module},
    {"kexec", kexec},
    {"reboot", reboot_machine},
    {"swapon", swap_file},
    {"acct", accounting},
    {"ioperm", port_level},
    {"quotactl", quota},
    {"int80", int80},
    {"x32", x32},
    {NULL, NULL},
};
