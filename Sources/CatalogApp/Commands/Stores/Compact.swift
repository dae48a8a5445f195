import OpenSwiftData

/// `compact`: rewrites the file of the store.
struct Compact: Instruction {
  static let command = Command(
    "compact",
    summary: "rewrite the store file without obsolete data",
    details: "Unsaved changes stay unsaved.",
    changesData: true,
    progress: "compact …"
  ) { _, _ in Compact() }

  func perform(in session: Session) throws -> Outcome {
    let stores = session.store.maintainableStores
    guard !stores.isEmpty else {
      throw CommandError("store \(session.store.name) does not support compaction")
    }
    switch session.settings.saving {
    case .atOnce: break
    case .atEnd:
      throw CommandError(
        "compact rewrites the file immediately, which --atomic does not allow",
        code: .unsupported
      )
    case .never: return .note("would compact \(session.store.name)")
    }
    return .lines(
      try stores.map { store in
        try SaveFailure.describing("not compacted") { try store.compact() }
      }
    )
  }
}
