public import Foundation

/// The errors that SwiftData declares, under their SwiftData names.
///
/// Two errors are equal if they are of the same kind; the message names the model, store or value. A
/// `PersistenceError` with the same meaning also matches in a `catch`: the library throws those, because they
/// contain more detail.
public struct SwiftDataError: Error, Sendable, CustomStringConvertible {
  private let kind: String
  /// One line that describes the error and its subject.
  public let message: String

  private init(_ kind: String, _ message: String) {
    self.kind = kind
    self.message = message
  }

  /// The message.
  public var description: String { message }

  /// The same error with a more specific message.
  public func about(_ message: String) -> SwiftDataError { SwiftDataError(kind, message) }
}

extension SwiftDataError {
  /// Unsaved changes cannot be merged into a fetch in batches.
  public static let includePendingChangesWithBatchSize = SwiftDataError(
    "includePendingChangesWithBatchSize",
    "a fetch in batches cannot include unsaved changes"
  )
  /// The predicate cannot be used.
  public static let unsupportedPredicate = SwiftDataError(
    "unsupportedPredicate",
    "unsupported predicate"
  )
  /// The key path does not refer to a stored property.
  public static let unsupportedKeyPath = SwiftDataError(
    "unsupportedKeyPath",
    "the key path is not a stored property"
  )
  /// Unsaved changes cannot be sorted when only identifiers are fetched.
  public static let sortingPendingChangesWithIdentifiers = SwiftDataError(
    "sortingPendingChangesWithIdentifiers",
    "a fetch of identifiers cannot sort unsaved changes"
  )
  /// The sort descriptor cannot be used.
  public static let unsupportedSortDescriptor = SwiftDataError(
    "unsupportedSortDescriptor",
    "unsupported sort descriptor"
  )
  /// Two configurations of a container are equal.
  public static let duplicateConfiguration = SwiftDataError(
    "duplicateConfiguration",
    "duplicate configuration"
  )
  /// The name of a configuration is too long for a file.
  public static let configurationFileNameTooLong = SwiftDataError(
    "configurationFileNameTooLong",
    "configuration name too long for a file name"
  )
  /// The name of a configuration contains characters that are not allowed in file names.
  public static let configurationFileNameContainsInvalidCharacters = SwiftDataError(
    "configurationFileNameContainsInvalidCharacters",
    "configuration name contains characters not allowed in file names"
  )
  /// A configuration contains models that the schema of the container lacks.
  public static let configurationSchemaNotFoundInContainerSchema = SwiftDataError(
    "configurationSchemaNotFoundInContainerSchema",
    "configuration contains models not in the container's schema"
  )
  /// A container could not be opened.
  public static let loadIssueModelContainer = SwiftDataError(
    "loadIssueModelContainer",
    "the container could not be opened"
  )
  /// A model breaks a rule of its schema.
  public static let modelValidationFailure = SwiftDataError(
    "modelValidationFailure",
    "model violates its schema"
  )
  /// A model is in no context where one is required.
  public static let missingModelContext = SwiftDataError(
    "missingModelContext",
    "the model has no context"
  )
  /// The store is newer than the schema.
  public static let backwardMigration = SwiftDataError(
    "backwardMigration",
    "the store is newer than the schema"
  )
  /// The migration plan does not contain the schema of the store.
  public static let unknownSchema = SwiftDataError(
    "unknownSchema",
    "the migration plan does not include the store's schema"
  )
  /// At least part of the history after a token was deleted.
  public static let historyTokenExpired = SwiftDataError(
    "historyTokenExpired",
    "the history after the token was deleted"
  )
  /// The request for the history is invalid.
  public static let invalidTransactionFetchRequest = SwiftDataError(
    "invalidTransactionFetchRequest",
    "invalid history request"
  )

  /// The SwiftData kind of a persistence error; nil if there is none.
  private init?(meaning error: PersistenceError) {
    switch error.code {
    case .historyExpired: self = .historyTokenExpired.about(error.message)
    case .invalidValue, .notUnique, .deleteDenied:
      self = .modelValidationFailure.about(error.message)
    case .invalidFilter: self = .unsupportedPredicate.about(error.message)
    case .backwardMigration: self = .backwardMigration.about(error.message)
    case .unknownSchema: self = .unknownSchema.about(error.message)
    case .invalidMigrationPlan, .invalidConfiguration, .invalidSchema:
      self = .loadIssueModelContainer.about(error.message)
    default: return nil
    }
  }

  /// True when the error is of this kind; lets `catch` match it.
  public static func ~= (pattern: SwiftDataError, error: any Error) -> Bool {
    switch error {
    case let error as SwiftDataError: pattern == error
    case let error as PersistenceError:
      SwiftDataError(meaning: error) == pattern
        || (pattern == .loadIssueModelContainer && error.endedOpening)
    case let error as DataStoreError:
      pattern == .unsupportedPredicate && error == .invalidPredicate
    case is FilterSyntaxError: pattern == .unsupportedPredicate
    case is ValueError: pattern == .modelValidationFailure
    default: false
    }
  }
}

extension SwiftDataError: LocalizedError {
  /// The message.
  public var errorDescription: String? { message }
}

extension SwiftDataError: Hashable {
  /// True when both are of the same kind, whatever the message.
  public static func == (lhs: SwiftDataError, rhs: SwiftDataError) -> Bool { lhs.kind == rhs.kind }

  /// Hashes the kind.
  public func hash(into hasher: inout Hasher) { hasher.combine(kind) }
}
