import CSystem

/// Threads for work whose end no caller waits for.
///
/// This is not a Dispatch queue because Dispatch ends the program when no descriptor is left for
/// its own use.
enum DetachedThread {
  private final class Work: Sendable {
    let body: @Sendable () -> Void
    init(_ body: @escaping @Sendable () -> Void) { self.body = body }
  }

  /// Runs the work immediately on another thread, or on this one if no thread can be created.
  static func run(_ body: @escaping @Sendable () -> Void) {
    if !start(body) { body() }
  }

  /// Runs the work immediately on another thread; returns false if no thread can be created.
  static func start(_ body: @escaping @Sendable () -> Void) -> Bool {
    let work = Unmanaged.passRetained(Work(body))
    let error = catalog_detach(
      { argument in
        guard let argument else { return }
        Unmanaged<Work>.fromOpaque(argument).takeRetainedValue().body()
      },
      work.toOpaque()
    )
    if error != 0 { work.release() }
    return error == 0
  }
}
