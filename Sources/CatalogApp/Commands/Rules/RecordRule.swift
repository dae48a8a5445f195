import OpenSwiftData

/// A rule about the records of an entity, as a line of a file states it.
struct RecordRule: Hashable, Sendable {
  /// How a record breaks the rule.
  enum Content: Hashable, Sendable {
    /// It matches.
    case refused(Filter)
    /// Its value cannot be read as this type, or does not match then.
    case readable(AttributeType, Filter)
    /// It has the same values in these fields as an earlier record.
    case unique([String])
  }

  /// The entity of the records.
  let entityName: String
  /// The field that the rule is about; nil for a rule about several or none.
  let field: String?
  /// How a record breaks it.
  let content: Content
  /// The sentence of the line, or the rule as it was written.
  let words: String

  /// The fields that the rule reads; nil for all.
  var fieldNames: Set<String>? {
    switch content {
    case .refused(let filter): filter.attributeNames.map { $0.union(field.map { [$0] } ?? []) }
    case .readable: field.map { [$0] }
    case .unique(let names): Set(names)
    }
  }
}
