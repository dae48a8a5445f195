import OpenSwiftData

extension FailureCode {
  /// The kind of any error that a command throws.
  package init(_ error: any Error) {
    switch error {
    case let error as any CodedError: self = error.code
    case let error as FilterSyntaxError:
      self = Self.predicateCode[error.problem] ?? .invalidPredicate
    case let error as PersistenceError: self = Self.storeCode[error.code] ?? .failed
    case is ValueError: self = .invalidValue
    case is any ScriptReadingError: self = .invalidScript
    default: self = .failed
    }
  }

  private static let predicateCode: [FilterSyntaxError.Problem: FailureCode] = [
    .unknownField: .unknownField, .unknownParameter: .unknownParameter,
  ]

  private static let storeCode: [PersistenceError.Code: FailureCode] = [
    .unknownEntity: .unknownEntity, .unknownAttribute: .unknownField,
    .unknownRecord: .unknownRecord, .invalidIdentifier: .unknownRecord,
    .invalidValue: .invalidValue, .invalidSchema: .invalidSchema, .invalidFilter: .invalidPredicate,
    .notUnique: .notUnique,
    .damaged: .damaged, .notAStore: .damaged, .inaccessible: .inaccessible, .busy: .busy,
    .conflict: .conflict, .deleteDenied: .deleteDenied, .readOnly: .readOnly,
    .outcomeUnknown: .outcomeUnknown, .limitExceeded: .limitExceeded,
    .historyExpired: .historyExpired, .unsavedChanges: .unsavedChanges, .unsupported: .unsupported,
  ]
}

/// An error that ends a script because its bytes are not text.
protocol ScriptReadingError: Error {}
