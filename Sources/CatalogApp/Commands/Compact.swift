import OpenSwiftData

/// `compact`: rewrites the file of the store.
struct Compact: Instruction {
  static let command = Command(
    "compact",
    summary: "rewrite the store file without obsolete data",
    details: "Unsaved changes stay unsaved.",
    changesData: true,
    progress: "compact …"
  ) { arguments, _ in
    try arguments.finish()
    return Compact()
  }

  func perform(in session: Session) throws -> Outcome {
    let stores = session.maintainableStores
    guard !stores.isEmpty else {
      throw CommandError("store \(session.storeName) does not support compaction")
    }
    switch session.saving {
    case .atOnce: break
    case .atEnd:
      throw CommandError(
        "compact rewrites the file immediately, which --atomic does not allow",
        code: .unsupported
      )
    case .never: return .note("would compact \(session.storeName)")
    }
    return .lines(
      try stores.map { store in
        try SaveFailure.describing("not compacted") { try store.compact() }
      }
    )
  }
}

extension Session {
  /// The open stores that can maintain their files.
  var maintainableStores: [any MaintainableStore] {
    context.container.stores.compactMap { $0 as? any MaintainableStore }
  }
}
