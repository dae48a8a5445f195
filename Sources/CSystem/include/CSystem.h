#ifndef CATALOG_CSYSTEM_H
#define CATALOG_CSYSTEM_H
#include <stddef.h>
#include <stdint.h>

/* System calls that Swift's Glibc module does not export, threads that divide work, and searches that compare
   many bytes at once. Unless stated otherwise, a function that returns int returns -1 and sets errno on failure,
   as system calls do. */

/* Takes (or releases) an open file description lock on one byte, without waiting. */
int catalog_lock(int fd, long long offset, int exclusive, int release);

/* Renames within a directory and fails with EEXIST if the new name exists. */
int catalog_rename_new(int directory, const char *from, const char *to);

/* Copies user attributes, access control list and security label; returns the number of those that
   could not be copied. */
int catalog_copy_attributes(int from, int to);

/* Returns 1 if the file is on a network file system or a FUSE file system, 0 if not. */
int catalog_is_network(int fd);

/* Fills in unpredictable random bits. */
int catalog_random(uint64_t *value);

/* The system's description of an error number. Never null; valid as long as the process; safe to call
   from any thread. */
const char *catalog_error_text(int code);

/* Allocates `size` bytes, in huge pages if the system supports them; release with free(). */
void *catalog_allocate(size_t size);

/* Calls the function on another thread, an idle or a new one, so that it never waits for other work. These
   threads block signals from outside. Returns 0, or an error number if no thread can be started. */
int catalog_detach(void (*function)(void *), void *argument);

/* One part of divided work. Worker 0 is the calling thread. */
typedef void (*catalog_part)(void *context, size_t worker, size_t part);

/* Calls the function once for each of `count` parts, on the calling thread and up to `threads - 1` others, and returns
   when all calls have returned. If no thread can be started, the calling thread does everything. */
void catalog_divide(size_t threads, size_t count, catalog_part function, void *context);

/* Has the system provide the memory of the pages that lie entirely in these bytes now, on up to `threads` threads, instead
   of at the first use of each page. Their contents stay. Does nothing where the system cannot (Linux before 5.14). */
void catalog_provide(void *start, size_t size, size_t threads);

/* Lets the heap grow in large steps, the first one in huge pages if the system supports them, so that new memory takes
   fewer page faults. Call it once, before the process needs much memory. Does nothing without glibc. */
void catalog_prepare_heap(void);

/* A pattern to find. To ignore the case of ASCII letters, its bytes must be in lower case. A search looks first at the
   bytes at two offsets, which should be rare in the text. */
struct catalog_pattern {
  const unsigned char *bytes;
  size_t count;
  size_t first, second;
  int ignores_case;
};

/* Returns the first place in text[from..<to] where the pattern, which is not empty, occurs; SIZE_MAX if there is none. */
size_t catalog_find(const struct catalog_pattern *pattern, const unsigned char *text, size_t from, size_t to);

/* Returns the first place of a byte that is not ASCII in text[from..<to]; SIZE_MAX if there is none. */
size_t catalog_find_beyond_ascii(const unsigned char *text, size_t from, size_t to);

/* Returns the memory in bytes that this process can still get, including swap, within the limits of the machine, the
   process and its control groups; -1 if unknown. */
long long catalog_available_memory(void);

/* Error numbers, for code that does not import the C library. */
extern const int catalog_eperm, catalog_enoent, catalog_eintr, catalog_eio, catalog_ebadf,
    catalog_eagain, catalog_enomem, catalog_eacces, catalog_eexist, catalog_exdev,
    catalog_enotdir, catalog_eisdir, catalog_einval, catalog_emfile, catalog_efbig,
    catalog_enospc, catalog_erofs, catalog_eloop, catalog_enosys, catalog_edquot,
    catalog_enotsup;
#endif
