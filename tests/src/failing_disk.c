/* Loaded before the C library, for disks that fail.

   One sync of a file whose name holds FAIL_FILE fails with EIO, the one numbered FAIL_AT; those
   after it succeed. So Linux behaves when it could not write a page back: it says so once, and
   forgets the page.

   As long as the file FULL_WHILE is there, nothing is written to files below FULL_FOLDER: the
   disk is full. */
#define _GNU_SOURCE
#include <dlfcn.h>
#include <errno.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/uio.h>
#include <unistd.h>

static atomic_int count;

static int named(int file, char *name, size_t room) {
  char link[64];
  snprintf(link, sizeof link, "/proc/self/fd/%d", file);
  ssize_t length = readlink(link, name, room - 1);
  if (length < 0) return 0;
  name[length] = 0;
  return 1;
}

static int fails(int file) {
  char name[4096];
  const char *wanted = getenv("FAIL_FILE"), *at = getenv("FAIL_AT");
  if (!wanted || !at || !named(file, name, sizeof name)) return 0;
  return strstr(name, wanted) && atomic_fetch_add(&count, 1) + 1 == atoi(at);
}

static int full(int file) {
  char name[4096];
  const char *sign = getenv("FULL_WHILE"), *folder = getenv("FULL_FOLDER");
  if (!sign || !folder || access(sign, F_OK) != 0) return 0;
  if (!named(file, name, sizeof name)) return 0;
  return strncmp(name, folder, strlen(folder)) == 0;
}

#define NEXT(name) ((__typeof__(&name))dlsym(RTLD_NEXT, #name))
#define REFUSE_IF(condition, why) \
  do {                            \
    if (condition) {              \
      errno = why;                \
      return -1;                  \
    }                             \
  } while (0)

int fdatasync(int file) {
  REFUSE_IF(fails(file), EIO);
  return NEXT(fdatasync)(file);
}

int fsync(int file) {
  REFUSE_IF(fails(file), EIO);
  return NEXT(fsync)(file);
}

ssize_t write(int file, const void *bytes, size_t length) {
  REFUSE_IF(full(file), ENOSPC);
  return NEXT(write)(file, bytes, length);
}

ssize_t writev(int file, const struct iovec *parts, int many) {
  REFUSE_IF(full(file), ENOSPC);
  return NEXT(writev)(file, parts, many);
}

ssize_t pwrite(int file, const void *bytes, size_t length, off_t at) {
  REFUSE_IF(full(file), ENOSPC);
  return NEXT(pwrite)(file, bytes, length, at);
}

ssize_t pwrite64(int file, const void *bytes, size_t length, off64_t at) {
  REFUSE_IF(full(file), ENOSPC);
  return NEXT(pwrite64)(file, bytes, length, at);
}
