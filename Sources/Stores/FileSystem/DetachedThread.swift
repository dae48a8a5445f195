import CSystem

/// Threads for work that nobody has to wait for.
///
/// Not a queue of Dispatch: that ends the program when no descriptor is left for what it waits with.
enum DetachedThread {
  private final class Work: Sendable {
    let body: @Sendable () -> Void
    init(_ body: @escaping @Sendable () -> Void) { self.body = body }
  }

  /// Runs the work on another thread, at once; on this one where no other can be had.
  static func run(_ body: @escaping @Sendable () -> Void) {
    let work = Unmanaged.passRetained(Work(body))
    let error = catalog_detach(
      { argument in
        guard let argument else { return }
        Unmanaged<Work>.fromOpaque(argument).takeRetainedValue().body()
      },
      work.toOpaque()
    )
    if error != 0 { work.takeRetainedValue().body() }
  }
}
