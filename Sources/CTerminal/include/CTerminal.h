#ifndef CATALOG_CTERMINAL_H
#define CATALOG_CTERMINAL_H

#include <stddef.h>
#include <stdint.h>
#include <termios.h>

// Code that must be written in C: signal handlers, and the state that only they and their setters access.

/* The arguments of the process, starting with its own name. They are available even without /proc. */
int cterm_argument_count(void);
const char *cterm_argument(int place);

// Opens /dev/null on those of the descriptors 0 to 2 that are closed, ignores SIGPIPE and SIGXFSZ, and lets
// SIGQUIT end the process unless it is ignored.
void cterm_prepare_process(void);

/* Returns a descriptor that adds up the 8-byte numbers written to it until they are read; -1 on failure. */
int cterm_counter(void);

// Makes INT, TERM and HUP request that the running work stops, unless they are ignored. The second signal, of any of
// them, ends the process.
void cterm_stops_catch(void);
// Gives them their default action again.
void cterm_stops_release(void);
// The last signal that requested to stop; 0 for none.
int cterm_stop_signal(void);
// Forgets the request.
void cterm_stop_forget(void);

// Makes INT TERM HUP QUIT TSTP CONT WINCH write their number, one byte, into a pipe. Returns the end to
// read, which never blocks, or -1 with errno set. Installing twice is harmless.
//
// The second signal that ends the program leaves it a second, whatever it does. So does the end of its guard.
int cterm_signals_install(void);
// From now on, the next signal is the second one.
void cterm_begin_ending(void);
// Restores the former actions of the signals.
void cterm_signals_uninstall(void);
// Sets the action of one signal: the default (0), ignored (1) or the pipe (2).
void cterm_signal_set(int signal, int action);

// Arms the restore: from now on a crash or exit writes `bytes` to `fd` and restores its modes. If standard
// error is the same terminal, its output is held back and written after the restore. A crash then ends the
// process by its signal, after Swift's backtrace if SWIFT_BACKTRACE is set. Copies its arguments. Returns 0,
// or -1 if there are too many bytes.
int cterm_restore_arm(int fd, const char *bytes, size_t count, const struct termios *modes);
// Disarms the restore after the terminal has been restored: a crash or exit no longer changes it, and output
// to standard error is no longer held back.
void cterm_restore_disarm(void);

// Forks: the body runs in the child and must end it, and this process becomes its guard. If the child ends without
// restoring the terminal, even by SIGKILL, the guard restores it and exits in the same way as the child. Call
// it before the process has other threads, open files or locks. Returns -1 if there can be no other process.
//
// The body runs on a new thread, which is the main thread of the child. The runtime of Swift keeps the number of each
// thread in the memory of the thread, and locks that two threads want at once need it (futex(2), FUTEX_LOCK_PI). The
// first thread of this process would take its number into the child, where it is that of no thread, and there such a
// lock would never be released.
int cterm_guard(void (*body)(void *), void *context);

// Stops the process as Control-Z does, together with the rest of its job if that is in the foreground of
// terminal `fd`. Returns when the process is continued.
void cterm_stop(int fd);
// Ends the process by `signal` with the default action, so that its parent can see the signal.
void cterm_die(int signal) __attribute__((noreturn));

// Returns 1 and the size of terminal `fd`, else 0.
int cterm_window_size(int fd, int *columns, int *rows);
// Writes everything to `fd` and waits where necessary. Returns 0, or -1 with errno set.
int cterm_write_all(int fd, const char *bytes, size_t count);
// Returns the width of a scalar in cells, as the C library defines it; -1 if it is not printable.
int cterm_width(uint32_t scalar);
// Sets the character set from the environment. Returns 1 if it is UTF-8.
int cterm_use_locale(const char *name);

#endif
