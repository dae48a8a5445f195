public import Foundation

/// An error of the library.
///
/// The message is one line that says what is wrong, where, and what to do. Later versions may add codes, so a
/// `switch` over them needs a `default`.
public struct PersistenceError: Error, Sendable, CustomStringConvertible {
  /// The kind of failure.
  public struct Code: Hashable, Sendable, CustomStringConvertible {
    /// The name of the code.
    public let description: String
    /// Creates a code for a custom store.
    public init(_ name: String) { description = name }

    /// A key or identifier is not valid.
    public static let invalidIdentifier = Code("invalidIdentifier")
    /// An entity that the schema does not have.
    public static let unknownEntity = Code("unknownEntity")
    /// An attribute that the entity does not have.
    public static let unknownAttribute = Code("unknownAttribute")
    /// A record that is not, or no longer, in the store.
    public static let unknownRecord = Code("unknownRecord")
    /// A value that does not match the type or the rules of its attribute.
    public static let invalidValue = Code("invalidValue")
    /// A schema that is inconsistent or does not match the store.
    public static let invalidSchema = Code("invalidSchema")
    /// Two records have the same value in a unique field or constraint.
    public static let notUnique = Code("notUnique")
    /// A filter that is not valid.
    public static let invalidFilter = Code("invalidFilter")
    /// The file is damaged; the message says where.
    public static let damaged = Code("damaged")
    /// The file is not a store of this kind.
    public static let notAStore = Code("notAStore")
    /// The store cannot be read or written: missing permissions, missing folder, full disk.
    public static let inaccessible = Code("inaccessible")
    /// Another program kept the store locked for longer than the timeout.
    public static let busy = Code("busy")
    /// Another program or context changed the same values.
    public static let conflict = Code("conflict")
    /// A record that cannot be deleted while others refer to it.
    public static let deleteDenied = Code("deleteDenied")
    /// The store is read-only.
    public static let readOnly = Code("readOnly")
    /// A save whose outcome is unknown; the store must be reopened.
    public static let outcomeUnknown = Code("outcomeUnknown")
    /// A limit of size or number was reached.
    public static let limitExceeded = Code("limitExceeded")
    /// The store broke the contract of `DataStore`.
    public static let storeViolation = Code("storeViolation")
    /// The requested history was discarded.
    public static let historyExpired = Code("historyExpired")
    /// The operation requires that there are no unsaved changes.
    public static let unsavedChanges = Code("unsavedChanges")
    /// The store has a newer schema than the program.
    public static let backwardMigration = Code("backwardMigration")
    /// The schema of the store or the program is not in the migration plan.
    public static let unknownSchema = Code("unknownSchema")
    /// A migration plan that is inconsistent.
    public static let invalidMigrationPlan = Code("invalidMigrationPlan")
    /// A configuration that cannot be opened.
    public static let invalidConfiguration = Code("invalidConfiguration")
    /// A context was used from a thread that it does not belong to.
    public static let wrongThread = Code("wrongThread")
    /// The store does not support the operation.
    public static let unsupported = Code("unsupported")
  }

  /// The kind of failure.
  public let code: Code
  /// One line: what is wrong, where, what to do.
  public let message: String
  /// The underlying error, if there is one.
  public let cause: (any Error)?
  /// The conflicts to resolve before the save can succeed, for `.conflict` only.
  ///
  /// Resolve them with `ModelContext.resolveConflict`.
  public package(set) var conflicts: [RecordConflict] = []
  /// True when the error prevented a container from being opened.
  var endedOpening = false

  /// Creates an error.
  public init(_ code: Code, _ message: String, cause: (any Error)? = nil) {
    self.code = code
    self.message = message
    self.cause = cause
  }

  /// The message.
  public var description: String { message }
}

extension PersistenceError: LocalizedError {
  /// The message.
  public var errorDescription: String? { message }
}
