import Foundation
import Synchronization

/// The environment of one context: its thread, its sibling contexts and its observers.
///
/// Belongs to the thread of the context, except for the inbox.
final class ContextSurroundings {
  /// Changes that other contexts saved.
  let inbox = ContextInbox()
  /// True when the next change must be reported to the observers or the autosave timer.
  var isArmed = false
  var autosaveEnabled = false
  var autosaveFailure: (any Error)?
  var isTickScheduled = false

  var isSaving = false
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

/// An object that is notified when anything in a context changes.
protocol ContextObserver: AnyObject {
  /// Called after a change, once until the observer arms the context again.
  func contextDidChange()
}
