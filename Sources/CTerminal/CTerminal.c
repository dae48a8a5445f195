#include "CTerminal.h"

#include <errno.h>
#include <fcntl.h>
#include <langinfo.h>
#include <locale.h>
#include <poll.h>
#include <pthread.h>
#include <signal.h>
#include <stdatomic.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>
#include <sys/eventfd.h>
#include <sys/ioctl.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <sys/time.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>
#include <wchar.h>

// MARK: Start

static int argument_count;
static char **argument_values;

/* The C library passes the arguments of main to constructors, too. Swift reads them from /proc instead, and
   reports none if /proc cannot be read. */
__attribute__((constructor)) static void keep_arguments(int count, char **values) {
  argument_count = count;
  argument_values = values;
}

int cterm_argument_count(void) { return argument_count; }

const char *cterm_argument(int place) { return argument_values[place]; }

void cterm_prepare_process(void) {
  for (int fd = 0; fd <= 2; fd++) {
    if (fcntl(fd, F_GETFD) == -1 && errno == EBADF) {
      // open() returns the lowest free descriptor, which is the closed one. The opposite access mode makes
      // reading and writing fail as they would on a closed descriptor.
      int opened = open("/dev/null", fd == 0 ? O_WRONLY : O_RDONLY);
      if (opened > 2) close(opened);
    }
  }
  signal(SIGPIPE, SIG_IGN);
  signal(SIGXFSZ, SIG_IGN);
  // Swift's runtime reports SIGQUIT as a crash and asks questions on the terminal, but users quit with it.
  struct sigaction quit;
  if (sigaction(SIGQUIT, NULL, &quit) == 0 && quit.sa_handler != SIG_IGN) signal(SIGQUIT, SIG_DFL);
}

static void set_action(int signal, void (*handler)(int)) {
  struct sigaction action;
  memset(&action, 0, sizeof action);
  action.sa_handler = handler;
  action.sa_flags = SA_RESTART;
  sigemptyset(&action.sa_mask);
  sigaction(signal, &action, NULL);
}

// MARK: Requests to stop

static const int stops[] = {SIGINT, SIGTERM, SIGHUP};
enum { stop_count = sizeof stops / sizeof stops[0] };
static atomic_int stop_signal = 0;

static void note_stop(int signal) {
  // The second signal ends the process, whichever of them it is.
  if (atomic_exchange(&stop_signal, signal) != 0) cterm_die(signal);
}

void cterm_stops_catch(void) {
  for (int i = 0; i < stop_count; i++) {
    struct sigaction action;
    // A signal that the parent made this process ignore stays ignored.
    if (sigaction(stops[i], NULL, &action) != 0 || action.sa_handler != SIG_DFL) continue;
    memset(&action, 0, sizeof action);
    action.sa_handler = note_stop;
    // No call is repeated after the first signal.
    sigemptyset(&action.sa_mask);
    sigaction(stops[i], &action, NULL);
  }
}

void cterm_stops_release(void) {
  for (int i = 0; i < stop_count; i++) {
    struct sigaction action;
    if (sigaction(stops[i], NULL, &action) == 0 && action.sa_handler == note_stop) set_action(stops[i], SIG_DFL);
  }
}

int cterm_stop_signal(void) { return atomic_load(&stop_signal); }

void cterm_stop_forget(void) { atomic_store(&stop_signal, 0); }

// MARK: Signals through a pipe

static const int piped[] = {SIGINT, SIGTERM, SIGHUP, SIGQUIT, SIGTSTP, SIGCONT, SIGWINCH};
enum { piped_count = sizeof piped / sizeof piped[0] };
static struct sigaction before[piped_count];
static int pipe_ends[2] = {-1, -1};
static int installed = 0;

// Nonzero once the program should end.
static atomic_int is_ending = 0;
// The guard of this process; 0 without one.
static pid_t guard_process = 0;
// How long the program may take to end after the second signal, or without its guard.
static const struct itimerval last_moment = {.it_value = {.tv_sec = 1}};
static volatile sig_atomic_t last_signal = SIGTERM;

