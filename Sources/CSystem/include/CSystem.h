#ifndef CATALOG_CSYSTEM_H
#define CATALOG_CSYSTEM_H
#include <stddef.h>
#include <stdint.h>

/* What the Glibc module of Swift does not export. Every function that returns int
   returns -1 and sets errno on failure, as the system calls do. */

/* Takes (or releases) an open file description lock on one byte, without waiting. */
int catalog_lock(int fd, long long offset, int exclusive, int release);

/* Renames within a directory and fails with EEXIST if the new name exists. */
int catalog_rename_new(int directory, const char *from, const char *to);

/* Copies user attributes, access control list and security label; returns how many could not
   be copied. */
int catalog_copy_attributes(int from, int to);

/* 1 if the file lies on a network file system or one of a user's program, 0 if not. */
int catalog_is_network(int fd);

/* Fills in random bits nobody can guess. */
int catalog_random(uint64_t *value);

/* The system's words for an error number, never null, valid for ever, safe from any thread. */
const char *catalog_error_text(int code);

/* Memory for `size` bytes, in huge pages where the system has them; free with free(). */
void *catalog_allocate(size_t size);

/* Calls the function on another thread, one that waits for work or a new one; never behind other work.
   Signals from outside are not for these threads. Returns 0, or an error number when no thread can be had. */
int catalog_detach(void (*function)(void *), void *argument);

/* Error numbers, for code that does not import the C library. */
extern const int catalog_eperm, catalog_enoent, catalog_eintr, catalog_eio, catalog_ebadf,
    catalog_eagain, catalog_enomem, catalog_eacces, catalog_eexist, catalog_exdev,
    catalog_enotdir, catalog_eisdir, catalog_einval, catalog_emfile, catalog_efbig,
    catalog_enospc, catalog_erofs, catalog_eloop, catalog_enosys, catalog_enametoolong,
    catalog_edquot, catalog_enxio, catalog_enotsup;
#endif
