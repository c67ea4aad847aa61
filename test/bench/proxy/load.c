/*
 * Clients and backends for measuring a TLS passthrough proxy, in one process so that both fit on one core: a proxy that
 * needs 10 us per message is not to be measured with a generator that needs 30.
 *
 *   load MODE TARGET PORT LISTEN PORT SECONDS CONNECTIONS HELLO-FILE
 *
 *   connect         open a connection, send the ClientHello, wait for the backend's first byte, close, again
 *   echo            100-byte messages to and fro, one under way per connection
 *   download        the backend sends as fast as it can
 *   upload          the client sends as fast as it can
 *   slow-download, slow-upload   the same with a reader that takes 16 KiB now and then
 *
 * What travels is a pattern whose period is a prime number. Each connection starts at its own place in it, told to the
 * backend in the random field of the ClientHello, and every byte is compared on arrival: bytes that are lost, repeated,
 * swapped or taken from another connection cannot go unnoticed.
 */
#define _GNU_SOURCE
#include <arpa/inet.h>
#include <errno.h>
#include <fcntl.h>
#include <netinet/tcp.h>
#include <signal.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/epoll.h>
#include <sys/socket.h>
#include <time.h>
#include <unistd.h>

enum { PERIOD = 262147, CHUNK = 256 * 1024, MESSAGE = 100, MAX_HELLO = 16384, PHASE_OFFSET = 11 };
enum { SLOW_CHUNK = 16 * 1024, SLOW_TICK_MS = 5, TURNS = 4, MAX_FAILURES = 100 };

enum state { CONNECTING, SENDING_HELLO, AWAITING_READY, READING_HELLO, RUNNING };

struct connection {
  int fd;
  int is_client;
  enum state state;
  size_t hello_done;
  size_t phase; /* place in the pattern of the next byte */
  size_t message_done;
  unsigned char *hello; /* of a backend's connection, until it is complete */
  struct connection *next_slow;
};

static enum { CONNECT, ECHO_, DOWNLOAD, UPLOAD } mode;
static int slow, epoll_fd, stopping;
static unsigned char pattern[PERIOD + CHUNK], hello[MAX_HELLO], buffer[CHUNK];
static size_t hello_size;
static struct sockaddr_in target;
static struct connection *slow_readers;
static uint64_t operations, bytes, wrong, failures;
static uint32_t next_phase;

static void die(const char *what)
{
  fprintf(stderr, "load: %s: %s\n", what, strerror(errno));
  exit(1);
}

static double now(void)
{
  struct timespec at;
  clock_gettime(CLOCK_MONOTONIC, &at);
  return (double)at.tv_sec + (double)at.tv_nsec / 1e9;
}

static void watch(struct connection *c, int operation, uint32_t events)
{
  struct epoll_event event = {.events = events, .data.ptr = c};
  if (epoll_ctl(epoll_fd, operation, c->fd, &event) < 0) die("epoll_ctl");
}

static struct connection *add(int fd, int is_client, uint32_t events)
{
  struct connection *c = calloc(1, sizeof *c);
  int yes = 1;
  if (!c) die("calloc");
  setsockopt(fd, IPPROTO_TCP, TCP_NODELAY, &yes, sizeof yes);
  c->fd = fd;
  c->is_client = is_client;
  c->state = is_client ? CONNECTING : READING_HELLO;
  watch(c, EPOLL_CTL_ADD, events);
  return c;
}

static void open_client(void)
{
  int fd = socket(AF_INET, SOCK_STREAM | SOCK_NONBLOCK, 0);
  if (fd < 0) die("socket");
  if (connect(fd, (struct sockaddr *)&target, sizeof target) < 0 && errno != EINPROGRESS) die("connect");
  struct connection *c = add(fd, 1, EPOLLOUT);
  c->phase = next_phase = (next_phase + 104729) % PERIOD;
}

static void finish(struct connection *c)
{
  for (struct connection **p = &slow_readers; *p; p = &(*p)->next_slow)
    if (*p == c) {
      *p = c->next_slow;
      break;
    }
  close(c->fd);
  free(c->hello);
  free(c);
}

/* A client that ends unexpectedly is a failure and is replaced; a backend's connection ends when its client does. */
static void lose(struct connection *c)
{
  int is_client = c->is_client;
  finish(c);
  if (!is_client) return;
  if (++failures > MAX_FAILURES) stopping = 1;
  else open_client();
}