static void end_now(int signal) {
  (void)signal;
  cterm_die(last_signal);
}

// Ends the process soon if it does not end by itself, whatever it waits for.
//
// One closed terminal sends several signals: those of the kernel, the shell and the guard. So the second signal leaves
// a moment to keep unsaved changes.
static void limit_ending(int signal) {
  int ends = signal == SIGTERM || signal == SIGHUP || signal == SIGQUIT;
  if (!ends && signal != SIGINT) return;
  last_signal = signal;
  int was_ending = ends ? atomic_exchange(&is_ending, 1) : atomic_load(&is_ending);
  if (was_ending || (guard_process != 0 && getppid() != guard_process)) setitimer(ITIMER_REAL, &last_moment, NULL);
}

static void write_signal(int signal) {
  int saved = errno;
  limit_ending(signal);
  unsigned char byte = (unsigned char)signal;
  // If the pipe is full, its bytes already wake the reader.
  ssize_t written = write(pipe_ends[1], &byte, 1);
  (void)written;
  errno = saved;
}

static void unblock(int signal) {
  sigset_t set;
  sigemptyset(&set);
  sigaddset(&set, signal);
  sigprocmask(SIG_UNBLOCK, &set, NULL);
}

void cterm_begin_ending(void) { atomic_store(&is_ending, 1); }

int cterm_signals_install(void) {
  if (pipe_ends[0] == -1) {
    int ends[2];
    if (pipe2(ends, O_CLOEXEC | O_NONBLOCK) == -1) return -1;
    pipe_ends[0] = ends[0];
    pipe_ends[1] = ends[1];
  }
  if (!installed) {
    for (int i = 0; i < piped_count; i++) sigaction(piped[i], NULL, &before[i]);
    installed = 1;
  }
  for (int i = 0; i < piped_count; i++) {
    // nohup and similar parents make their children ignore SIGHUP; that must stay so.
    if (piped[i] == SIGHUP && before[i].sa_handler == SIG_IGN) continue;
    set_action(piped[i], write_signal);
  }
  set_action(SIGALRM, end_now);
  return pipe_ends[0];
}

void cterm_signals_uninstall(void) {
  if (!installed) return;
  for (int i = 0; i < piped_count; i++) sigaction(piped[i], &before[i], NULL);
  installed = 0;
}

void cterm_signal_set(int signal, int action) {
  set_action(signal, action == 0 ? SIG_DFL : action == 1 ? SIG_IGN : write_signal);
}

// MARK: Restore

enum { restore_limit = 512, stack_size = 64 * 1024 };
static const int fatal[] = {SIGSEGV, SIGILL, SIGTRAP, SIGBUS, SIGFPE, SIGABRT};
enum { fatal_count = sizeof fatal / sizeof fatal[0] };
static struct sigaction fatal_before[fatal_count];
// If the process has a guard, the two share the page with this structure.
struct restore {
  char bytes[restore_limit];
  size_t count;
  struct termios modes;
  volatile sig_atomic_t fd;
};
static struct restore own_restore = {.fd = -1};
static struct restore *restore = &own_restore;
static char alternate_stack[stack_size];
static int crash_handlers = 0;
static int reports_crashes = 0;
static int exit_handler = 0;

// While the screen is open, output to standard error would damage it or disappear with it. So it goes to a
// file in memory, and from there to the terminal after the screen is closed.
static volatile sig_atomic_t held_errors = -1;
static volatile sig_atomic_t real_errors = -1;

static void hold_errors(int fd) {
  struct stat screen, errors;
  if (held_errors != -1 || !isatty(2) || fstat(fd, &screen) == -1 || fstat(2, &errors) == -1) return;
  // Output to a different terminal or a file does no harm.
  if (screen.st_rdev != errors.st_rdev) return;
  int real = fcntl(2, F_DUPFD_CLOEXEC, 3);
  int held = memfd_create("errors", MFD_CLOEXEC);
  if (real == -1 || held == -1 || dup2(held, 2) == -1) {
    if (real != -1) close(real);
    if (held != -1) close(held);
    return;
  }
  real_errors = real;
  held_errors = held;
}

