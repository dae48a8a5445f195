import CTerminal

/// Prepares the process; `main` calls it before anything else.
///
/// Closed standard descriptors are opened on `/dev/null`, so that using them fails and no file of the
/// user gets their numbers. SIGPIPE and SIGXFSZ become errors of the calls that cause them, and SIGQUIT
/// ends the process.
package func prepareProcess() { cterm_prepare_process() }

/// Runs the body in a child process and keeps this process as its guard, which restores the terminal when
/// the program cannot do so itself, as after SIGKILL, and exits with the same status or signal.
///
/// Call it before the process has other threads, open files or locks. The body runs on the main thread of the child.
/// If the system cannot create another process, this returns, and the program can continue without a guard.
package func guardTerminal(_ body: () -> Never) {
  withoutActuallyEscaping(body) { body in
    var body = body
    withUnsafeMutablePointer(to: &body) { place in
      _ = cterm_guard(
        { context in
          guard let body = context?.assumingMemoryBound(to: (() -> Never).self) else {
            preconditionFailure("the guard passes the place of the body on")
          }
          body.pointee()
        },
        place
      )
    }
  }
}

/// Ends the process by `signal`, so that its parent sees that signal: status 128 + n.
///
/// Restores the terminal first, unless that has been done already.
package func die(bySignal signal: Int32) -> Never { cterm_die(signal) }

/// The arguments after the program name, as passed by the system.
package func processArguments() -> [UnsafePointer<CChar>] {
  (1..<max(1, cterm_argument_count())).compactMap { cterm_argument($0) }
}
