#include "CSystem.h"
#include <errno.h>
#include <fcntl.h>
#include <pthread.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/random.h>
#include <sys/vfs.h>
#include <sys/xattr.h>
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

int catalog_rename_new(int directory, const char *from, const char *to) {
  return renameat2(directory, from, directory, to, RENAME_NOREPLACE);
}

static int is_kept(const char *name) {
  return strncmp(name, "user.", 5) == 0 || strcmp(name, "system.posix_acl_access") == 0 ||
         strcmp(name, "security.selinux") == 0;
}

static int copy_attribute(int from, int to, const char *name) {
  ssize_t size = fgetxattr(from, name, NULL, 0);
  if (size < 0) return -1;
  char *value = malloc((size_t)size + 1);
  if (!value) return -1;
  size = fgetxattr(from, name, value, (size_t)size);
  int result = size < 0 ? -1 : fsetxattr(to, name, value, (size_t)size, 0);
  free(value);
  return result;
}

int catalog_copy_attributes(int from, int to) {
  ssize_t size = flistxattr(from, NULL, 0);
  /* A file system without attributes has nothing to copy. */
  if (size < 0) return errno == ENOTSUP ? 0 : -1;
  if (size == 0) return 0;
  char *names = malloc((size_t)size);
  if (!names) return -1;
  size = flistxattr(from, names, (size_t)size);
  int failures = size < 0 ? -1 : 0;
  for (ssize_t at = 0; at < size; at += (ssize_t)strlen(names + at) + 1)
    if (is_kept(names + at) && copy_attribute(from, to, names + at) < 0) failures++;
  free(names);
  return failures;
}

int catalog_is_network(int fd) {
  struct statfs status;
  if (fstatfs(fd, &status) < 0) return -1;
  switch ((uint32_t)status.f_type) {
  case 0x6969:     /* NFS */
  case 0x517B:     /* SMB */
  case 0xFF534D42: /* CIFS */
  case 0xFE534D42: /* SMB2 */
  case 0x01021997: /* 9p */
  case 0x00C36400: /* Ceph */
  case 0x5346414F: /* AFS */
  case 0x65735546: /* FUSE: sshfs and others; local ones cannot be distinguished */
    return 1;
  default:
    return 0;
  }
}

int catalog_random(uint64_t *value) {
  /* See getrandom(2): up to 256 bytes are always delivered completely. */
  return getrandom(value, sizeof *value, 0) < 0 ? -1 : 0;
}

const char *catalog_error_text(int code) {
  const char *text = strerrordesc_np(code);
  return text ? text : "unknown error";
}

void *catalog_allocate(size_t size) {
  const size_t huge = 2u << 20;
  if (size < 2 * huge) return malloc(size ? size : 1);
  void *memory = NULL;
  size_t rounded = (size + huge - 1) / huge * huge;
  if (posix_memalign(&memory, huge, rounded) != 0) return NULL;
  /* Without huge pages everything works, only a little slower. */
  madvise(memory, rounded, MADV_HUGEPAGE);
  return memory;
}

/* A pool of idle threads. For every job in the list there is an idle thread that will run it. */
struct job {
  void (*function)(void *);
  void *argument;
  struct job *next;
};
static const int most_idle = 2;
static pthread_mutex_t pool_lock = PTHREAD_MUTEX_INITIALIZER;
static pthread_cond_t pool_wake = PTHREAD_COND_INITIALIZER;
static pthread_once_t pool_once = PTHREAD_ONCE_INIT;
static struct job *pool_jobs;
static int pool_queued, pool_idle;

static void *pool_thread(void *argument) {
  for (struct job *job = argument;;) {
    job->function(job->argument);
    free(job);
    pthread_mutex_lock(&pool_lock);
    if (pool_idle >= most_idle) {
      pthread_mutex_unlock(&pool_lock);
      return NULL;
    }
    pool_idle++;
    while (pool_jobs == NULL) pthread_cond_wait(&pool_wake, &pool_lock);
    job = pool_jobs;
    pool_jobs = job->next;
    pool_queued--;
    pool_idle--;
    pthread_mutex_unlock(&pool_lock);
  }
}

/* A forked process does not inherit the threads. */
static void forget_pool(void) {
  pthread_mutex_init(&pool_lock, NULL);
  pthread_cond_init(&pool_wake, NULL);
  pool_jobs = NULL;
  pool_queued = pool_idle = 0;
}

static void watch_forks(void) { pthread_atfork(NULL, NULL, forget_pool); }

static int start_thread(struct job *job) {
  /* Signals from outside go to the threads of the program; a fault goes to the thread that caused it. */
  static const int faults[] = {SIGSEGV, SIGBUS, SIGILL, SIGFPE, SIGTRAP, SIGABRT};
  sigset_t mask, former;
  sigfillset(&mask);
  for (size_t i = 0; i < sizeof faults / sizeof *faults; i++) sigdelset(&mask, faults[i]);
  pthread_t thread;
  /* The new thread inherits the mask. */
  pthread_sigmask(SIG_SETMASK, &mask, &former);
  int error = pthread_create(&thread, NULL, pool_thread, job);
  pthread_sigmask(SIG_SETMASK, &former, NULL);
  if (error == 0) pthread_detach(thread);
  return error;
}

int catalog_detach(void (*function)(void *), void *argument) {
  pthread_once(&pool_once, watch_forks);
  struct job *job = malloc(sizeof *job);
  if (job == NULL) return ENOMEM;
  *job = (struct job){function, argument, NULL};
  pthread_mutex_lock(&pool_lock);
  int has_thread = pool_queued < pool_idle;
  if (has_thread) {
    job->next = pool_jobs;
    pool_jobs = job;
    pool_queued++;
    pthread_cond_signal(&pool_wake);
  }
  pthread_mutex_unlock(&pool_lock);
  if (has_thread) return 0;
  int error = start_thread(job);
  if (error != 0) free(job);
  return error;
}

const int catalog_eperm = EPERM, catalog_enoent = ENOENT, catalog_eintr = EINTR,
          catalog_eio = EIO, catalog_ebadf = EBADF, catalog_eagain = EAGAIN,
          catalog_enomem = ENOMEM, catalog_eacces = EACCES, catalog_eexist = EEXIST,
          catalog_exdev = EXDEV, catalog_enotdir = ENOTDIR, catalog_eisdir = EISDIR,
          catalog_einval = EINVAL, catalog_emfile = EMFILE, catalog_efbig = EFBIG,
          catalog_enospc = ENOSPC, catalog_erofs = EROFS, catalog_eloop = ELOOP,
          catalog_enosys = ENOSYS, catalog_edquot = EDQUOT, catalog_enotsup = ENOTSUP;