// Writes everything. While the terminal accepts no bytes, it waits a tenth of a second at a time, at most
// `waits` times, or without limit if that is -1. Uses only functions that are safe in a signal handler.
static int write_waiting(int fd, const char *bytes, size_t count, int waits) {
  while (count > 0) {
    ssize_t written = write(fd, bytes, count);
    if (written > 0) {
      bytes += written;
      count -= (size_t)written;
    } else if (written == -1 && errno == EAGAIN && waits != 0) {
      struct pollfd waiting = {.fd = fd, .events = POLLOUT};
      poll(&waiting, 1, 100);
      if (waits > 0) waits--;
    } else if (written == 0 || errno != EINTR) {
      return -1;
    }
  }
  return 0;
}

// Replaces control characters by question marks. `before` is the previous byte, across calls.
static void make_harmless(char *bytes, size_t count, unsigned char *before) {
  for (size_t i = 0; i < count; i++) {
    unsigned char byte = (unsigned char)bytes[i];
    int is_control = (byte < 0x20 && byte != '\n' && byte != '\t') || byte == 0x7F;
    // U+0080 to U+009F in UTF-8.
    int is_late_control = *before == 0xC2 && byte >= 0x80 && byte < 0xA0;
    *before = byte;
    if (is_control || is_late_control) bytes[i] = '?';
  }
}

// Restores standard error and writes the held output to it. Uses only functions that are safe in a signal
// handler.
static void release_errors(void) {
  int held = held_errors, real = real_errors;
  if (held == -1) return;
  held_errors = real_errors = -1;
  dup2(real, 2);
  char bytes[1024];
  unsigned char before = 0;
  off_t place = 0;
  ssize_t count;
  while ((count = pread(held, bytes, sizeof bytes, place)) > 0) {
    make_harmless(bytes, (size_t)count, &before);
    write_waiting(2, bytes, (size_t)count, 10);
    place += count;
  }
  close(held);
  close(real);
}

// Uses only functions that are safe in a signal handler.
static void restore_terminal(void) {
  int fd = restore->fd;
  if (fd < 0) return;
  restore->fd = -1;
  struct sigaction ignore;
  memset(&ignore, 0, sizeof ignore);
  ignore.sa_handler = SIG_IGN;
  sigemptyset(&ignore.sa_mask);
  struct sigaction saved;
  // tcsetattr would stop a process in the background.
  sigaction(SIGTTOU, &ignore, &saved);
  // A crash must not wait for a terminal that accepts no bytes.
  int flags = fcntl(fd, F_GETFL);
  if (flags != -1) fcntl(fd, F_SETFL, flags | O_NONBLOCK);
  ssize_t written = write(fd, restore->bytes, restore->count);
  (void)written;
  tcsetattr(fd, TCSANOW, &restore->modes);
  release_errors();
  if (flags != -1) fcntl(fd, F_SETFL, flags);
  sigaction(SIGTTOU, &saved, NULL);
}

// Lets the former handler, which is Swift's backtracer, report a crash of this process.
static void report_crash(const struct sigaction *reporter, int signal, siginfo_t *info, void *context) {
  // A signal from another process means that this one should end; there may be no user to answer questions.
  if (info->si_code <= 0 && info->si_pid != getpid()) return;
  if (!reports_crashes || reporter->sa_handler == SIG_DFL || reporter->sa_handler == SIG_IGN) return;
  int nothing = open("/dev/null", O_RDONLY);
  if (nothing > 0) dup2(nothing, 0);
  if (reporter->sa_flags & SA_SIGINFO) {
    reporter->sa_sigaction(signal, info, context);
  } else {
    reporter->sa_handler(signal);
  }
}

