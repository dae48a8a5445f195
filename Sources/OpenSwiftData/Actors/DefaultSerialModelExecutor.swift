public import Dispatch
import Synchronization

/// Runs the jobs of a model actor one at a time on its own queue, off the main thread.
///
/// The context belongs to the executor from the first job on; the creator of the actor may use it before. At
/// the end of each job the context merges the changes of other contexts, and saves if autosave is enabled.
public final class DefaultSerialModelExecutor: SerialModelExecutor, @unchecked Sendable {
  // Unchecked because a context is not Sendable: it is used in jobs only, of which one runs at a time.

  /// The context; use it only in jobs of the executor.
  public let modelContext: ModelContext
  private let queue: DispatchQueue
  private let running = RunningThread()

  /// Creates an executor that the context belongs to from now on.
  public convenience init(modelContext: ModelContext) {
    self.init(
      modelContext: modelContext,
      queue: DispatchQueue(label: "OpenSwiftData.ModelActor")
    )
  }

  /// Creates an executor on a queue.
  ///
  /// - Precondition: The queue is serial.
  public init(modelContext: ModelContext, queue: DispatchQueue) {
    self.modelContext = modelContext
    self.queue = queue
    modelContext.confinement.owner = .executor(running)
    modelContext.surroundings.inbox.setWake { [weak self] in
      guard let self else { return }
      // Before the first job the context may be in use elsewhere, and merges changes there.
      self.queue.async {
        if self.running.hasStarted.load(ordering: .relaxed) { self.work {} }
      }
    }
  }

  /// Runs the job after those that came before it.
  public func enqueue(_ job: consuming ExecutorJob) {
    let job = UnownedJob(job)
    queue.async {
      self.work { job.runSynchronously(on: self.asUnownedSerialExecutor()) }
    }
  }

  /// The executor as actors name it.
  public func asUnownedSerialExecutor() -> UnownedSerialExecutor {
    UnownedSerialExecutor(ordinary: self)
  }

  /// Traps unless called in a job of the executor.
  public func checkIsolated() {
    precondition(isCurrent, "not running on the executor of the model actor")
  }

  /// True when called in a job of the executor.
  public func isIsolatingCurrentContext() -> Bool? { isCurrent }

  private var isCurrent: Bool {
    running.number.load(ordering: .relaxed) == currentThreadNumber()
  }

  private func work(_ body: () -> Void) {
    running.hasStarted.store(true, ordering: .relaxed)
    running.number.store(currentThreadNumber(), ordering: .relaxed)
    body()
    modelContext.tick()
    running.number.store(0, ordering: .relaxed)
  }
}
