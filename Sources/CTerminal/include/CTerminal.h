#ifndef CATALOG_CTERMINAL_H
#define CATALOG_CTERMINAL_H

#include <stddef.h>
#include <stdint.h>
#include <termios.h>

// What must be C: signal handlers, and the state that only they and their setters touch.

/* The arguments of the process, its own name first, whatever /proc says. */
int cterm_argument_count(void);
const char *cterm_argument(int place);

// Opens /dev/null on closed descriptors 0 to 2, ignores SIGPIPE and SIGXFSZ, and has SIGQUIT end the
// process unless it is ignored.
void cterm_prepare_process(void);

/* A descriptor that adds up the 8-byte numbers written to it until they are read; -1 on failure. */
int cterm_counter(void);

// Makes INT TERM HUP QUIT TSTP CONT WINCH each write a byte, the signal's number, into a pipe.
// Returns the end to read, which never blocks, or -1 with errno set. Installing twice is harmless.
int cterm_signals_install(void);
// Gives the signals the actions they had before.
void cterm_signals_uninstall(void);
// Sets one signal's action to the default (0), ignored (1) or the pipe again (2).
void cterm_signal_set(int signal, int action);

// Arms the restore: from now on a crash or exit writes `bytes` to `fd` and gives it the modes back.
// Until then, what is written to standard error is held back where that is the same terminal; it is
// written behind the restore. A crash then ends the process by its signal at once; with SWIFT_BACKTRACE
// in the environment, after Swift's backtrace. Copies its arguments. Returns 0, or -1 when there are too
// many bytes.
int cterm_restore_arm(int fd, const char *bytes, size_t count, const struct termios *modes);
// The terminal is in order again: a crash or exit leaves it alone, and standard error is itself.
void cterm_restore_disarm(void);

// Goes on in a child, and leaves this process behind to watch over it: when the child dies without
// having restored the terminal, be it by SIGKILL, its guard does, and ends as the child did. Call it
// before there are other threads or anything is open. Returns 0 in the child, or -1 with errno set in
// the only process there is.
int cterm_guard(void);

// Stops the process as control with Z does, with the rest of its job when it is in the foreground
// of terminal `fd`. Returns when the process is continued.
void cterm_stop(int fd);
// Ends the process by `signal` with the default action, so that its parent sees which it was.
void cterm_die(int signal) __attribute__((noreturn));

// Returns 1 and the size of terminal `fd`, else 0.
int cterm_window_size(int fd, int *columns, int *rows);
// Writes everything to `fd`, waiting where it must. Returns 0, or -1 with errno set.
int cterm_write_all(int fd, const char *bytes, size_t count);
// Returns the cells the C library gives a scalar; -1 for one it does not print.
int cterm_width(uint32_t scalar);
// Takes the character set from the environment. Returns 1 when it is UTF-8.
int cterm_use_locale(const char *name);

#endif