static void crashed(int signal, siginfo_t *info, void *context) {
  restore_terminal();
  struct sigaction reporter;
  memset(&reporter, 0, sizeof reporter);
  for (int i = 0; i < fatal_count; i++) {
    if (fatal[i] == signal) reporter = fatal_before[i];
    // A second crash while the first is being reported ends the process.
    set_action(fatal[i], SIG_DFL);
  }
  report_crash(&reporter, signal, info, context);
  set_action(signal, SIG_DFL);
  unblock(signal);
  raise(signal);
  _exit(128 + signal);
}

static void install_crash_handlers(void) {
  stack_t stack;
  if (sigaltstack(NULL, &stack) == 0 && (stack.ss_flags & SS_DISABLE)) {
    memset(&stack, 0, sizeof stack);
    stack.ss_sp = alternate_stack;
    stack.ss_size = stack_size;
    sigaltstack(&stack, NULL);
  }
  for (int i = 0; i < fatal_count; i++) {
    struct sigaction action;
    memset(&action, 0, sizeof action);
    action.sa_sigaction = crashed;
    action.sa_flags = SA_ONSTACK | SA_SIGINFO;
    sigemptyset(&action.sa_mask);
    sigaction(fatal[i], &action, &fatal_before[i]);
  }
  // A backtrace takes seconds and asks questions, so it is printed only if the user has asked for it.
  reports_crashes = getenv("SWIFT_BACKTRACE") != NULL;
  crash_handlers = 1;
}

int cterm_restore_arm(int fd, const char *bytes, size_t count, const struct termios *modes) {
  if (count > restore_limit) return -1;
  restore->fd = -1;
  memcpy(restore->bytes, bytes, count);
  restore->count = count;
  restore->modes = *modes;
  restore->fd = fd;
  hold_errors(fd);
  if (!crash_handlers) install_crash_handlers();
  if (!exit_handler) {
    exit_handler = 1;
    atexit(restore_terminal);
  }
  return 0;
}

void cterm_restore_disarm(void) {
  restore->fd = -1;
  release_errors();
  if (!crash_handlers) return;
  for (int i = 0; i < fatal_count; i++) sigaction(fatal[i], &fatal_before[i], NULL);
  crash_handlers = 0;
}

// MARK: Stop and end

void cterm_stop(int fd) {
  if (tcgetpgrp(fd) == getpgrp()) {
    // Stop the rest of the job first: a stopped process cannot send signals.
    set_action(SIGTSTP, SIG_IGN);
    kill(0, SIGTSTP);
  }
  set_action(SIGTSTP, SIG_DFL);
  unblock(SIGTSTP);
  raise(SIGTSTP);
  set_action(SIGTSTP, write_signal);
}

void cterm_die(int signal) {
  restore_terminal();
  set_action(signal, SIG_DFL);
  unblock(signal);
  kill(getpid(), signal);
  // Only reached if the default action of the signal does not end a process.
  _exit(128 + signal);
}

// MARK: Guard

static volatile sig_atomic_t guarded = 0;

static void pass_on(int signal) {
  int saved = errno;
  if (guarded > 0) kill(guarded, signal);
  errno = saved;
}

// Waits until the process ends, restores the terminal and exits in the same way.
static void guard(pid_t process) __attribute__((noreturn));
static void guard(pid_t process) {
  int status = 0;
  while (1) {
    pid_t ended = waitpid(process, &status, WUNTRACED);
    if (ended == -1 && errno == EINTR) continue;
    if (ended == -1) _exit(1);
    if (!WIFSTOPPED(status)) break;
    // The shell watches the guard, so the guard must stop when the program stops. A signal to the whole job has
    // stopped the guard as well; then this code runs after the job was continued, and the program is about to
    // continue, too.
    struct timespec moment = {0, 50 * 1000 * 1000};
    nanosleep(&moment, NULL);
    siginfo_t info;
    memset(&info, 0, sizeof info);
    if (waitid(P_PID, (id_t)process, &info, WCONTINUED | WNOHANG) == 0 && info.si_pid == process) {
      continue;
    }
    raise(SIGSTOP);
  }
  restore_terminal();
  if (WIFEXITED(status)) _exit(WEXITSTATUS(status));
  // The program has already dumped core.
  struct rlimit none = {0, 0};
  setrlimit(RLIMIT_CORE, &none);
  cterm_die(WTERMSIG(status));
}

