import Foundation
import Synchronization

/// What stands around one context: its thread, its siblings, those who watch it.
///
/// Belongs to the thread of the context, except for the mailbox.
final class ContextSurroundings {
  /// What other contexts saved.
  let mailbox = ContextInbox()
  /// True when the next change must be told: to observers, or to the clock of autosave.
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

/// One that wants to know when anything in a context changes.
protocol ContextObserver: AnyObject {
  /// Called after a change, once until the observer arms the context again.
  func contextDidChange()
}