static int is_broken(ssize_t n) { return n == 0 || (n < 0 && errno != EAGAIN && errno != EINTR); }

static size_t check(struct connection *c, const unsigned char *data, size_t size)
{
  if (memcmp(data, pattern + c->phase, size) != 0)
    for (size_t i = 0; i < size; i++) wrong += data[i] != pattern[c->phase + i];
  c->phase = (c->phase + size) % PERIOD;
  return size;
}

/* Takes what has arrived and compares it; 0 if the connection has ended. */
static int take(struct connection *c)
{
  for (int turn = 0; turn < TURNS; turn++) {
    ssize_t n = read(c->fd, buffer, slow ? SLOW_CHUNK : CHUNK);
    if (is_broken(n)) return 0;
    if (n < 0) return 1;
    bytes += check(c, buffer, (size_t)n);
    operations++;
    if (slow) return 1;
  }
  return 1;
}

static int give(struct connection *c)
{
  for (int turn = 0; turn < TURNS; turn++) {
    ssize_t n = write(c->fd, pattern + c->phase, CHUNK);
    if (is_broken(n)) return 0;
    if (n < 0) return 1;
    c->phase = (c->phase + (size_t)n) % PERIOD;
  }
  return 1;
}

static int send_message(struct connection *c)
{
  return write(c->fd, pattern + c->phase, MESSAGE) == MESSAGE;
}

static int client_echo(struct connection *c)
{
  ssize_t n = read(c->fd, buffer, MESSAGE - c->message_done);
  if (is_broken(n)) return 0;
  if (n < 0) return 1;
  check(c, buffer, (size_t)n);
  c->message_done += (size_t)n;
  if (c->message_done < MESSAGE) return 1;
  c->message_done = 0;
  operations++;
  bytes += MESSAGE;
  return send_message(c);
}

static int server_echo(struct connection *c)
{
  ssize_t n = read(c->fd, buffer, CHUNK);
  if (is_broken(n)) return 0;
  if (n < 0) return 1;
  return write(c->fd, buffer, (size_t)n) == n;
}

/* The handshake is over: whoever reads waits for data, whoever writes for room. */
static int run(struct connection *c)
{
  int reads = mode == ECHO_ || mode == CONNECT || (mode == DOWNLOAD) == c->is_client;
  c->state = RUNNING;
  if (reads && slow) {
    watch(c, EPOLL_CTL_MOD, 0);
    c->next_slow = slow_readers;
    slow_readers = c;
    return 1;
  }
  watch(c, EPOLL_CTL_MOD, reads ? EPOLLIN : EPOLLOUT);
  return c->is_client && mode == ECHO_ ? send_message(c) : 1;
}

static int send_hello(struct connection *c)
{
  unsigned char own[MAX_HELLO];
  uint32_t phase = htonl((uint32_t)c->phase);
  memcpy(own, hello, hello_size);
  memcpy(own + PHASE_OFFSET, &phase, sizeof phase);
  ssize_t n = write(c->fd, own + c->hello_done, hello_size - c->hello_done);
  if (is_broken(n)) return 0;
  c->hello_done += n > 0 ? (size_t)n : 0;
  if (c->hello_done < hello_size) return 1;
  c->state = AWAITING_READY;
  watch(c, EPOLL_CTL_MOD, EPOLLIN);
  return 1;
}

static int await_ready(struct connection *c)
{
  ssize_t n = read(c->fd, buffer, 1);
  if (is_broken(n)) return 0;
  if (n < 0) return 1;
  if (mode != CONNECT) return run(c);
  operations++;
  finish(c);
  if (!stopping) open_client();
  return 1;
}

/* The hello must arrive as it was sent. */
static int read_hello(struct connection *c)
{
  if (!c->hello && !(c->hello = malloc(MAX_HELLO))) die("malloc");
  ssize_t n = read(c->fd, c->hello + c->hello_done, hello_size - c->hello_done);
  if (is_broken(n)) return 0;
  c->hello_done += n > 0 ? (size_t)n : 0;
  if (c->hello_done < hello_size) return 1;
  uint32_t phase;
  memcpy(&phase, c->hello + PHASE_OFFSET, sizeof phase);
  c->phase = ntohl(phase) % PERIOD;
  memcpy(c->hello + PHASE_OFFSET, hello + PHASE_OFFSET, sizeof phase);
  wrong += memcmp(c->hello, hello, hello_size) != 0;
  free(c->hello);
  c->hello = NULL;
  return write(c->fd, "k", 1) == 1 && run(c);
}