struct guarded {
  void (*body)(void *);
  void *context;
  // The signals that were blocked before.
  sigset_t signals;
};

// Runs on a thread of its own; returns only if there can be no other process.
static void *fork_guarded(void *argument) {
  struct guarded *guarded_body = argument;
  pid_t parent = getpid();
  pid_t process = fork();
  if (process == -1) return NULL;
  if (process == 0) {
    // Without its guard, the program could not report how it ended: it then ends as if its terminal had closed.
    prctl(PR_SET_PDEATHSIG, SIGHUP);
    pthread_sigmask(SIG_SETMASK, &guarded_body->signals, NULL);
    guard_process = parent;
    if (getppid() != parent) raise(SIGHUP);
    guarded_body->body(guarded_body->context);
    abort();
  }
  guarded = process;
  // A crash of the guard has no screen to restore and no report; it ends the program.
  for (int i = 0; i < fatal_count; i++) set_action(fatal[i], SIG_DFL);
  const int passed[] = {SIGINT, SIGTERM, SIGHUP, SIGQUIT, SIGUSR1, SIGUSR2, SIGWINCH};
  for (size_t i = 0; i < sizeof passed / sizeof passed[0]; i++) {
    struct sigaction action;
    sigaction(passed[i], NULL, &action);
    if (action.sa_handler != SIG_IGN) set_action(passed[i], pass_on);
  }
  pthread_sigmask(SIG_SETMASK, &guarded_body->signals, NULL);
  guard(process);
}

int cterm_guard(void (*body)(void *), void *context) {
  struct restore *page = mmap(NULL, sizeof *page, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0);
  if (page == MAP_FAILED) return -1;
  struct restore *own = restore;
  restore = page;
  restore->fd = -1;
  struct guarded guarded_body = {.body = body, .context = context};
  sigset_t all;
  sigfillset(&all);
  pthread_sigmask(SIG_BLOCK, &all, &guarded_body.signals);
  pthread_attr_t attributes;
  pthread_attr_init(&attributes);
  struct rlimit stack;
  const rlim_t usual = 8u << 20;
  if (getrlimit(RLIMIT_STACK, &stack) == 0) {
    int is_usable = stack.rlim_cur != RLIM_INFINITY && stack.rlim_cur > usual;
    pthread_attr_setstacksize(&attributes, is_usable ? stack.rlim_cur : usual);
  }
  pthread_t thread;
  if (pthread_create(&thread, &attributes, fork_guarded, &guarded_body) == 0) pthread_join(thread, NULL);
  pthread_attr_destroy(&attributes);
  pthread_sigmask(SIG_SETMASK, &guarded_body.signals, NULL);
  restore = own;
  munmap(page, sizeof *page);
  return -1;
}

// MARK: Terminal

int cterm_window_size(int fd, int *columns, int *rows) {
  struct winsize size;
  if (ioctl(fd, TIOCGWINSZ, &size) == -1) return 0;
  *columns = size.ws_col;
  *rows = size.ws_row;
  return 1;
}

int cterm_write_all(int fd, const char *bytes, size_t count) {
  return write_waiting(fd, bytes, count, -1);
}

int cterm_width(uint32_t scalar) { return wcwidth((wchar_t)scalar); }

int cterm_use_locale(const char *name) {
  setlocale(LC_CTYPE, name);
  const char *codeset = nl_langinfo(CODESET);
  return strcasecmp(codeset, "UTF-8") == 0 || strcasecmp(codeset, "UTF8") == 0;
}

int cterm_counter(void) { return eventfd(0, EFD_NONBLOCK | EFD_CLOEXEC); }
