#include "doors.h"
#include <arpa/inet.h>
#include <net/if.h>
#include <netinet/in.h>
#include <linux/if_alg.h>
#include <linux/vm_sockets.h>

/* Makes a socket of any kind: `socket FAMILY TYPE PROTOCOL`. */
static int make_socket(int count, char **arguments) {
    int fd = socket(atoi(arguments[0]), atoi(arguments[1]), atoi(arguments[2]));
    return fd < 0 ? refused("socket") : reached();
}

/* Tries every family but those of ordinary programs. */
static int other_families(int count, char **arguments) {
    int types[] = {SOCK_STREAM, SOCK_DGRAM, SOCK_RAW, SOCK_SEQPACKET}, open = 0;
    for (int family = 1; family < 64; family++)
        for (int t = 0; t < 4; t++) {
            if (family == AF_INET || family == AF_INET6) continue;
            int fd = socket(family, types[t], 0);
            if (fd < 0) continue;
            printf("family %d type %d\n", family, types[t]);
            open = 1;
            close(fd);
        }
    errno = EPERM;
    return open ? reached() : refused("socket");
}

/* Sends the run's number to an address: `send tcp|udp|udplite|mptcp|fastopen ADDRESS PORT`. */
static int send_to(int count, char **arguments) {
    const char *how = arguments[0], *nonce = need("NONCE");
    struct sockaddr_storage address = {0};
    struct sockaddr_in *four = (void *)&address;
    struct sockaddr_in6 *six = (void *)&address;
    socklen_t length = sizeof *four;
    if (inet_pton(AF_INET, arguments[1], &four->sin_addr) == 1) {
        four->sin_family = AF_INET;
        four->sin_port = htons(atoi(arguments[2]));
    } else if (inet_pton(AF_INET6, arguments[1], &six->sin6_addr) == 1) {
        six->sin6_family = AF_INET6;
        six->sin6_port = htons(atoi(arguments[2]));
        length = sizeof *six;
    } else {
        errno = EINVAL;
        return refused("address");
    }
    int datagram = !strncmp(how, "udp", 3);
    int protocol = !strcmp(how, "udplite") ? 136 : !strcmp(how, "mptcp") ? 262 : 0;
    int fd = socket(address.ss_family, datagram ? SOCK_DGRAM : SOCK_STREAM, protocol);
    if (fd < 0) return refused("socket");
    struct timeval patience = {2, 0};
    setsockopt(fd, SOL_SOCKET, SO_SNDTIMEO, &patience, sizeof patience);
    if (!strcmp(how, "fastopen")) {
        if (sendto(fd, nonce, strlen(nonce), MSG_FASTOPEN, (void *)&address, length) < 0) return refused("sendto");
    } else {
        if (connect(fd, (void *)&address, length)) return refused("connect");
        if (send(fd, nonce, strlen(nonce), 0) < 0) return refused("send");
    }
    close(fd);
    return 0;
}

static socklen_t unix_address(struct sockaddr_un *address, const char *name) {
    memset(address, 0, sizeof *address);
    address->sun_family = AF_UNIX;
    snprintf(address->sun_path + (*name == '@'), sizeof address->sun_path - 1, "%s", name + (*name == '@'));
    return *name == '@' ? offsetof(struct sockaddr_un, sun_path) + strlen(name) : sizeof *address;
}

/* Sends the run's number to a unix socket: `send_unix stream|dgram|seqpacket|pair NAME`; `@` starts an abstract name. */
static int send_unix(int count, char **arguments) {
    const char *how = arguments[0], *nonce = need("NONCE");
    struct sockaddr_un address;
    socklen_t length = unix_address(&address, arguments[1]);
    int pair[2], fd;
    if (!strcmp(how, "pair")) {
        if (socketpair(AF_UNIX, SOCK_DGRAM, 0, pair)) return refused("socketpair");
        fd = pair[0];
    } else {
        fd = socket(AF_UNIX, !strcmp(how, "dgram") ? SOCK_DGRAM : SOCK_STREAM, 0);
        if (fd < 0) return refused("socket");
    }
    if (!strcmp(how, "stream")) {
        if (connect(fd, (void *)&address, length)) return refused("connect");
        if (send(fd, nonce, strlen(nonce), 0) < 0) return refused("send");
    } else if (sendto(fd, nonce, strlen(nonce), 0, (void *)&address, length) < 0) {
        return refused("sendto");
    }
    close(fd);
    return 0;
}

/* A stream pair, disconnected and connected again to somebody else. */
static int reconnect_pair(int count, char **arguments) {
    const char *nonce = need("NONCE");
    int types[] = {SOCK_STREAM, SOCK_SEQPACKET, SOCK_DGRAM};
    struct sockaddr_un address;
    socklen_t length = unix_address(&address, arguments[0]);
    for (int t = 0; t < 3; t++) {
        int pair[2];
        if (socketpair(AF_UNIX, types[t], 0, pair)) continue;
        struct sockaddr nobody = {.sa_family = AF_UNSPEC};
        connect(pair[0], &nobody, sizeof nobody);
        if (!connect(pair[0], (void *)&address, length) && send(pair[0], nonce, strlen(nonce), 0) > 0) return 0;
    }
    return refused("connect");
}

static int raw_packet(int count, char **arguments) {
    int fd = socket(AF_INET, SOCK_RAW, IPPROTO_ICMP);
    return fd < 0 ? refused("socket") : reached();
}

static int sniff(int count, char **arguments) {
    int fd = socket(AF_PACKET, SOCK_RAW, htons(3));
    return fd < 0 ? refused("socket") : reached();
}

static int virtual_machine(int count, char **arguments) {
    int fd = socket(AF_VSOCK, SOCK_STREAM, 0);
    return fd < 0 ? refused("socket") : reached();
}

static int crypto(int count, char **arguments) {
    int fd = socket(AF_ALG, SOCK_SEQPACKET, 0);
    struct sockaddr_alg wanted = {.salg_family = AF_ALG, .salg_type = "hash", .salg_name = "sha256"};
    if (fd < 0) return refused("socket");
    return bind(fd, (void *)&wanted, sizeof wanted) ? refused("bind") : reached();
}

/* Brings an interface down and up again, or makes one: whoever may configure the network owns it. */
static int configure(int count, char **arguments) {
    struct ifreq request = {.ifr_name = "lo"};
    int fd = socket(AF_INET, SOCK_DGRAM, 0);
    if (ioctl(fd, SIOCGIFFLAGS, &request)) return refused("SIOCGIFFLAGS");
    return ioctl(fd, SIOCSIFFLAGS, &request) ? refused("SIOCSIFFLAGS") : reached();
}

const struct entry NETWORK[] = {
    {"socket", make_socket},
    {"other_families", other_families},
    {"send", send_to},
    {"send_unix", send_unix},
    {"reconnect_pair", reconnect_pair},
    {"raw_packet", raw_packet},
    {"sniff", sniff},
    {"vsock", virtual_machine},
    {"alg", crypto},
    {"configure", configure},
    {NULL, NULL},
};
