#include "CSystem.h"
#include <limits.h>
#ifdef __GLIBC__
#include <malloc.h>
#endif
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/resource.h>
#include <unistd.h>

/* The number after a key at the beginning of a line; -1 if there is none. A null key stands for the first line. */
static long long read_number(const char *path, const char *key) {
  FILE *file = fopen(path, "re");
  if (file == NULL) return -1;
  char line[256];
  long long number = -1;
  while (number < 0 && fgets(line, sizeof line, file) != NULL) {
    const size_t length = key == NULL ? 0 : strlen(key);
    if (length == 0 || strncmp(line, key, length) == 0) {
      char *end;
      number = strtoll(line + length, &end, 10);
      /* "max" is not a number: there is no limit. */
      if (end == line + length) number = -1;
    }
    if (key == NULL) break;
  }
  fclose(file);
  return number;
}

static long long lesser(long long left, long long right) {
  return right >= 0 && (left < 0 || right < left) ? right : left;
}

/* The memory that a control group still allows, including cached files that can be dropped; -1 without a limit. */
static long long left_in_group(const char *folder, const char *limit, const char *usage, const char *cached) {
  char path[PATH_MAX + 64];
  snprintf(path, sizeof path, "%s/%s", folder, limit);
  const long long most = read_number(path, NULL);
  if (most < 0 || most > 1LL << 60) return -1;
  snprintf(path, sizeof path, "%s/%s", folder, usage);
  const long long used = read_number(path, NULL);
  snprintf(path, sizeof path, "%s/memory.stat", folder);
  const long long files = read_number(path, cached);
  if (used < 0) return -1;
  const long long left = most - used + (files > 0 ? files : 0);
  return left < 0 ? 0 : left;
}

/* The memory that the control group of this process and its ancestors allow; -1 without a limit. */
static long long left_in_groups(void) {
  long long least = -1;
  FILE *file = fopen("/proc/self/cgroup", "re");
  if (file == NULL) return -1;
  char line[PATH_MAX];
  while (fgets(line, sizeof line, file) != NULL) {
    line[strcspn(line, "\n")] = 0;
    const int is_second = strncmp(line, "0::", 3) == 0;
    char *group = is_second ? line + 3 : strstr(line, ":memory:");
    if (group == NULL) continue;
    if (!is_second) group += strlen(":memory:");
    for (;;) {
      char folder[PATH_MAX + 32];
      snprintf(folder, sizeof folder, "/sys/fs/cgroup%s%s", is_second ? "" : "/memory", group);
      least = lesser(least, is_second ? left_in_group(folder, "memory.max", "memory.current", "inactive_file ")
                                      : left_in_group(folder, "memory.limit_in_bytes",
                                                      "memory.usage_in_bytes", "total_inactive_file "));
      char *slash = strrchr(group, '/');
      if (slash == NULL) break;
      *slash = 0;
    }
  }
  fclose(file);
  return least;
}

/* What the limit of the address space leaves, without what threads and their heaps reserve there. */
static long long left_in_address_space(void) {
  static const long long reserved = 200LL << 20;
  struct rlimit limit;
  if (getrlimit(RLIMIT_AS, &limit) != 0 || limit.rlim_cur == RLIM_INFINITY) return -1;
  const long long used = read_number("/proc/self/statm", NULL) * sysconf(_SC_PAGESIZE);
  const long long left = (long long)limit.rlim_cur - used - reserved;
  return left < 0 ? 0 : left;
}

long long catalog_available_memory(void) {
  const long long available = read_number("/proc/meminfo", "MemAvailable:");
  const long long swap = read_number("/proc/meminfo", "SwapFree:");
  const long long machine = available < 0 ? -1 : (available + (swap > 0 ? swap : 0)) * 1024;
  return lesser(lesser(machine, left_in_groups()), left_in_address_space());
}

/* Since Linux 5.14; the headers may be older. */
#ifndef MADV_POPULATE_WRITE
#define MADV_POPULATE_WRITE 23
#endif

struct pages {
  uintptr_t start, end;
};

static const size_t pages_part = 4 << 20;

static void provide_part(void *context, size_t worker, size_t part) {
  (void)worker;
  const struct pages *pages = context;
  const uintptr_t start = pages->start + part * pages_part;
  const uintptr_t left = pages->end - start;
  /* Without it the pages are provided when they are used. */
  (void)madvise((void *)start, left < pages_part ? left : pages_part, MADV_POPULATE_WRITE);
}

void catalog_provide(void *start, size_t size, size_t threads) {
  const uintptr_t page = (uintptr_t)sysconf(_SC_PAGESIZE);
  struct pages pages = {.start = ((uintptr_t)start + page - 1) / page * page,
                        .end = ((uintptr_t)start + size) / page * page};
  if (pages.start >= pages.end) return;
  catalog_divide(threads, (pages.end - pages.start + pages_part - 1) / pages_part, provide_part, &pages);
}

void catalog_prepare_heap(void) {
#if defined(__GLIBC__) && defined(MADV_HUGEPAGE)
  static const int step = 32 << 20, largest_in_heap = 32 << 20;
  static const uintptr_t huge_page = 2 << 20;
  mallopt(M_TOP_PAD, step);
  /* What is free beyond this returns to the system. */
  mallopt(M_TRIM_THRESHOLD, 2 * step);
  /* Setting one of these turns off that glibc raises this one itself. */
  mallopt(M_MMAP_THRESHOLD, largest_in_heap);
  /* More than the heap has now, so that it grows; volatile, or else the compiler omits both calls. */
  void *volatile block = malloc(1 << 20);
  free(block);
  const uintptr_t end = (uintptr_t)sbrk(0);
  const uintptr_t start = (end - step + huge_page - 1) / huge_page * huge_page;
  /* Without it, pages are of the usual size. */
  if (block != NULL) (void)madvise((void *)start, end - start, MADV_HUGEPAGE);
#endif
}
