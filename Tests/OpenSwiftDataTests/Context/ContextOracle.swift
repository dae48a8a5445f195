import OpenSwiftData

/// The expected contents of a context as plain dictionaries.
///
/// A serial number identifies each record; each undo step consists of the complete contents before
/// and after it.
struct ContextOracle {
  typealias Contents = [Int64: [Value]]

  var live: Contents = [:]
  var stored: Contents = [:]
  /// The stored contents after each transaction.
  var history: [Int64: Contents] = [:]
  /// The contents to which undoing everything leads.
  var baseline: Contents = [:]
  private var stepStart: Contents = [:]
  private var hasOpenStep = false
  private var undoable: [(before: Contents, after: Contents)] = []
  private var redoable: [(before: Contents, after: Contents)] = []

  var canUndo: Bool { hasOpenStep || !undoable.isEmpty }
  var canRedo: Bool { !hasOpenStep && !redoable.isEmpty }

  mutating func change(_ serial: Int64, to values: [Value]?) {
    guard live[serial] != values else { return }
    live[serial] = values
    hasOpenStep = true
  }

  mutating func close() {
    guard hasOpenStep else { return }
    undoable.append((stepStart, live))
    redoable = []
    hasOpenStep = false
    stepStart = live
  }

  mutating func undo() {
    close()
    guard let step = undoable.popLast() else { return }
    redoable.append(step)
    live = step.before
    stepStart = live
  }

  /// Undoes the step that is open, and keeps no way back.
  mutating func abandon() {
    live = stepStart
    hasOpenStep = false
  }

  mutating func redo() {
    guard canRedo, let step = redoable.popLast() else { return }
    undoable.append(step)
    live = step.after
    stepStart = live
  }

  mutating func save(token: Int64?) {
    close()
    stored = live
    if let token { history[token] = stored }
  }

  mutating func discard() {
    close()
    guard live != stored else { return }
    live = stored
    hasOpenStep = true
    close()
  }

  mutating func rollback() {
    live = stored
    stepStart = live
    baseline = live
    undoable = []
    redoable = []
    hasOpenStep = false
  }
}
