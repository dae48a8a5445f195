import OpenSwiftData

/// The kind of a failure, as programs that read answers see it; existing names never change.
package enum FailureCode: String, CaseIterable, Sendable {
  case ambiguousRecord = "ambiguous-record"
  case brokenRule = "broken-rule"
  case busy
  case conflict
  case damaged
  case deleteDenied = "delete-denied"
  case different
  case discarded
  case duplicateKey = "duplicate-key"
  case expectationFailed = "expectation-failed"
  case failed
  case historyExpired = "history-expired"
  case inaccessible
  case invalidCommand = "invalid-command"
  case invalidExpression = "invalid-expression"
  case invalidFile = "invalid-file"
  case invalidPredicate = "invalid-predicate"
  case invalidSchema = "invalid-schema"
  case invalidScript = "invalid-script"
  case invalidValue = "invalid-value"
  case limitExceeded = "limit-exceeded"
  case notUnique = "not-unique"
  case outcomeUnknown = "outcome-unknown"
  case readOnly = "read-only"
  case schemaDiffers = "schema-differs"
  case unclosedQuote = "unclosed-quote"
  case unknownCommand = "unknown-command"
  case unknownEntity = "unknown-entity"
  case unknownField = "unknown-field"
  case unknownParameter = "unknown-parameter"
  case unknownRecord = "unknown-record"
  case unsavedChanges = "unsaved-changes"
  case unsupported

  /// The meaning in a few words, for the list of all codes.
  package var meaning: String {
    switch self {
    case .ambiguousRecord: "several records match a shortened identifier"
    case .brokenRule: "records break a rule in the file of \"check\" or \"problems\""
    case .busy: "another program kept the store locked"
    case .conflict: "another program changed the same values"
    case .damaged: "the store is damaged"
    case .deleteDenied: "other records refer to a record that a command deletes"
    case .different: "\"diff\" has found differences"
    case .discarded: "unsaved changes were discarded at the end"
    case .duplicateKey: "two rows of a file, or two records, have the same key"
    case .expectationFailed: "the number of records differs from the expected one"
    case .failed: "any other failure"
    case .historyExpired: "the history no longer reaches back that far"
    case .inaccessible: "a file or a store cannot be read or written"
    case .invalidCommand: "the words of a command are wrong or missing"
    case .invalidExpression: "the text after := is wrong, or has another type than the field"
    case .invalidFile: "a row of a file cannot be read"
    case .invalidPredicate: "the text after where is wrong"
    case .invalidSchema: "an entity or a field cannot be like that, or exists already"
    case .invalidScript: "the script is not text"
    case .invalidValue: "a value does not have the type of its field, or is missing"
    case .limitExceeded: "a limit is exceeded, such as the number of records or the size of a value"
    case .notUnique: "another record has the same value in a unique field"
    case .outcomeUnknown: "it is not known whether the store was written"
    case .readOnly: "the store is read-only"
    case .schemaDiffers: "the schema of the store differs from the one in a file"
    case .unclosedQuote: "a quote is open at the end of the line, which always ends the script"
    case .unknownCommand: "no command has that name"
    case .unknownEntity: "no entity has that name"
    case .unknownField: "no field has that name"
    case .unknownParameter: "no parameter has that name"
    case .unknownRecord: "no record has that identifier"
    case .unsavedChanges: "the command needs a store without unsaved changes"
    case .unsupported: "the store cannot do it"
    }
  }
}

extension FailureCode {
  /// The column of an error in its line, and its message without the column.
  static func place(of error: any Error) -> (column: Int?, message: String) {
    switch error {
    case let error as any CodedError: (error.column, error.message)
    case let error as FilterSyntaxError: (error.column, error.message)
    default: (nil, String(describing: error))
    }
  }
}

/// An error that knows its kind, and perhaps its place in the line.
protocol CodedError: Error {
  /// The kind of the failure.
  var code: FailureCode { get }
  /// The column of the error, in characters from 1; nil if it concerns the whole line.
  var column: Int? { get }
  /// The message without the column.
  var message: String { get }
}
