/*
 * Records what the programs of a generated command line do: a library that /etc/ld.so.preload of the oracle's sandbox
 * loads into every program there. Also the fork server: the first bash waits for lines before its `main`, and every
 * line runs in a fork of it as `bash -c LINE`, without the cost of starting bash.
 *
 * The log is /rec/log, shared memory of fixed-size records that the test reads after each line. Appending is one atomic
 * addition, so that it is safe in any number of processes and between fork and exec. A record is written after a call,
 * with its errno; one about an exec before it.
 */
#define _GNU_SOURCE
#include <dlfcn.h>
#include <errno.h>
#include <fcntl.h>
#include <netdb.h>
#include <spawn.h>
#include <stdarg.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/auxv.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <sys/time.h>
#include <sys/wait.h>
#include <unistd.h>
#include <utime.h>

#undef open
#undef openat
#undef creat
#undef fopen
#undef freopen
#undef truncate

#define RECORDS 2048
#define MOST_FORKS 200

enum kind { START = 1, EXEC, WRITE, REMOVE, MAKE, RENAME, META, NETWORK, LIMIT, READ };

struct record {
    uint32_t kind, error, pid, parent, ready;
    char program[28];
    char text[464]; /* What it is about: a path, or words that end with NUL; it ends with two. */
};

struct log {
    uint32_t count, forks, padding[126];
    struct record records[RECORDS];
};

static struct log *shared;
static char program[28];

