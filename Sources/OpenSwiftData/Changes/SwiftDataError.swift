public import Foundation

/// What SwiftData calls the failures that its own interface names.
///
/// Two are equal when they are the same kind; the message tells which model, store or value it was
/// about. A `PersistenceError` of the same meaning matches in a `catch` as well: the library throws those,
/// which say more.
public struct SwiftDataError: Error, Sendable, CustomStringConvertible {
  private let kind: String
  /// One line: what is wrong and with what.
  public let message: String

  private init(_ kind: String, _ message: String) {
    self.kind = kind
    self.message = message
  }

  /// The message.
  public var description: String { message }

  /// The same failure with the names of what it was about.
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
  /// The key path is none of a stored property.
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
  /// Two configurations of a container are the same.
  public static let duplicateConfiguration = SwiftDataError(
    "duplicateConfiguration",
    "duplicate configuration"
  )
  /// The name of a configuration is too long for a file.
  public static let configurationFileNameTooLong = SwiftDataError(
    "configurationFileNameTooLong",
    "configuration name too long for a file name"
  )
  /// The name of a configuration has characters that no file name may have.
  public static let configurationFileNameContainsInvalidCharacters = SwiftDataError(
    "configurationFileNameContainsInvalidCharacters",
    "configuration name contains characters not allowed in file names"
  )
  /// A configuration keeps models that the schema of the container does not have.
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
  /// A model that must be in a context is in none.
  public static let missingModelContext = SwiftDataError(
    "missingModelContext",
    "the model has no context"
  )
  /// The store is newer than the schema.
  public static let backwardMigration = SwiftDataError(
    "backwardMigration",
    "the store is newer than the schema"
  )
  /// The store has a schema that the migration plan does not know.
  public static let unknownSchema = SwiftDataError(
    "unknownSchema",
    "the migration plan does not include the store's schema"
  )
  /// The history after a token was deleted, in part at least.
  public static let historyTokenExpired = SwiftDataError(
    "historyTokenExpired",
    "the history after the token was deleted"
  )
  /// The history cannot be asked so.
  public static let invalidTransactionFetchRequest = SwiftDataError(
    "invalidTransactionFetchRequest",
    "invalid history request"
  )

  /// The kind that a persistence error means in SwiftData's words; nil when there is none.
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

  /// True when the error is of this kind, so that `catch` can tell.
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
  /// Same kind, whatever the message.
  public static func == (lhs: SwiftDataError, rhs: SwiftDataError) -> Bool { lhs.kind == rhs.kind }

  /// Feeds the kind.
  public func hash(into hasher: inout Hasher) { hasher.combine(kind) }
}
