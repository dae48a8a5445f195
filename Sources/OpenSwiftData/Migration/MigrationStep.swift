/// A readable description of one change of a migration.
public struct MigrationStep: Hashable, Sendable, CustomStringConvertible {
  /// The kind of change.
  public enum Kind: Hashable, Sendable {
    /// A stage with code of the program.
    case stage
    /// The store records another version.
    case version
    /// A new entity.
    case createEntity
    /// An entity and its records are dropped.
    case dropEntity
    /// A new field.
    case addField
    /// A field is renamed.
    case renameField
    /// A field and its values are dropped.
    case dropField
    /// The values of a field are converted to another type.
    case changeType
    /// A value becomes required or optional.
    case changeRequirement
    /// The default or the uniqueness of a field changes.
    case changeRule
    /// Records that a stage inserted, changed or deleted.
    case records
  }

  /// The kind of change.
  public let kind: Kind
  /// The entity that changes; nil if the change affects all entities.
  public let entityName: String?
  /// The description of the change.
  public let summary: String

  init(_ kind: Kind, _ entityName: String? = nil, _ summary: String) {
    self.kind = kind
    self.entityName = entityName
    self.summary = summary
  }

  /// One line: `Trip: rename start to startDate`.
  public var description: String { entityName.map { "\($0): \(summary)" } ?? summary }
}

extension Value {
  /// The value for use in a sentence: texts in quotes, `nothing` for null.
  var inWords: String {
    switch self {
    case .null: "nothing"
    case .text(let text): Value.quoted(text)
    default: text
    }
  }
}

/// `1 record`, `2 records`.
func recordCount(_ count: Int) -> String { count == 1 ? "1 record" : "\(count) records" }
