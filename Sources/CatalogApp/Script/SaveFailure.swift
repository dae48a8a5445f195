import OpenSwiftData

/// A save that failed, so that it can be told from other failures.
package struct SaveFailure: Error, CustomStringConvertible {
  /// Why.
  package let cause: any Error
  /// What helps to find the place that led to it.
  var hint: String?
  /// What was not done.
  var label = "not saved"

  /// What failed and that nothing is lost.
  package var description: String {
    if let error = cause as? PersistenceError, error.code == .outcomeUnknown {
      return "save outcome unknown: \(cause)"
    }
    if isResolvable {
      return "\(label): \(cause); run \"conflicts\" to compare, \"resolve\" to decide"
    }
    return "\(label): \(cause)" + (hint.map { "; \($0)" } ?? "")
  }

  /// True when settling conflicts is what helps.
  var isResolvable: Bool { Self.isConflict(self) && (cause as? PersistenceError)?.cause == nil }

  /// True for a save of which the system did not say whether it is on the disk.
  static func isOutcomeUnknown(_ error: any Error) -> Bool {
    ((error as? SaveFailure)?.cause as? PersistenceError)?.code == .outcomeUnknown
  }

  /// True for a save that failed because others changed the same.
  static func isConflict(_ error: any Error) -> Bool {
    ((error as? SaveFailure)?.cause as? PersistenceError)?.code == .conflict
  }

  /// Runs what saves, and throws its failures as this type.
  static func describing<T>(_ label: String = "not saved", _ save: () throws -> T)
    throws(SaveFailure) -> T
  {
    do {
      return try save()
    } catch {
      throw SaveFailure(cause: error, label: label)
    }
  }
}

extension Session {
  /// Runs what saves, and throws its failures with the lines that made the records they name.
  func locatingFailures<T>(_ save: () throws -> T) throws(SaveFailure) -> T {
    do {
      return try SaveFailure.describing { try save() }
    } catch {
      throw located(error)
    }
  }
}
