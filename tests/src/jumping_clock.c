/* Loaded before the C library, for clocks that are set: what the time is is that of the machine and
   so many seconds more as the file JUMPS holds, eight bytes in the machine's order. Clocks that only
   go forward stay as they are. */
#define _GNU_SOURCE
#include <dlfcn.h>
#include <fcntl.h>
#include <stdint.h>
#include <stdlib.h>
#include <sys/mman.h>
#include <time.h>
#include <unistd.h>

static const volatile int64_t *jump;

__attribute__((constructor)) static void begin(void) {
  const char *name = getenv("JUMPS");
  int file = name ? open(name, O_RDONLY | O_CLOEXEC) : -1;
  if (file < 0) return;
  void *at = mmap(NULL, sizeof *jump, PROT_READ, MAP_SHARED, file, 0);
  if (at != MAP_FAILED) jump = at;
  close(file);
}

int clock_gettime(clockid_t clock, struct timespec *time) {
  static __typeof__(&clock_gettime) real;
  if (!real) real = (__typeof__(&clock_gettime))dlsym(RTLD_NEXT, "clock_gettime");
  int said = real(clock, time);
  if (said == 0 && jump && (clock == CLOCK_REALTIME || clock == CLOCK_REALTIME_COARSE))
    time->tv_sec += *jump;
  return said;
}
