public import Foundation

/// What a caller of the library may meet when the world does not play along.
///
/// The message is one line that says what is wrong, where, and what to do. Codes are open: later
/// versions may add some, so a `switch` over them needs a `default`.
public struct PersistenceError: Error, Sendable, CustomStringConvertible {
  /// The kind of failure.
  public struct Code: Hashable, Sendable, CustomStringConvertible {
    /// The name of the code.
    public let description: String
    /// Creates a code for a store of one's own.
    public init(_ name: String) { description = name }

    /// A key or identifier that cannot be one.
    public static let invalidIdentifier = Code("invalidIdentifier")
    /// An entity that the schema does not have.
    public static let unknownEntity = Code("unknownEntity")
    /// An attribute that the entity does not have.
    public static let unknownAttribute = Code("unknownAttribute")
    /// A record that is not in the store, or not any more.
    public static let unknownRecord = Code("unknownRecord")
    /// A value that does not fit the type or the rules of its attribute.
    public static let invalidValue = Code("invalidValue")
    /// A schema that contradicts itself, or does not fit the store.
    public static let invalidSchema = Code("invalidSchema")
    /// Two records with the same value where values must be unique.
    public static let notUnique = Code("notUnique")
    /// A filter that cannot be understood.
    public static let invalidFilter = Code("invalidFilter")
    /// The file is damaged; the message says where.
    public static let damaged = Code("damaged")
    /// The file is something else than a store of this kind.
    public static let notAStore = Code("notAStore")
    /// The store cannot be read or written: missing rights, missing folder, full disk.
    public static let inaccessible = Code("inaccessible")
    /// Somebody else holds the store longer than was waited.
    public static let busy = Code("busy")
    /// Somebody else changed the same thing.
    public static let conflict = Code("conflict")
    /// A record that may not be deleted while others refer to it.
    public static let deleteDenied = Code("deleteDenied")
    /// The store may only be read.
    public static let readOnly = Code("readOnly")
    /// A save whose outcome the system did not say; the store must be opened again.
    public static let outcomeUnknown = Code("outcomeUnknown")
    /// A limit of size or number was met.
    public static let limitExceeded = Code("limitExceeded")
    /// The store broke the contract of `DataStore`.
    public static let storeViolation = Code("storeViolation")
    /// The history does not reach back to what was asked for.
    public static let historyExpired = Code("historyExpired")
    /// What was asked for needs saved state, but there are unsaved changes.
    public static let unsavedChanges = Code("unsavedChanges")
    /// The store has a newer schema than the program.
    public static let backwardMigration = Code("backwardMigration")
    /// The store has a schema that the migration plan does not know, or the program has.
    public static let unknownSchema = Code("unknownSchema")
    /// A migration plan that contradicts itself.
    public static let invalidMigrationPlan = Code("invalidMigrationPlan")
    /// A configuration that cannot be opened.
    public static let invalidConfiguration = Code("invalidConfiguration")
    /// A context was used from a thread that it does not belong to.
    public static let wrongThread = Code("wrongThread")
    /// The store cannot do what was asked.
    public static let unsupported = Code("unsupported")
  }

  /// The kind of failure.
  public let code: Code
  /// One line: what is wrong, where, what to do.
  public let message: String
  /// What led to it, if another error did.
  public let cause: (any Error)?
  /// What has to be resolved before the save can be made, for `.conflict` only.
  ///
  /// `ModelContext.resolveConflict` settles it.
  public package(set) var conflicts: [RecordConflict] = []
  /// True when it kept a container from being opened.
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
