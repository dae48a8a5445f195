import OpenSwiftData

extension Command {
  /// `redo`: does again what `undo` took back.
  static let redo = Command(
    "redo",
    summary: "redo the last undone change",
    changesData: true
  ) { arguments, session in
    try arguments.finish()
    guard let step = try session.context.redo() else {
      throw CommandError("nothing to redo")
    }
    return .done("redone: \(step.name)")
  }
}
