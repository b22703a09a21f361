/* Runs a command and says what it took: wall nanoseconds, processor microseconds, peak memory in KiB, status.
 *
 *   timer REPORT COMMAND [ARGUMENT]...
 *
 * Of its own memory it has next to none: the peak that wait4(2) reports of a child is never below that of the
 * process that began it, so an interpreter would hide what small programs need. */
#define _GNU_SOURCE
#include <stdio.h>
#include <stdlib.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

static long long nanoseconds(void) {
  struct timespec now;
  clock_gettime(CLOCK_MONOTONIC, &now);
  return now.tv_sec * 1000000000LL + now.tv_nsec;
}

static long long microseconds(struct timeval time) { return time.tv_sec * 1000000LL + time.tv_usec; }

int main(int count, char **words) {
  if (count < 3) return 2;
  long long begin = nanoseconds();
  pid_t child = vfork();
  if (child == 0) {
    execvp(words[2], words + 2);
    _exit(127);
  }
  int status;
  struct rusage usage;
  if (child < 0 || wait4(child, &status, 0, &usage) != child) return 1;
  long long wall = nanoseconds() - begin;
  FILE *report = fopen(words[1], "w");
  if (!report) return 1;
  fprintf(report, "%lld %lld %ld %d\n", wall, microseconds(usage.ru_utime) + microseconds(usage.ru_stime),
          usage.ru_maxrss, WIFEXITED(status) ? WEXITSTATUS(status) : 128 + WTERMSIG(status));
  return fclose(report) ? 1 : 0;
}
