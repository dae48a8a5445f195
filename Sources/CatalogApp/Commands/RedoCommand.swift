import OpenSwiftData

extension Command {
  /// `redo`: does again what `undo` took back.
  static let redo = Command(
    "redo",
    summary: "do again what was taken back last",
    changesData: true
  ) { arguments, session in
    try arguments.finish()
    guard let step = try session.context.redo() else {
      throw CommandError("there is nothing to do again")
    }
    return .done("did again: \(step.name)")
  }
}
