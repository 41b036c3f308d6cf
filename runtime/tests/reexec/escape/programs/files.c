#include "doors.h"
#include <linux/fs.h>
#include <linux/openat2.h>

/* Reads a file and shows it, by a handle that was made outside: no path is walked. */
static int handle(int count, char **arguments) {
    union { struct file_handle h; char room[sizeof(struct file_handle) + 128]; } u;
    const char *hex = need("HANDLE");
    int type, used = 0;
    if (sscanf(hex, "%d:%n", &type, &used) != 1) return refused("HANDLE");
    u.h.handle_type = type;
    u.h.handle_bytes = 0;
    for (const char *p = hex + used; p[0] && p[1]; p += 2) {
        unsigned byte;
        sscanf(p, "%2x", &byte);
        u.h.f_handle[u.h.handle_bytes++] = byte;
    }
    int mount = open(need("WS"), O_RDONLY | O_DIRECTORY);
    int file = open_by_handle_at(mount, &u.h, O_RDONLY);
    if (file < 0) return refused("open_by_handle_at");
    char text[256];
    ssize_t n = read(file, text, sizeof text - 1);
    if (n < 0) return refused("read");
    fwrite(text, 1, n, stdout);
    return 0;
}

/* Prints a handle for the test to pass on. */
static int make_handle(int count, char **arguments) {
    union { struct file_handle h; char room[sizeof(struct file_handle) + 128]; } u;
    int mount;
    u.h.handle_bytes = 128;
    if (name_to_handle_at(AT_FDCWD, arguments[0], &u.h, &mount, 0)) return refused("name_to_handle_at");
    printf("%d:", u.h.handle_type);
    for (unsigned i = 0; i < u.h.handle_bytes; i++) printf("%02x", u.h.f_handle[i]);
    printf("\n");
    return 0;
}

/* Keeps a descriptor of the program that runs, waits until nobody runs it, and opens it again for writing. */
static int own_program(int count, char **arguments) {
    int file = open("/proc/self/exe", O_RDONLY);
    if (file < 0) return refused("open /proc/self/exe");
    char path[64], script[160];
    snprintf(path, sizeof path, "%d", file);
    snprintf(script, sizeof script, "printf changed >> /proc/self/fd/%d", file);
    execl("/bin/sh", "sh", "-c", script, (char *)NULL);
    return refused("exec sh");
}

/* Looks whether the program of any process that can be seen is the one that opened the sandbox. */
static int app_program(int count, char **arguments) {
    struct stat found;
    unsigned long device, inode;
    if (sscanf(need("APP"), "%lu:%lu", &device, &inode) != 2) return refused("APP");
    for (long at = 0; at < 2000; at++) {
        long pid = at ? at : number("PARENT");
        char path[64];
        snprintf(path, sizeof path, "/proc/%ld/exe", pid);
        int file = open(path, O_RDONLY);
        if (file >= 0 && !fstat(file, &found) && found.st_ino == inode && found.st_dev == device) return reached();
        if (file >= 0) close(file);
    }
    errno = ENOENT;
    return refused("open /proc/N/exe");
}

/* Opens a device and reads from it. */
static int read_device(int count, char **arguments) {
    char *page = aligned_alloc(4096, 4096);
    int file = open(arguments[0], O_RDONLY);
    if (file < 0) return refused(arguments[0]);
    if (pread(file, page, 4096, 0) != 4096) return refused("read");
    return reached();
}

/* Opens a file for writing, and writes nothing. */
static int open_for_writing(int count, char **arguments) {
    int file = open(arguments[0], O_WRONLY);
    return file < 0 ? refused(arguments[0]) : reached();
}

/* Writes to a file what it holds already. */
static int rewrite(int count, char **arguments) {
    static char text[65536];
    int file = open(arguments[0], O_RDONLY);
    ssize_t n = file < 0 ? -1 : read(file, text, sizeof text);
    if (n < 0) return refused(arguments[0]);
    file = open(arguments[0], O_WRONLY);
    if (file < 0) return refused(arguments[0]);
    if (write(file, text, n) != n) return refused("write");
    return reached();
}

static int kvm(int count, char **arguments) {
    int file = open("/dev/kvm", O_RDWR);
    if (file < 0) return refused("/dev/kvm");
    if (ioctl(file, 0xAE00, 0) < 0) return refused("KVM_GET_API_VERSION");
    return reached();
}

