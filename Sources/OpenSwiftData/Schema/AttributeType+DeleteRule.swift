extension AttributeType {
  /// Reads a spelling that may end in the delete rule of a link: `link:ENTITY:cascade`,
  /// `links:ENTITY:deny`; nil when it is none.
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
