import CTerminal

/// Signals that stop running work instead of ending the process: SIGINT, SIGTERM and SIGHUP.
///
/// Callable from any thread.
package enum StopSignals {
  /// Makes the signals requests, unless the process ignores them; a second signal ends the process.
  package static func catchThem() { cterm_stops_catch() }

  /// Lets the signals end the process again.
  package static func release() { cterm_stops_release() }

  /// The last signal that requested to stop; nil if none did.
  package static var requested: Int32? {
    let signal = cterm_stop_signal()
    return signal == 0 ? nil : signal
  }

  /// Forgets the request.
  package static func forget() { cterm_stop_forget() }
}