#define REAL(name) \
    static __typeof__(name) *real; \
    if (!real) real = (__typeof__(name) *)dlsym(RTLD_NEXT, #name)

static struct record *append(enum kind kind, int error) {
    if (!shared) return NULL;
    uint32_t index = __atomic_fetch_add(&shared->count, 1, __ATOMIC_RELAXED);
    if (index >= RECORDS) return NULL;
    struct record *record = &shared->records[index];
    record->kind = kind;
    record->error = (uint32_t)error;
    record->pid = (uint32_t)getpid();
    record->parent = (uint32_t)getppid();
    memcpy(record->program, program, sizeof program);
    memset(record->text, 0, 2);
    return record;
}

static void finish(struct record *record) { __atomic_store_n(&record->ready, 1, __ATOMIC_RELEASE); }

/* The number of the descriptor that a path names, or -1. */
static int named_descriptor(const char *path) {
    static const char *const names[] = {"/dev/stdin", "/dev/stdout", "/dev/stderr"};
    for (int i = 0; i < 3; i++)
        if (!strcmp(path, names[i])) return i;
    const char *digits = !strncmp(path, "/dev/fd/", 8)         ? path + 8
                         : !strncmp(path, "/proc/self/fd/", 14) ? path + 14
                                                                : "";
    return *digits && strspn(digits, "0123456789") == strlen(digits) ? atoi(digits) : -1;
}

/* The path as an absolute one, not normalised: links and `..` are for the reader of the log. What names a descriptor is
 * the file that the descriptor is open on, and /dev/pipe where that is no file. */
static size_t absolute(char *to, size_t room, int folder, const char *path) {
    char link[48], opened[256];
    ssize_t used = 0;
    int descriptor = path ? named_descriptor(path) : -1;
    if (descriptor >= 0) {
        snprintf(link, sizeof link, "/proc/self/fd/%d", descriptor);
        ssize_t length = readlink(link, opened, sizeof opened - 1);
        if (length > 0) opened[length] = 0;
        path = length > 0 && *opened == '/' ? opened : "/dev/pipe";
    }
    if (path && *path == '/') {
        used = 0;
    } else if (folder == AT_FDCWD) {
        used = getcwd(to, room) ? (ssize_t)strlen(to) : 0;
    } else {
        snprintf(link, sizeof link, "/proc/self/fd/%d", folder);
        used = readlink(link, to, room - 1);
        if (used < 0) used = 0;
    }
    if (path && *path) {
        if (*path != '/' && (size_t)used + 1 < room) to[used++] = '/';
        while (*path && (size_t)used + 2 < room) to[used++] = *path++;
    }
    to[used++] = 0;
    to[used] = 0;
    return (size_t)used;
}

static void note(enum kind kind, int failed, int folder, const char *path) {
    int saved = errno;
    struct record *record = append(kind, failed ? saved : 0);
    if (record) {
        absolute(record->text, sizeof record->text, folder, path);
        finish(record);
    }
    errno = saved;
}

static void note_two(enum kind kind, int failed, int folder, const char *path, int folder2, const char *path2) {
    note(kind, failed, folder, path);
    note(kind, failed, folder2, path2);
}

static void note_words(enum kind kind, const char *first, char *const words[]) {
    int saved = errno;
    struct record *record = append(kind, 0);
    if (record) {
        size_t room = sizeof record->text - 2, used = 0;
        for (size_t i = 0; first; i++) {
            size_t length = strlen(first) + 1;
            if (used + length > room) {
                record->error = E2BIG; /* Cut: the reader of the log knows the beginning only. */
                break;
            }
            memcpy(record->text + used, first, length);
            used += length;
            first = words ? words[i] : NULL;
        }
        record->text[used] = 1; /* Ends the list: a word may be empty. */
        record->text[used + 1] = 0;
        finish(record);
    }
    errno = saved;
}

/* The one file whose reading is of interest. */
static int is_secret(const char *path) {
    const char *name = strstr(path, ".ssh/id");
    return name && !name[7];
}

static int writes(int flags) { return (flags & O_ACCMODE) != O_RDONLY || (flags & (O_CREAT | O_TRUNC)); }

#define OPEN(name, has_folder, FOLDER_PARAMETER, FOLDER_ARGUMENT) \
    int name(FOLDER_PARAMETER const char *path, int flags, ...) { \
        va_list list; \
        va_start(list, flags); \
        mode_t mode = (flags & (O_CREAT | __O_TMPFILE)) ? va_arg(list, mode_t) : 0; \
        va_end(list); \
        static int (*real)(int, const char *, int, ...); \
        if (!real) real = (__typeof__(real))dlsym(RTLD_NEXT, "openat64"); \
        int result = real(FOLDER_ARGUMENT, path, flags, mode); \
        if (writes(flags)) note(WRITE, result < 0, FOLDER_ARGUMENT, path); \
        else if (is_secret(path)) note(READ, result < 0, FOLDER_ARGUMENT, path); \
        return result; \
    }
#define NONE
#define FOLDER int folder,
OPEN(open, 0, NONE, AT_FDCWD)
OPEN(open64, 0, NONE, AT_FDCWD)
OPEN(__open_2, 0, NONE, AT_FDCWD)
OPEN(__open64_2, 0, NONE, AT_FDCWD)
OPEN(openat, 1, FOLDER, folder)
OPEN(openat64, 1, FOLDER, folder)
OPEN(__openat_2, 1, FOLDER, folder)
OPEN(__openat64_2, 1, FOLDER, folder)

int creat(const char *path, mode_t mode) { return open(path, O_CREAT | O_WRONLY | O_TRUNC, mode); }
int creat64(const char *path, mode_t mode) { return open(path, O_CREAT | O_WRONLY | O_TRUNC, mode); }

#define FOPEN(name) \
    FILE *name(const char *path, const char *mode) { \
        REAL(name); \
        FILE *result = real(path, mode); \
        if (*mode != 'r' || strchr(mode, '+')) note(WRITE, !result, AT_FDCWD, path); \
        else if (is_secret(path)) note(READ, !result, AT_FDCWD, path); \
        return result; \
    }
FOPEN(fopen)
FOPEN(fopen64)
#define FREOPEN(name) \
    FILE *name(const char *path, const char *mode, FILE *stream) { \
        REAL(name); \
        FILE *result = real(path, mode, stream); \
        if (path && (*mode != 'r' || strchr(mode, '+'))) note(WRITE, !result, AT_FDCWD, path); \
        return result; \
    }
FREOPEN(freopen)
FREOPEN(freopen64)

/* One call with one path: NAME(KIND, parameters, arguments, folder, path). */
#define CALL(kind, name, parameters, arguments, folder, path) \
    int name parameters { \
        REAL(name); \
        int result = real arguments; \
        note(kind, result < 0, folder, path); \
        return result; \
    }
CALL(MAKE, mkstemp, (char *p), (p), AT_FDCWD, p)
CALL(MAKE, mkstemp64, (char *p), (p), AT_FDCWD, p)
CALL(MAKE, mkostemp, (char *p, int f), (p, f), AT_FDCWD, p)
CALL(MAKE, mkostemp64, (char *p, int f), (p, f), AT_FDCWD, p)
CALL(MAKE, mkstemps, (char *p, int s), (p, s), AT_FDCWD, p)
CALL(MAKE, mkdir, (const char *p, mode_t m), (p, m), AT_FDCWD, p)
CALL(MAKE, mkdirat, (int d, const char *p, mode_t m), (d, p, m), d, p)
CALL(MAKE, mkfifo, (const char *p, mode_t m), (p, m), AT_FDCWD, p)
CALL(MAKE, mkfifoat, (int d, const char *p, mode_t m), (d, p, m), d, p)
CALL(MAKE, mknod, (const char *p, mode_t m, dev_t v), (p, m, v), AT_FDCWD, p)
CALL(MAKE, mknodat, (int d, const char *p, mode_t m, dev_t v), (d, p, m, v), d, p)
CALL(MAKE, symlink, (const char *t, const char *p), (t, p), AT_FDCWD, p)
CALL(MAKE, symlinkat, (const char *t, int d, const char *p), (t, d, p), d, p)
CALL(MAKE, link, (const char *o, const char *p), (o, p), AT_FDCWD, p)
CALL(MAKE, linkat, (int e, const char *o, int d, const char *p, int f), (e, o, d, p, f), d, p)
CALL(REMOVE, unlink, (const char *p), (p), AT_FDCWD, p)
CALL(REMOVE, unlinkat, (int d, const char *p, int f), (d, p, f), d, p)
CALL(REMOVE, rmdir, (const char *p), (p), AT_FDCWD, p)
CALL(REMOVE, remove, (const char *p), (p), AT_FDCWD, p)
CALL(WRITE, truncate, (const char *p, off_t l), (p, l), AT_FDCWD, p)
CALL(WRITE, truncate64, (const char *p, off64_t l), (p, l), AT_FDCWD, p)
CALL(META, chmod, (const char *p, mode_t m), (p, m), AT_FDCWD, p)
CALL(META, fchmod, (int d, mode_t m), (d, m), d, NULL)
CALL(META, fchmodat, (int d, const char *p, mode_t m, int f), (d, p, m, f), d, p)
CALL(META, chown, (const char *p, uid_t u, gid_t g), (p, u, g), AT_FDCWD, p)
CALL(META, lchown, (const char *p, uid_t u, gid_t g), (p, u, g), AT_FDCWD, p)
CALL(META, fchown, (int d, uid_t u, gid_t g), (d, u, g), d, NULL)
CALL(META, fchownat, (int d, const char *p, uid_t u, gid_t g, int f), (d, p, u, g, f), d, p)
CALL(META, utimensat, (int d, const char *p, const struct timespec t[2], int f), (d, p, t, f), d, p)
CALL(META, futimens, (int d, const struct timespec t[2]), (d, t), d, NULL)
CALL(META, utimes, (const char *p, const struct timeval t[2]), (p, t), AT_FDCWD, p)
CALL(META, utime, (const char *p, const struct utimbuf *t), (p, t), AT_FDCWD, p)

char *mkdtemp(char *path) {
    REAL(mkdtemp);
    char *result = real(path);
    note(MAKE, !result, AT_FDCWD, path);
    return result;
}

int rename(const char *from, const char *to) {
    REAL(rename);
    int result = real(from, to);
    note_two(RENAME, result < 0, AT_FDCWD, from, AT_FDCWD, to);
    return result;
}

int renameat(int folder, const char *from, int folder2, const char *to) {
    REAL(renameat);
    int result = real(folder, from, folder2, to);
    note_two(RENAME, result < 0, folder, from, folder2, to);
    return result;
}

int renameat2(int folder, const char *from, int folder2, const char *to, unsigned flags) {
    REAL(renameat2);
    int result = real(folder, from, folder2, to, flags);
    note_two(RENAME, result < 0, folder, from, folder2, to);
    return result;
}

static void note_network(const char *what) {
    char *none = NULL;
    note_words(NETWORK, what, &none);
}

int socket(int domain, int type, int protocol) {
    REAL(socket);
    if (domain != AF_UNIX && domain != AF_NETLINK) note_network("socket");
    return real(domain, type, protocol);
}

int connect(int fd, const struct sockaddr *address, socklen_t length) {
    REAL(connect);
    if (address && address->sa_family != AF_NETLINK) note_network("connect");
    return real(fd, address, length);
}

int getaddrinfo(const char *node, const char *service, const struct addrinfo *hints, struct addrinfo **result) {
    REAL(getaddrinfo);
    note_network(node ? node : "getaddrinfo");
    return real(node, service, hints, result);
}

#define HOST(name, parameters, arguments) \
    struct hostent *name parameters { \
        REAL(name); \
        note_network(node); \
        return real arguments; \
    }
HOST(gethostbyname, (const char *node), (node))
HOST(gethostbyname2, (const char *node, int family), (node, family))

int execve(const char *path, char *const words[], char *const environment[]) {
    REAL(execve);
    note_words(EXEC, path, words);
    int result = real(path, words, environment);
    if (shared) { /* It failed: an attempt on a file that is not there is none. */
        uint32_t last = __atomic_load_n(&shared->count, __ATOMIC_RELAXED);
        for (uint32_t i = last < RECORDS ? last : RECORDS; i-- > 0;) {
            struct record *record = &shared->records[i];
            if (record->kind == EXEC && record->pid == (uint32_t)getpid()) {
                record->error = (uint32_t)errno;
                break;
            }
        }
    }
    return result;
}

pid_t fork(void) {
    REAL(fork);
    if (shared && __atomic_fetch_add(&shared->forks, 1, __ATOMIC_RELAXED) >= MOST_FORKS) {
        struct record *record = append(LIMIT, EAGAIN);
        if (record) finish(record);
        errno = EAGAIN;
        return -1;
    }
    return real();
}

static int read_all(int fd, void *to, size_t length) {
    char *next = to;
    while (length) {
        ssize_t got = read(fd, next, length);
        if (got < 0 && errno == EINTR) continue;
        if (got <= 0) return 0;
        next += got;
        length -= (size_t)got;
    }
    return 1;
}

static void limit(int resource, rlim_t most) {
    struct rlimit both = {most, most};
    setrlimit(resource, &both);
}

/* Waits for lines; returns in a child, to go on to bash's `main`. As a subreaper it knows when nothing of a line is
 * left, whatever the line put into the background. */
static void serve(char **words) {
    int input = fcntl(0, F_DUPFD_CLOEXEC, 200), output = fcntl(1, F_DUPFD_CLOEXEC, 200);
    close(0);
    close(1);
    prctl(PR_SET_CHILD_SUBREAPER, 1, 0, 0, 0);
    for (;;) {
        uint32_t length;
        if (!read_all(input, &length, sizeof length)) _exit(0);
        char *line = malloc(length + 1);
        if (!line || !read_all(input, line, length)) _exit(1);
        line[length] = 0;
        static pid_t (*real_fork)(void);
        if (!real_fork) real_fork = (pid_t(*)(void))dlsym(RTLD_NEXT, "fork");
        pid_t child = real_fork();
        if (child == 0) {
            close(input);
            close(output);
            setsid();
            static int (*real_open)(int, const char *, int, ...);
            real_open = (__typeof__(real_open))dlsym(RTLD_NEXT, "openat64");
            int null = real_open(AT_FDCWD, "/dev/null", O_RDONLY);
            if (null != 0) dup2(null, 0), close(null);
            int out = real_open(AT_FDCWD, "/out/stdout", O_WRONLY | O_TRUNC | O_APPEND);
            if (out != 1) dup2(out, 1), close(out);
            dup2(1, 2);
            limit(RLIMIT_CPU, 2);
            limit(RLIMIT_FSIZE, 1 << 20);
            limit(RLIMIT_AS, 1u << 30);
            limit(RLIMIT_CORE, 0);
            limit(RLIMIT_NPROC, 600);
            words[2] = line;
            return;
        }
        int status = 0, first = 0;
        for (;;) {
            pid_t ended = waitpid(-1, &status, __WALL);
            if (ended == child) first = status;
            if (ended < 0 && errno == ECHILD) break;
        }
        free(line);
        if (write(output, &first, sizeof first) != sizeof first) _exit(0);
    }
}

__attribute__((constructor)) static void begin(int count, char **words, char **environment) {
    /* Not `getenv` and `unsetenv`: bash has its own, which stand before libc's and do not know the environment yet. */
    int is_server = 0;
    char **kept = environment;
    for (char **each = environment; *each; each++) {
        if (!strncmp(*each, "ORACLE_SERVER=", 14)) is_server = 1;
        else *kept++ = *each;
    }
    *kept = NULL;
    static int (*real_open)(int, const char *, int, ...);
    real_open = (__typeof__(real_open))dlsym(RTLD_NEXT, "openat64");
    int fd = real_open(AT_FDCWD, "/rec/log", O_RDWR | O_CLOEXEC);
    if (fd < 0) return;
    void *mapped = mmap(NULL, sizeof(struct log), PROT_READ | PROT_WRITE, MAP_SHARED, fd, 0);
    close(fd);
    if (mapped == MAP_FAILED) return;
    shared = mapped;
    const char *path = (const char *)getauxval(AT_EXECFN);
    const char *name = path ? strrchr(path, '/') : NULL;
    strncpy(program, name ? name + 1 : path ? path : "?", sizeof program - 1);
    if (count == 3 && is_server) {
        serve(words);
        return;
    }
    note_words(START, path ? path : "?", words);
}
