/// One thing that a migration does, for people to read.
public struct MigrationStep: Hashable, Sendable, CustomStringConvertible {
  /// What kind of change it is.
  public enum Kind: Hashable, Sendable {
    /// A stage with code of the program.
    case stage
    /// The store notes another version.
    case version
    /// A new entity.
    case createEntity
    /// An entity and its records go.
    case dropEntity
    /// A new field.
    case addField
    /// A field gets another name.
    case renameField
    /// A field and its values go.
    case dropField
    /// The values of a field become another type.
    case changeType
    /// A value is required from now on, or not any more.
    case changeRequirement
    /// New records get another value, or values must be unique from now on or need not be any more.
    case changeRule
    /// Records that a stage inserted, changed or deleted.
    case records
  }

  /// What kind of change it is.
  public let kind: Kind
  /// The entity that changes; nil for what concerns all.
  public let entityName: String?
  /// What happens, in words.
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
  /// The value in a sentence: texts in quotes, nothing for null.
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
