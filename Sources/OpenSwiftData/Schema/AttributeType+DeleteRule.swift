extension AttributeType {
  /// Reads a type that may end in the delete rule of a link; nil if the spelling is invalid.
  ///
  /// Examples are `link:ENTITY:cascade` and `links:ENTITY:deny`.
  package static func reading(_ spelling: String)
    -> (AttributeType, Schema.Relationship.DeleteRule)?
  {
    for rule in Schema.Relationship.DeleteRule.allCases where spelling.hasPrefix("link") {
      let suffix = ":\(rule.rawValue)"
      guard spelling.hasSuffix(suffix),
        let type = AttributeType(String(spelling.dropLast(suffix.count))),
        type.destination != nil
      else { continue }
      return (type, rule)
    }
    return AttributeType(spelling).map { ($0, .nullify) }
  }
}