static int step(struct connection *c)
{
  switch (c->state) {
  case CONNECTING: {
    int error = 0;
    socklen_t size = sizeof error;
    getsockopt(c->fd, SOL_SOCKET, SO_ERROR, &error, &size);
    if (error) return 0;
    c->state = SENDING_HELLO;
    return send_hello(c);
  }
  case SENDING_HELLO:
    return send_hello(c);
  case AWAITING_READY:
    return await_ready(c);
  case READING_HELLO:
    return read_hello(c);
  case RUNNING:
    if (mode == ECHO_) return c->is_client ? client_echo(c) : server_echo(c);
    if (mode == CONNECT) return !is_broken(read(c->fd, buffer, CHUNK));
    return (mode == DOWNLOAD) == c->is_client ? take(c) : give(c);
  }
  return 0;
}

static void accept_all(int listener)
{
  for (;;) {
    int fd = accept4(listener, NULL, NULL, SOCK_NONBLOCK);
    if (fd < 0) return;
    add(fd, 0, EPOLLIN);
  }
}

static struct sockaddr_in parse_address(const char *host, const char *port)
{
  struct sockaddr_in address = {.sin_family = AF_INET, .sin_port = htons((uint16_t)atoi(port))};
  if (inet_pton(AF_INET, host, &address.sin_addr) != 1) die(host);
  return address;
}

static void serve_until(double deadline, int listener)
{
  struct epoll_event events[256];
  double next_tick = 0;
  while (!stopping && now() < deadline) {
    int count = epoll_wait(epoll_fd, events, 256, slow ? SLOW_TICK_MS : 50);
    for (int i = 0; i < count; i++) {
      struct connection *c = events[i].data.ptr;
      if (!c) accept_all(listener);
      else if (!step(c)) lose(c);
    }
    if (!slow || now() < next_tick) continue;
    next_tick = now() + SLOW_TICK_MS / 1e3;
    for (struct connection *c = slow_readers, *next; c; c = next) {
      next = c->next_slow;
      if (!take(c)) lose(c);
    }
  }
}

int main(int argc, char **argv)
{
  const char *names[] = {"connect", "echo", "download", "upload"};
  if (argc != 9) {
    fprintf(stderr, "usage: load MODE TARGET PORT LISTEN PORT SECONDS CONNECTIONS HELLO-FILE\n");
    return 2;
  }
  signal(SIGPIPE, SIG_IGN);
  slow = strncmp(argv[1], "slow-", 5) == 0;
  for (int i = 0; i < 4; i++)
    if (strcmp(argv[1] + (slow ? 5 : 0), names[i]) == 0) mode = i;
  FILE *file = fopen(argv[8], "rb");
  if (!file) die(argv[8]);
  hello_size = fread(hello, 1, sizeof hello, file);
  srandom(1);
  for (int i = 0; i < PERIOD; i++) pattern[i] = (unsigned char)(random() >> 8);
  memcpy(pattern + PERIOD, pattern, CHUNK);

  target = parse_address(argv[2], argv[3]);
  struct sockaddr_in own = parse_address(argv[4], argv[5]);
  int yes = 1, listener = socket(AF_INET, SOCK_STREAM | SOCK_NONBLOCK, 0);
  setsockopt(listener, SOL_SOCKET, SO_REUSEADDR, &yes, sizeof yes);
  if (bind(listener, (struct sockaddr *)&own, sizeof own) < 0 || listen(listener, 4096) < 0) die("listen");
  epoll_fd = epoll_create1(0);
  struct epoll_event event = {.events = EPOLLIN, .data.ptr = NULL};
  if (epoll_ctl(epoll_fd, EPOLL_CTL_ADD, listener, &event) < 0) die("epoll_ctl");

  double started = now();
  for (int i = atoi(argv[7]); i > 0; i--) open_client();
  serve_until(started + atof(argv[6]), listener);
  printf("{\"operations\":%llu,\"bytes\":%llu,\"wrong\":%llu,\"failures\":%llu,\"seconds\":%.6f}\n",
         (unsigned long long)operations, (unsigned long long)bytes, (unsigned long long)wrong,
         (unsigned long long)failures, now() - started);
  return 0;
}
