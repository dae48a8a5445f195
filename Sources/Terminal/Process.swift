import CTerminal

/// Makes the process fit to run; `main` calls it before anything else.
///
/// Closed standard descriptors are opened on `/dev/null`, so that no file of the user's takes their
/// place, and so that using them fails; SIGPIPE and SIGXFSZ become errors of the calls that cause them,
/// and SIGQUIT ends the process.
package func prepareProcess() { cterm_prepare_process() }

/// Goes on in a child process, with this one as its guard: it restores the terminal where the program
/// can not do so any more, as after SIGKILL, and ends with the same status or signal.
///
/// To be called before there are other threads, open files or locks. Where the system has no room for
/// another process, the program goes on without a guard.
package func guardTerminal() { _ = cterm_guard() }

/// Ends the process by `signal`, so that its parent sees which signal it was: status 128 + n.
///
/// The terminal is restored first, if it still has to be.
package func die(bySignal signal: Int32) -> Never { cterm_die(signal) }

/// The arguments behind the program's name, as the system gave them.
package func processArguments() -> [UnsafePointer<CChar>] {
  (1..<max(1, cterm_argument_count())).compactMap { cterm_argument($0) }
}
