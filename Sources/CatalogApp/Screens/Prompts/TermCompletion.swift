import OpenSwiftData

/// The value of a term such as `director:pe` that is being typed.
struct TermCompletion {
  let field: String
  /// True if the field refers to records, which have titles.
  let isLink: Bool
  let prefix: String
  /// The characters that a value replaces.
  let range: Range<Int>

  /// Finds the value before the cursor; nil elsewhere.
  init?(_ before: String, _ entity: Schema.Entity) {
    guard let term = FilterTerm.split(before, entity).last,
      term.start + term.text.count == before.count,
      let (name, operation, value, start) = term.comparison, operation == ":",
      let field = FilterTerm.field(name, of: entity)
    else { return nil }
    self.field = field.name
    isLink = field.type.destination != nil
    // Of a list, the last value is completed.
    let last = value.lastIndex(of: ",").map { value[value.index(after: $0)...] } ?? value
    prefix = FilterTerm.plain(last)
    range = start + value.count - last.count..<before.count
  }

  /// The names of fields as terms have them: `major` as `major:`, a boolean field alone; nil if the text is meant as a
  /// predicate.
  static func fields(_ names: [String], of entity: Schema.Entity, after before: String)
    -> [String]?
  {
    guard FilterTerm.mayBeTerms(before), !before.contains("`") else { return nil }
    return names.map { name in
      if name.hasPrefix("`") { return "\"\(name.dropFirst().dropLast())\":" }
      return entity.fieldsByName[name]?.type == .boolean ? name : name + ":"
    }
  }

  /// The fields whose names begin with the last word, after other terms or a `-`; nil without any.
  static func fields(beginningWithLastWordOf before: String, _ entity: Schema.Entity)
    -> (terms: [String], range: Range<Int>)?
  {
    guard let term = FilterTerm.last(of: before) else { return nil }
    let prefix = String(before.dropFirst(term.nameStart))
    let names = PredicateCompletion.fields(of: entity, beginning: prefix)
    guard !prefix.isEmpty, !names.isEmpty,
      let terms = fields(names.map(FilterParser.spelled), of: entity, after: before)
    else { return nil }
    return (terms, term.nameStart..<before.count)
  }

  /// A value as a term contains it.
  static func spelled(_ value: Value) -> String {
    let text = value.text.filter { $0 != "\"" }
    let isPlain = text.allSatisfy { !$0.isWhitespace && !",:".contains($0) }
    return isPlain && !text.isEmpty ? text : "\"\(text)\""
  }
}
