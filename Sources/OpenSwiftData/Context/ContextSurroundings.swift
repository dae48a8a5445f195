import Foundation
import Synchronization

/// What stands around one context: its thread, its siblings, those who watch it.
///
/// Belongs to the thread of the context, except for the mailbox.
final class ContextSurroundings {
  /// What other contexts saved.
  let mailbox = ContextMailbox()
  /// Whose thread the context is.
  var owner = ContextOwner.nobody
  /// The thread that is at work in the context, 0 for none.
  let worker = Atomic<UInt>(0)
  /// True while the worker is an autosave or a merge that the main queue started by itself.
  let isTicking = Atomic<Bool>(false)
  /// How often the worker is in the context; touched by the worker only.
  var workerDepth = 0

  /// True when the next change must be told: to observers, or to the clock of autosave.
  var isArmed = false
  var autosaveEnabled = false
  var autosaveFailure: (any Error)?
  var isTickScheduled = false

  var isSaving = false
  /// What the save that is under way has saved so far.
  var saved = SavedChanges()
  /// True while what others saved must not be taken in: it is being taken in, or links are being read.
  var isMailHeld = false
  /// Records that must be read again before they are used.
  var stale: Set<PersistentIdentifier> = []
  /// Records that were changed here and elsewhere; read again when the changes here are taken back.
  var conflicting: Set<PersistentIdentifier> = []
  /// The versions that somebody was shown, and that may be settled.
  var seenConflicts: [PersistentIdentifier: RecordConflict] = [:]

  var undoManager: UndoManager?
  var undoFailure: (any Error)?
  private var observers: [Observer] = []

  private struct Observer {
    weak var value: (any ContextObserver)?
  }

  func add(_ observer: any ContextObserver) {
    observers.removeAll { $0.value == nil }
    observers.append(Observer(value: observer))
    isArmed = true
  }

  func tellObservers() {
    for observer in observers { observer.value?.contextDidChange() }
  }
}

/// One that wants to know when anything in a context changes.
protocol ContextObserver: AnyObject {
  /// Called after a change, once until the observer arms the context again.
  func contextDidChange()
}

/// Who may use a context, as far as it can be known.
enum ContextOwner {
  /// Whoever has it: contexts may be handed from thread to thread.
  case nobody
  /// The main thread.
  case main(thread: UInt)
  /// The main thread, which autosave was switched on on, until another thread uses the context.
  case autosaving(thread: UInt)
  /// The jobs of an executor.
  case executor(RunningThread)
}

/// The thread that runs a job of an executor at the moment.
final class RunningThread: Sendable {
  /// The number of the thread; 0 between jobs.
  let number = Atomic<UInt>(0)
  /// True from the first job on; before, whoever makes the actor may fill the context.
  let hasStarted = Atomic<Bool>(false)
}

/// The number of the thread that asks.
func currentThreadNumber() -> UInt {
  #if canImport(Darwin)
    UInt(bitPattern: pthread_self())
  #else
    UInt(pthread_self())
  #endif
}

/// The name of the thread that asks, for messages.
func currentThreadName() -> String {
  if MainQueue.isCurrent { return "the main thread" }
  if let name = Thread.current.name, !name.isEmpty { return "thread \"\(name)\"" }
  return "thread \(String(currentThreadNumber(), radix: 16))"
}
