/* What the attacks share: each door tries one thing, and says reached with the run's number only after the thing worked. */
#ifndef DOORS_H
#define DOORS_H
#define _GNU_SOURCE
#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <sched.h>
#include <signal.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <sys/mman.h>
#include <sys/mount.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <sys/time.h>
#include <sys/types.h>
#include <sys/uio.h>
#include <sys/un.h>
#include <sys/wait.h>
#include <unistd.h>

typedef int (*door)(int count, char **arguments);
struct entry { const char *name; door open; };

extern const struct entry FILES[], KERNEL[], PROCESSES[], NAMESPACES[], NETWORK[], LIMITS[];

/* Says that the attack worked. */
int reached(void);
/* Says which call was refused, with errno. */
int refused(const char *call);
/* Reads a variable that the test sets. */
const char *need(const char *name);
long number(const char *name);
#endif
