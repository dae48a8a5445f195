import OpenSwiftData

/// A save that failed, as a type of its own to distinguish it from other failures.
package struct SaveFailure: CodedError, CustomStringConvertible {
  package let cause: any Error
  /// A hint for finding the cause.
  var hint: String?
  /// The label for the failed operation.
  var label = "not saved"

  /// The reason of the failure, and that no change is lost.
  package var description: String {
    if let error = cause as? PersistenceError, error.code == .outcomeUnknown {
      return "save outcome unknown: \(cause)"
    }
    if let error = cause as? PersistenceError, !error.conflicts.isEmpty {
      return "\(label): \(cause); run \"conflicts\" to compare, \"resolve\" to decide"
    }
    return "\(label): \(reason)" + ((hint ?? keyHint).map { "; \($0)" } ?? "")
  }

  /// The cause, without the place at its beginning if the label names it already.
  private var reason: String {
    let text = "\(cause)"
    guard let colon = text.firstRange(of: ": "),
      label.hasSuffix(" to " + text[..<colon.lowerBound])
    else { return text }
    return String(text[colon.upperBound...])
  }

  /// What to do about a key that a saved record has, often one that another program has just inserted.
  private var keyHint: String? {
    guard code == .notUnique, "\(cause)".contains(/already exists$/) else { return nil }
    return "give yours another key, or undo it"
  }

  var code: FailureCode { FailureCode(cause) }
  var column: Int? { nil }
  var message: String { description }

  /// True if resolving conflicts helps.
  var isResolvable: Bool { Self.isConflict(self) && (cause as? PersistenceError)?.cause == nil }

  /// True for a save whose outcome is unknown.
  static func isOutcomeUnknown(_ error: any Error) -> Bool {
    ((error as? SaveFailure)?.cause as? PersistenceError)?.code == .outcomeUnknown
  }

  /// True for a save that failed because of a conflict.
  static func isConflict(_ error: any Error) -> Bool {
    ((error as? SaveFailure)?.cause as? PersistenceError)?.code == .conflict
  }

  /// Runs a save, and throws its errors as this type.
  ///
  /// - Throws: `SaveFailure`, `Interruption.Stopped`.
  static func describing<T>(_ label: String = "not saved", _ save: () throws -> T) throws -> T {
    do {
      return try save()
    } catch  where !(error is Interruption.Stopped) {
      throw SaveFailure(cause: error, label: label)
    }
  }
}

extension PrintedIdentifiers {
  /// Runs a save, and adds to its errors the lines that created the records they name.
  ///
  /// - Throws: `SaveFailure`, `Interruption.Stopped`.
  func locatingFailures<T>(_ save: () throws -> T) throws -> T {
    do {
      return try SaveFailure.describing { try save() }
    } catch let failure as SaveFailure {
      throw located(failure)
    }
  }
}

/// Another store that could not be opened, as a type of its own for the exit status.
struct OpeningFailure: CodedError, CustomStringConvertible {
  let cause: any Error

  var description: String { FailureCode.place(of: cause).message }
  var code: FailureCode { FailureCode(cause) }
  var column: Int? { nil }
  var message: String { description }
}

/// A failure whose details are a result, for standard output.
protocol FailureWithResult: CodedError {
  /// The result.
  var outcome: Outcome { get }
}

extension Findings: FailureWithResult {
  /// The findings as a result.
  var outcome: Outcome {
    .facts(Facts(lines, [member], isObject: true))
  }
}