/* Makes a file setuid, by every call that takes a mode: `setid CALL PATH`. */
static int setid(int count, char **arguments) {
    const char *call = arguments[0], *path = arguments[1];
    struct open_how how = {.flags = O_CREAT | O_WRONLY, .mode = 04755};
    int made = -1;
    umask(0);
    if (!strncmp(call, "f", 1) || !strcmp(call, "chmod")) close(open(path, O_CREAT | O_WRONLY, 0755));
    if (!strcmp(call, "chmod")) made = syscall(SYS_chmod, path, 06755);
    if (!strcmp(call, "fchmod")) made = fchmod(open(path, O_RDONLY), 04755);
    if (!strcmp(call, "fchmodat")) made = syscall(SYS_fchmodat, AT_FDCWD, path, 04755);
    if (!strcmp(call, "fchmodat2")) made = syscall(452, AT_FDCWD, path, 04755, 0);
    if (!strcmp(call, "open")) made = syscall(SYS_open, path, O_CREAT | O_WRONLY, 04755);
    if (!strcmp(call, "openat")) made = openat(AT_FDCWD, path, O_CREAT | O_WRONLY, 04755);
    if (!strcmp(call, "creat")) made = syscall(SYS_creat, path, 04755);
    if (!strcmp(call, "openat2")) made = syscall(SYS_openat2, AT_FDCWD, path, &how, sizeof how);
    if (!strcmp(call, "mknod")) made = mknod(path, S_IFREG | 04755, 0);
    if (!strcmp(call, "mkdir")) made = mkdir(path, 02755);
    if (!strcmp(call, "tmpfile")) {
        made = openat(AT_FDCWD, need("WS"), O_TMPFILE | O_WRONLY, 04755);
        char link[64];
        snprintf(link, sizeof link, "/proc/self/fd/%d", made);
        if (made >= 0) made = linkat(AT_FDCWD, link, AT_FDCWD, path, AT_SYMLINK_FOLLOW);
    }
    return made < 0 ? refused(call) : 0;
}

/* Swaps two names in one step. */
static int exchange(int count, char **arguments) {
    if (renameat2(AT_FDCWD, arguments[0], AT_FDCWD, arguments[1], 2)) return refused("renameat2");
    return 0;
}

/* The oldest way out of a chroot. */
static int leave_chroot(int count, char **arguments) {
    mkdir("jail", 0755);
    if (chroot("jail")) return refused("chroot");
    for (int i = 0; i < 64; i++)
        if (chdir("..")) break;
    if (chroot(".")) return refused("chroot .");
    execl("/bin/cat", "cat", need("SECRET_FILE"), (char *)NULL);
    return refused("cat");
}

/* Watches a whole file system from outside of every mount. */
static int fanotify(int count, char **arguments) {
    int watch = syscall(SYS_fanotify_init, 0x4, O_RDONLY);
    if (watch < 0) return refused("fanotify_init");
    if (syscall(SYS_fanotify_mark, watch, 0x1 | 0x100, 0x20ULL, AT_FDCWD, need("WS"))) return refused("fanotify_mark");
    return reached();
}

/* Makes a file that its owner cannot remove. */
static int immutable(int count, char **arguments) {
    int file = open(arguments[0], O_CREAT | O_RDONLY, 0644), flags = 0;
    if (ioctl(file, FS_IOC_GETFLAGS, &flags)) return refused("FS_IOC_GETFLAGS");
    flags |= FS_IMMUTABLE_FL;
    if (ioctl(file, FS_IOC_SETFLAGS, &flags)) return refused("FS_IOC_SETFLAGS");
    flags &= ~FS_IMMUTABLE_FL;
    ioctl(file, FS_IOC_SETFLAGS, &flags);
    return reached();
}

/* Gives a program capabilities for whoever runs it outside. */
static int file_capability(int count, char **arguments) {
    struct { uint32_t magic, permitted, inheritable, permitted2, inheritable2; } data = {0x02000001, 0x200000, 0, 0, 0};
    close(open(arguments[0], O_CREAT | O_WRONLY, 0755));
    if (syscall(SYS_setxattr, arguments[0], "security.capability", &data, sizeof data, 0)) return refused("setxattr");
    return reached();
}

/* Swaps a link for a folder again and again, and reads through it in between. */
static int swap_links(int count, char **arguments) {
    for (int i = 0; i < 20000; i++) {
        renameat2(AT_FDCWD, arguments[0], AT_FDCWD, arguments[1], 2);
        int file = open(arguments[2], O_RDONLY);
        char text[256];
        ssize_t n = file < 0 ? -1 : read(file, text, sizeof text);
        if (file >= 0) close(file);
        if (n > 0 && memmem(text, n, "secret-", 7)) {
            fwrite(text, 1, n, stdout);
            return 0;
        }
    }
    errno = ENOENT;
    return refused("open");
}

/* Shows what the files hold that somebody else left open here. */
static int inherited(int count, char **arguments) {
    char text[256];
    for (int fd = 3; fd < 1024; fd++) {
        ssize_t n = pread(fd, text, sizeof text, 0);
        if (n > 0) fwrite(text, 1, n, stdout);
    }
    return 0;
}

const struct entry FILES[] = {
    {"inherited", inherited},
    {"handle", handle},
    {"make_handle", make_handle},
    {"own_program", own_program},
    {"app_program", app_program},
    {"read_device", read_device},
    {"open_for_writing", open_for_writing},
    {"rewrite", rewrite},
    {"kvm", kvm},
    {"setid", setid},
    {"exchange", exchange},
    {"leave_chroot", leave_chroot},
    {"fanotify", fanotify},
    {"immutable", immutable},
    {"file_capability", file_capability},
    {"swap_links", swap_links},
    {NULL, NULL},
};
