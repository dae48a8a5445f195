#include "CSystem.h"
#include <fcntl.h>
#include <string.h>
#include <unistd.h>

int catalog_lock(int fd, long long offset, int exclusive, int release) {
  struct flock lock;
  memset(&lock, 0, sizeof lock);
  lock.l_type = release ? F_UNLCK : exclusive ? F_WRLCK : F_RDLCK;
  lock.l_whence = SEEK_SET;
  lock.l_start = offset;
  lock.l_len = 1;
  return fcntl(fd, F_OFD_SETLK, &lock);
}
