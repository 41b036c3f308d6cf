#include "doors.h"
#include <mqueue.h>
#include <sys/ipc.h>
#include <sys/ptrace.h>
#include <sys/shm.h>

static char kept[128];

/* The process outside: it holds a secret in its memory, its arguments, its environment and a shared segment. */
static int victim(int count, char **arguments) {
    snprintf(kept, sizeof kept, "%s", arguments[0]);
    prctl(0x59616d61 /* PR_SET_PTRACER */, -1L, 0, 0, 0);
    int segment = shmget(number("SHM_KEY"), 4096, IPC_CREAT | 0666);
    char *shared = segment < 0 ? NULL : shmat(segment, NULL, 0);
    if (shared && shared != (void *)-1) snprintf(shared, 4096, "%s", kept);
    printf("%p\n", (void *)kept);
    fflush(stdout);
    /* It answers whoever asks whether it lives. */
    char question;
    while (read(0, &question, 1) > 0) {
        putchar(question);
        fflush(stdout);
    }
    return 0;
}

static int shared_memory_drop(int count, char **arguments) {
    return shmctl(shmget(number("SHM_KEY"), 4096, 0666), IPC_RMID, NULL) ? refused("shmctl") : 0;
}

static int trace_host(int count, char **arguments) {
    pid_t pid = number("VICTIM");
    if (ptrace(PTRACE_SEIZE, pid, NULL, NULL)) return refused("ptrace");
    return reached();
}

static int trace_child(int count, char **arguments) {
    pid_t child = fork();
    if (!child) {
        pause();
        _exit(0);
    }
    long seized = ptrace(PTRACE_SEIZE, child, NULL, NULL);
    int code = errno;
    kill(child, SIGKILL);
    errno = code;
    return seized ? refused("ptrace") : reached();
}

static int show(const char *text, ssize_t n, const char *call) {
    if (n <= 0) return refused(call);
    fwrite(text, 1, strnlen(text, n), stdout);
    puts("");
    return 0;
}

/* Reads the secret out of another process's memory: `read_memory host|child`. */
static int read_memory(int count, char **arguments) {
    char text[128] = {0};
    struct iovec here = {text, sizeof text};
    if (!strcmp(arguments[0], "host")) {
        struct iovec there = {(void *)number("VICTIM_ADDRESS"), sizeof text};
        return show(text, process_vm_readv(number("VICTIM"), &here, 1, &there, 1, 0), "process_vm_readv");
    }
    snprintf(kept, sizeof kept, "reached %s", need("NONCE"));
    pid_t child = fork();
    if (!child) {
        pause();
        _exit(0);
    }
    struct iovec there = {kept, sizeof text};
    ssize_t n = process_vm_readv(child, &here, 1, &there, 1, 0);
    int code = errno;
    kill(child, SIGKILL);
    errno = code;
    return show(text, n, "process_vm_readv");
}

static int proc_memory(int count, char **arguments) {
    char path[64], text[128] = {0};
    snprintf(path, sizeof path, "/proc/%ld/mem", number("VICTIM"));
    int file = open(path, O_RDONLY);
    return show(text, file < 0 ? -1 : pread(file, text, sizeof text, number("VICTIM_ADDRESS")), "/proc/N/mem");
}

/* Takes a descriptor out of another process: `steal_descriptor host|parent`. */
static int steal_descriptor(int count, char **arguments) {
    int parent = !strcmp(arguments[0], "parent");
    int process = syscall(SYS_pidfd_open, parent ? getppid() : number("VICTIM"), 0);
    if (process < 0) return refused("pidfd_open");
    for (int fd = parent ? 3 : 0; fd < 64; fd++) {
        int stolen = syscall(SYS_pidfd_getfd, process, fd, 0);
        if (stolen >= 0) return reached();
        if (errno == EPERM || errno == EACCES) break;
    }
    return refused("pidfd_getfd");
}

static int limit_host(int count, char **arguments) {
    struct rlimit limit = {77, 77};
    return prlimit(number("VICTIM"), RLIMIT_CORE, &limit, NULL) ? refused("prlimit") : reached();
}

static int pin_host(int count, char **arguments) {
    cpu_set_t set;
    sched_getaffinity(0, sizeof set, &set);
    return sched_setaffinity(number("VICTIM"), sizeof set, &set) ? refused("sched_setaffinity") : reached();
}

static int real_time(int count, char **arguments) {
    struct sched_param parameter = {.sched_priority = 1};
    if (sched_setscheduler(0, SCHED_FIFO, &parameter)) return refused("sched_setscheduler");
    parameter.sched_priority = 0;
    sched_setscheduler(0, SCHED_OTHER, &parameter);
    return reached();
}

static int raise_priority(int count, char **arguments) {
    return setpriority(PRIO_PROCESS, 0, -5) ? refused("setpriority") : reached();
}

/* Reads a shared segment of a process outside. */
static int shared_memory(int count, char **arguments) {
    int segment = shmget(number("SHM_KEY"), 4096, 0666);
    if (segment < 0) return refused("shmget");
    char *shared = shmat(segment, NULL, SHM_RDONLY);
    return shared == (void *)-1 ? refused("shmat") : show(shared, 128, "shmat");
}

static int message_queue(int count, char **arguments) {
    char text[8193] = {0};
    struct mq_attr shape = {.mq_maxmsg = 2, .mq_msgsize = 8192};
    if (count > 0) {
        mqd_t queue = mq_open(need("QUEUE"), O_CREAT | O_WRONLY, 0666, &shape);
        if (queue < 0 || mq_send(queue, arguments[0], strlen(arguments[0]), 0)) return refused("mq_open");
        return 0;
    }
    mqd_t queue = mq_open(need("QUEUE"), O_RDONLY | O_NONBLOCK);
    if (queue < 0) return refused("mq_open");
    return show(text, mq_receive(queue, text, sizeof text - 1, NULL), "mq_receive");
}

static int message_queue_drop(int count, char **arguments) { return mq_unlink(need("QUEUE")) ? refused("mq_unlink") : 0; }

/* As a setuid program: shows a file that only its owner reads. */
static int as_owner(int count, char **arguments) {
    char text[256] = {0};
    int file = open(arguments[0], O_RDONLY);
    return show(text, file < 0 ? -1 : read(file, text, sizeof text - 1), arguments[0]);
}

static int change_user(int count, char **arguments) {
    if (setresuid(65533, 65533, 65533)) return refused("setresuid");
    return reached();
}

const struct entry PROCESSES[] = {
    {"victim", victim},
    {"trace_host", trace_host},
    {"trace_child", trace_child},
    {"read_memory", read_memory},
    {"proc_memory", proc_memory},
    {"steal_descriptor", steal_descriptor},
    {"limit_host", limit_host},
    {"pin_host", pin_host},
    {"real_time", real_time},
    {"raise_priority", raise_priority},
    {"shared_memory", shared_memory},
    {"shared_memory_drop", shared_memory_drop},
    {"message_queue", message_queue},
    {"message_queue_drop", message_queue_drop},
    {"as_owner", as_owner},
    {"change_user", change_user},
    {NULL, NULL},
};
