import Foundation
import Synchronization

/// The environment of one context: its sibling contexts, its observers and its automatic saves.
///
/// Belongs to the thread of the context, except for the inbox.
final class ContextSurroundings {
  /// Changes that other contexts saved.
  let inbox = ContextInbox()
  /// True when the next change must be reported to the observers or the autosave timer.
  var isArmed = false
  var autosaveEnabled = false
  var autosaveFailure: (any Error)?
  /// The reason why a store can no longer be read, as it reported; nil if it can.
  var storeFailure: String?
  var isTickScheduled = false
  /// True if the main queue will merge and save in a while; used on the main queue only.
  var hasDelayedTick = false
  /// Merges and saves in the next turn of the main queue, if the context belongs to the main thread.
  var scheduleTick: (() -> Void)?
  var isSaving = false
  /// True while the block of a transaction runs, whose changes are registered with the undo manager at its end.
  var isInTransaction = false
  /// How many times a store has saved changes of the context.
  var saveCount = 0
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

  /// Notifies the observers of a change, and saves soon if autosave is enabled; costs nothing if neither is
  /// wanted.
  @inline(__always)
  func noteChange() {
    if isArmed { tellChange() }
  }

  private func tellChange() {
    isArmed = false
    tellObservers()
    if autosaveEnabled, !isTickScheduled { scheduleTick?() }
  }

  /// Throws the reason why a store can no longer be read, if it reported one.
  ///
  /// - Throws: `PersistenceError` with code `.inaccessible`.
  func checkStores() throws {
    if let storeFailure { throw PersistenceError(.inaccessible, storeFailure) }
  }

  func tellObservers() {
    for observer in observers { observer.value?.contextDidChange() }
  }
}

/// An object that is notified when anything in a context changes.
protocol ContextObserver: AnyObject {
  /// Called after a change, once until the observer arms the context again.
  func contextDidChange()
}
