#include "doors.h"
#include <linux/filter.h>
#include <linux/sched.h>
#include <linux/seccomp.h>

static int unshare_one(int count, char **arguments) {
    long flag = strtol(arguments[0], NULL, 0);
    return unshare(flag) ? refused("unshare") : reached();
}

static int leave(void *argument) { return 0; }

static int clone_user(int count, char **arguments) {
    static char stack[65536] __attribute__((aligned(16)));
    pid_t child = clone(leave, stack + sizeof stack, CLONE_NEWUSER | SIGCHLD, NULL);
    if (child < 0) return refused("clone");
    waitpid(child, NULL, 0);
    return reached();
}

static int clone3_user(int count, char **arguments) {
    struct clone_args wanted = {.flags = CLONE_NEWUSER, .exit_signal = SIGCHLD};
    long child = syscall(SYS_clone3, &wanted, sizeof wanted);
    if (!child) _exit(0);
    if (child < 0) return refused("clone3");
    waitpid(child, NULL, 0);
    return reached();
}

/* A user namespace gives all capabilities inside: mounts something there. */
static int mount_inside(int count, char **arguments) {
    if (unshare(CLONE_NEWUSER | CLONE_NEWNS)) return refused("unshare");
    if (mount("none", "/mnt", "tmpfs", 0, NULL)) return refused("mount");
    return reached();
}

static int mount_plainly(int count, char **arguments) {
    if (unshare(CLONE_NEWNS)) {
        /* Without the right to a namespace, the mount is tried where we are. */
    }
    if (mount("none", "/mnt", "tmpfs", 0, NULL)) return refused("mount");
    umount("/mnt");
    return reached();
}

/* Enters a namespace of a process outside, or of init. */
static int enter(int count, char **arguments) {
    const char *kinds[] = {"user", "mnt", "net", "pid", "ipc", "uts", "cgroup"};
    long pids[] = {number("VICTIM"), 1};
    for (size_t p = 0; p < 2; p++)
        for (size_t k = 0; k < 7; k++) {
            char path[64];
            snprintf(path, sizeof path, "/proc/%ld/ns/%s", pids[p], kinds[k]);
            int file = open(path, O_RDONLY);
            if (file >= 0 && !setns(file, 0)) return reached();
        }
    return refused("setns");
}

/* Clears the read-only flag of a mount, with the old call and the new. */
static int make_writable(int count, char **arguments) {
    struct { uint64_t set, clear, propagation, userns; } change = {0, 1, 0, 0};
    if (mount(NULL, arguments[0], NULL, MS_REMOUNT | MS_BIND, NULL)
        && syscall(442, AT_FDCWD, arguments[0], 0, &change, sizeof change))
        return refused("mount");
    return 0;
}

static int pivot(int count, char **arguments) {
    if (syscall(SYS_pivot_root, ".", ".") && errno == EPERM) return refused("pivot_root");
    return reached();
}

static struct sock_filter filter[64];
static int length;

/* Answers a call with an error; where a mask is given, only when its first argument has one of these bits. */
static void deny(int call, int error, uint32_t mask) {
    if (mask) {
        filter[length++] = (struct sock_filter)BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, call, 0, 4);
        filter[length++] = (struct sock_filter)BPF_STMT(BPF_LD | BPF_W | BPF_ABS, offsetof(struct seccomp_data, args[0]));
        filter[length++] = (struct sock_filter)BPF_JUMP(BPF_JMP | BPF_JSET | BPF_K, mask, 0, 1);
        filter[length++] = (struct sock_filter)BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_ERRNO | error);
        filter[length++] = (struct sock_filter)BPF_STMT(BPF_LD | BPF_W | BPF_ABS, 0);
        return;
    }
    filter[length++] = (struct sock_filter)BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, call, 0, 1);
    filter[length++] = (struct sock_filter)BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_ERRNO | error);
}

/* Runs a program on a machine that lacks something: `without WHAT PROGRAM...`. */
static int without(int count, char **arguments) {
    const char *what = arguments[0];
    int namespaces = CLONE_NEWUSER | CLONE_NEWNS | CLONE_NEWPID | CLONE_NEWNET;
    filter[length++] = (struct sock_filter)BPF_STMT(BPF_LD | BPF_W | BPF_ABS, 0);
    if (!strcmp(what, "landlock"))
        for (int call = 444; call <= 446; call++) deny(call, ENOSYS, 0);
    if (!strcmp(what, "namespaces")) {
        deny(SYS_unshare, EPERM, 0);
        deny(SYS_clone, EPERM, namespaces);
        deny(SYS_clone3, ENOSYS, 0);
    }
    if (!strcmp(what, "network_namespace")) {
        deny(SYS_unshare, EINVAL, CLONE_NEWNET);
        deny(SYS_clone, EINVAL, CLONE_NEWNET);
        deny(SYS_clone3, ENOSYS, 0);
    }
    if (!strcmp(what, "watches")) {
        deny(SYS_inotify_add_watch, ENOSPC, 0);
    }
    if (!strcmp(what, "seccomp")) {
        deny(SYS_seccomp, ENOSYS, 0);
    }
    if (!strcmp(what, "mounts")) {
        deny(SYS_mount, EPERM, 0);
        deny(428, EPERM, 0);
        deny(429, EPERM, 0);
        deny(442, EPERM, 0);
        deny(430, EPERM, 0);
        deny(432, EPERM, 0);
    }
    if (!strcmp(what, "new_mount_calls"))
        for (int call = 428; call <= 432; call++) deny(call, ENOSYS, 0);
    if (!strcmp(what, "mount_setattr")) deny(442, ENOSYS, 0);
    if (!strcmp(what, "pivot_root")) deny(SYS_pivot_root, EPERM, 0);
    if (!strcmp(what, "openat2")) deny(SYS_openat2, ENOSYS, 0);
    if (!strcmp(what, "limits")) deny(SYS_prlimit64, EPERM, 0);
    if (!strcmp(what, "capabilities")) deny(SYS_capset, EPERM, 0);
    filter[length++] = (struct sock_filter)BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_ALLOW);
    struct sock_fprog program = {length, filter};
    if (length < 3) return refused("what");
    if (!strcmp(what, "seccomp")) {
        /* The older way has to go, too, and does so last. */
        struct sock_filter older[] = {
            BPF_STMT(BPF_LD | BPF_W | BPF_ABS, 0),
            BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, SYS_seccomp, 0, 1),
            BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_ERRNO | ENOSYS),
            BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, SYS_prctl, 0, 3),
            BPF_STMT(BPF_LD | BPF_W | BPF_ABS, offsetof(struct seccomp_data, args[0])),
            BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, PR_SET_SECCOMP, 0, 1),
            BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_ERRNO | EINVAL),
            BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_ALLOW),
        };
        memcpy(filter, older, sizeof older);
        program.len = sizeof older / sizeof *older;
    }
    if (prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0) || prctl(PR_SET_SECCOMP, SECCOMP_MODE_FILTER, &program)) return refused("seccomp");
    execvp(arguments[1], arguments + 1);
    return refused("exec");
}

const struct entry NAMESPACES[] = {
    {"unshare", unshare_one},
    {"clone_user", clone_user},
    {"clone3_user", clone3_user},
    {"mount_inside", mount_inside},
    {"mount", mount_plainly},
    {"enter", enter},
    {"make_writable", make_writable},
    {"pivot_root", pivot},
    {"without", without},
    {NULL, NULL},
};
