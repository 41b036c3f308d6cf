#include "doors.h"
#include <pthread.h>

/* Has so many children at once. */
static int forks(int count, char **arguments) {
    long wanted = strtol(arguments[0], NULL, 0), made = 0;
    static pid_t children[4096];
    int code = 0;
    for (; made < wanted; made++) {
        children[made] = fork();
        if (children[made] < 0) {
            code = errno;
            break;
        }
        if (!children[made]) {
            prctl(PR_SET_PDEATHSIG, SIGKILL);
            pause();
            _exit(0);
        }
    }
    for (long i = 0; i < made; i++) kill(children[i], SIGKILL);
    for (long i = 0; i < made; i++) waitpid(children[i], NULL, 0);
    errno = code;
    printf("processes: %ld\n", made);
    return made < wanted ? refused("fork") : reached();
}

static void *wait_for_ever(void *argument) {
    pause();
    return NULL;
}

static int threads(int count, char **arguments) {
    long wanted = strtol(arguments[0], NULL, 0), made = 0;
    pthread_attr_t small;
    pthread_attr_init(&small);
    pthread_attr_setstacksize(&small, 65536);
    for (; made < wanted; made++) {
        pthread_t thread;
        errno = pthread_create(&thread, &small, wait_for_ever, NULL);
        if (errno) break;
    }
    printf("threads: %ld\n", made);
    return made < wanted ? refused("pthread_create") : reached();
}

/* Uses so many MiB: `memory private|shared|children MIB`. */
static int memory(int count, char **arguments) {
    long wanted = strtol(arguments[1], NULL, 0), used = 0;
    int shared = !strcmp(arguments[0], "shared");
    for (; used < wanted; used += 64) {
        char *part = mmap(NULL, 64 << 20, PROT_READ | PROT_WRITE, (shared ? MAP_SHARED : MAP_PRIVATE) | MAP_ANONYMOUS, -1, 0);
        if (part == MAP_FAILED) break;
        madvise(part, 64 << 20, MADV_HUGEPAGE);
        for (size_t at = 0; at < 64 << 20; at += 4096) part[at] = 1;
    }
    printf("MiB: %ld\n", used);
    return used < wanted ? refused("mmap") : reached();
}

/* Fills a folder that lies in memory with files below every limit of one file. */
static int fill(int count, char **arguments) {
    long wanted = strtol(arguments[1], NULL, 0), used = 0;
    char path[4096];
    int code = 0;
    for (; used < wanted; used += 64) {
        snprintf(path, sizeof path, "%s/helve-%s-%ld", arguments[0], need("NONCE"), used);
        int file = open(path, O_CREAT | O_WRONLY, 0600);
        if (file < 0 || posix_fallocate(file, 0, 64 << 20)) {
            code = errno ? errno : ENOSPC;
            unlink(path);
            break;
        }
        close(file);
    }
    for (long at = 0; at < used; at += 64) {
        snprintf(path, sizeof path, "%s/helve-%s-%ld", arguments[0], need("NONCE"), at);
        unlink(path);
    }
    printf("MiB: %ld\n", used);
    errno = code;
    return used < wanted ? refused("fallocate") : reached();
}

static int descriptors(int count, char **arguments) {
    long wanted = strtol(arguments[0], NULL, 0), made = 0;
    struct rlimit limit;
    getrlimit(RLIMIT_NOFILE, &limit);
    limit.rlim_cur = limit.rlim_max;
    setrlimit(RLIMIT_NOFILE, &limit);
    if (count > 1) {
        limit.rlim_cur = limit.rlim_max = wanted + 64;
        if (setrlimit(RLIMIT_NOFILE, &limit)) return refused("setrlimit");
    }
    for (; made < wanted; made++)
        if (open("/dev/null", O_RDONLY) < 0) break;
    printf("descriptors: %ld\n", made);
    return made < wanted ? refused("open") : reached();
}

static int core_dump(int count, char **arguments) {
    struct rlimit limit;
    getrlimit(RLIMIT_CORE, &limit);
    limit.rlim_cur = limit.rlim_max;
    setrlimit(RLIMIT_CORE, &limit);
    printf("limit: %ld\n", (long)limit.rlim_max);
    fflush(stdout);
    abort();
}

/* Forks until nothing goes any more, and goes on. */
static int bomb(int count, char **arguments) {
    printf("bomb\n");
    fflush(stdout);
    for (;;) fork();
}

/* Locks memory, so that the machine cannot take it back. */
static int lock_memory(int count, char **arguments) {
    size_t size = 256 << 20;
    char *part = mmap(NULL, size, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    if (part == MAP_FAILED) return refused("mmap");
    return mlock(part, size) ? refused("mlock") : reached();
}

const struct entry LIMITS[] = {
    {"forks", forks},
    {"threads", threads},
    {"memory", memory},
    {"fill", fill},
    {"descriptors", descriptors},
    {"core_dump", core_dump},
    {"bomb", bomb},
    {"lock_memory", lock_memory},
    {NULL, NULL},
};
