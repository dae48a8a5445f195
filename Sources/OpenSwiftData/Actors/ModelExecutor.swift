/// An executor with a context that its jobs share.
public protocol ModelExecutor: Executor {
  /// The context; use it only in jobs of the executor.
  var modelContext: ModelContext { get }
}

/// A model executor that runs one job at a time.
public protocol SerialModelExecutor: ModelExecutor, SerialExecutor {}
