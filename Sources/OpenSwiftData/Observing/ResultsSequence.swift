/// The results of a fetch, and again after each change.
///
/// ```swift
/// for try await notes in context.results(of: FetchDescriptor<Note>()) {
///   show(notes)
/// }
/// ```
///
/// The first results come at once. Later ones come after a change of the context, a save of another context or a change
/// of another program, all changes since the last results at a time. The sequence ends when its task is canceled.
///
/// **Threads.** Belongs to the actor of its context; iterate over it there.
///
/// **Errors.** The iteration throws the error of a store that cannot be read. A new iteration can be started.
public struct ResultsSequence<Model: PersistentModel>: AsyncSequence {
  /// The models in order.
  public typealias Element = [Model]

  let context: ModelContext
  let descriptor: FetchDescriptor<Model>

  /// Starts with the current results.
  public func makeAsyncIterator() -> Iterator { Iterator(context, descriptor) }

  /// Fetches the results after each change.
  public struct Iterator: AsyncIteratorProtocol {
    private let context: ModelContext
    private let descriptor: FetchDescriptor<Model>
    private let signal: ChangeSignal
    private var changes: AsyncStream<Void>.Iterator
    /// The number of changes before the last fetch; nil before the first.
    private var seenCount: Int?

    init(_ context: ModelContext, _ descriptor: FetchDescriptor<Model>) {
      self.context = context
      self.descriptor = descriptor
      let (stream, continuation) = AsyncStream.makeStream(
        of: Void.self,
        bufferingPolicy: .bufferingNewest(1)
      )
      signal = ChangeSignal(continuation)
      changes = stream.makeAsyncIterator()
    }

    /// The results now for the first time, then after the next change; nil when the task is canceled.
    ///
    /// - Throws: The error of a store.
    public mutating func next() async throws -> [Model]? {
      try await next(isolation: nil)
    }

    /// The results now for the first time, then after the next change; nil when the task is canceled.
    ///
    /// - Throws: The error of a store.
    public mutating func next(isolation: isolated (any Actor)?) async throws -> [Model]? {
      if seenCount == nil {
        context.surroundings.add(signal)
        if let isolation { context.wake(on: isolation) }
        context.container.startWatching()
      }
      while signal.count == seenCount {
        guard await changes.next(isolation: isolation) != nil else { return nil }
      }
      if Task.isCancelled { return nil }
      context.merging.mergeChanges()
      // Changes from here on are reported again.
      context.surroundings.isArmed = true
      seenCount = signal.count
      try context.surroundings.checkStores()
      return try context.fetch(descriptor)
    }
  }
}

/// Counts the changes of a context, and wakes the iterator that waits for one.
///
/// Belongs to the thread of the context.
private final class ChangeSignal: ContextObserver {
  private(set) var count = 0
  private let continuation: AsyncStream<Void>.Continuation

  init(_ continuation: AsyncStream<Void>.Continuation) { self.continuation = continuation }

  func contextDidChange() {
    count += 1
    continuation.yield()
  }
}

extension ModelContext {
  /// The results of a fetch now, and again after each change.
  ///
  /// Call it on the actor of the context, such as the main actor for the main context.
  public func results<Model: PersistentModel>(of descriptor: FetchDescriptor<Model>)
    -> ResultsSequence<Model>
  {
    ResultsSequence(context: self, descriptor: descriptor)
  }
}
