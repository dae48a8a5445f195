#ifndef CATALOG_CSYSTEM_H
#define CATALOG_CSYSTEM_H
/* What the Glibc module of Swift does not export; see CSystem.c. */
int catalog_lock(int fd, long long offset, int exclusive, int release);
#endif
