/* Loaded before the C library: one sync of a file whose name holds FAIL_FILE fails with
   EIO, the one numbered FAIL_AT; those after it succeed. So Linux behaves when it could
   not write a page back: it says so once, and forgets the page. */
#define _GNU_SOURCE
#include <dlfcn.h>
#include <errno.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

static atomic_int count;

static int fails(int file) {
  char link[64], name[4096];
  const char *wanted = getenv("FAIL_FILE"), *at = getenv("FAIL_AT");
  if (!wanted || !at) return 0;
  snprintf(link, sizeof link, "/proc/self/fd/%d", file);
  ssize_t length = readlink(link, name, sizeof name - 1);
  if (length < 0) return 0;
  name[length] = 0;
  return strstr(name, wanted) && atomic_fetch_add(&count, 1) + 1 == atoi(at);
}

int fdatasync(int file) {
  int (*next)(int) = (int (*)(int))dlsym(RTLD_NEXT, "fdatasync");
  if (!fails(file)) return next(file);
  errno = EIO;
  return -1;
}

int fsync(int file) {
  int (*next)(int) = (int (*)(int))dlsym(RTLD_NEXT, "fsync");
  if (!fails(file)) return next(file);
  errno = EIO;
  return -1;
}
