import CSystem

/// Threads that each do one thing and end.
///
/// Not a queue of Dispatch: that ends the program when no descriptor is left for what it waits with.
enum DetachedThread {
  private final class Work: Sendable {
    let body: @Sendable () -> Void
    init(_ body: @escaping @Sendable () -> Void) { self.body = body }
  }

  /// Runs the work on a thread of its own; at once where none can be had.
  static func run(_ body: @escaping @Sendable () -> Void) {
    let work = Unmanaged.passRetained(Work(body))
    let error = catalog_detach(
      { argument in
        guard let argument else { return nil }
        Unmanaged<Work>.fromOpaque(argument).takeRetainedValue().body()
        return nil
      },
      work.toOpaque()
    )
    if error != 0 { work.takeRetainedValue().body() }
  }
}
