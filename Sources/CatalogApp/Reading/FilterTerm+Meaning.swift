import OpenSwiftData

/// What terms mean.
extension FilterTerm {
  /// The condition that a text means; nil if none of its terms names a field, or if it is meant as a predicate.
  ///
  /// - Throws: `FilterInput.Problem` with the place of a value that is not valid for its field.
  static func filter(_ text: String, _ entity: Schema.Entity, today: CalendarDate?)
    throws(FilterInput.Problem) -> Filter?
  {
    let terms = split(text, entity)
    guard !terms.contains(where: { $0.isUnfinished || $0.isReserved }) else { return nil }
    var parts: [Filter] = []
    var hasField = false
    for (place, term) in terms.enumerated() {
      guard let part = try term.meaning(entity, today) else {
        if terms.count > 1 {
          try term.refuseUnknownField(after: place > 0 ? terms[place - 1] : nil, entity)
        }
        return nil
      }
      parts.append(part.filter)
      hasField = hasField || part.hasField
    }
    return !hasField ? nil : parts.count == 1 ? parts[0] : .and(parts)
  }

  /// The words of a text that are the beginning of a boolean field's name, with the name: `fav` and `favourite`.
  ///
  /// Only after `-` do they mean the field.
  static func shortenedBooleans(in text: String, _ entity: Schema.Entity)
    -> [(word: String, field: String)]
  {
    guard mayBeTerms(text) else { return [] }
    return split(text).compactMap { term in
      let word = term.text.lowercased()
      guard word.count > 2, let field = field(word, of: entity), field.type == .boolean,
        field.name.lowercased().hasPrefix(word), field.name.count > word.count
      else { return nil }
      return (term.text, field.name)
    }
  }

  /// The condition, and whether it names a field; nil if only a predicate has such a part.
  private func meaning(_ entity: Schema.Entity, _ today: CalendarDate?)
    throws(FilterInput.Problem) -> (filter: Filter, hasField: Bool)?
  {
    let isInverted = text.first == "-" && text.count > 1
    func inverted(_ filter: Filter) -> Filter { isInverted ? .not(filter) : filter }
    let word = Self.plain(text.dropFirst(isInverted ? 1 : 0))
    let options: TextMatch.Options = [.caseInsensitive, .diacriticInsensitive]
    let anyField = inverted(.anyText(TextMatch(.contains, word, options: options)))
    guard let (name, operation, value, start) = comparison else {
      if word.isEmpty { return nil }
      guard let field = booleanField(word, isInverted, of: entity) else {
        return (anyField, isInverted)
      }
      return (.compare(field.name, isInverted ? .notEqual : .equal, .boolean(true)), true)
    }
    let typed = TypedName(name, of: entity)
    guard case .field(let known) = typed, let field = entity.fieldsByName[known] else {
      guard operation == ":" || typed != .unknown else { return nil }
      // A word may contain a colon, as addresses and times do.
      guard typed == .unknown, value.hasPrefix("//") || name.allSatisfy(\.isNumber) else {
        throw FilterInput.Problem(name: name, at: nameStart, of: entity)
      }
      return (anyField, false)
    }
    guard !value.isEmpty || operation == ":" else { return nil }
    do throws(ValueError) {
      let reader = TermValue(field: field, today: today)
      return (inverted(try reader.filter(operation, Self.plain(value))), true)
    } catch {
      throw FilterInput.Problem(error, of: field, at: start, length: max(1, value.count))
    }
  }

  /// The boolean field that the term names without a comparison; nil for a word.
  ///
  /// Only after `-` may the name be shortened, and a name in quotes is a word.
  private func booleanField(_ word: String, _ isInverted: Bool, of entity: Schema.Entity)
    -> Schema.Attribute?
  {
    if !isInverted {
      return text.contains("\"") ? nil : Self.booleanField(named: word, of: entity)
    }
    return Self.field(word, of: entity).flatMap { $0.type == .boolean ? $0 : nil }
  }

  /// Rejects the comparison of an unknown field next to other terms.
  ///
  /// - Throws: `FilterInput.Problem` with the place of the name.
  private func refuseUnknownField(after before: FilterTerm?, _ entity: Schema.Entity)
    throws(FilterInput.Problem)
  {
    guard let name = comparison?.field, name.contains(where: \.isLetter),
      !name.contains(where: { "()!".contains($0) }), Self.field(name, of: entity) == nil
    else { return }
    // A plain word before it may belong to the name.
    let mayHaveSpaces = entity.fields.contains { $0.name.contains(" ") }
    guard !mayHaveSpaces || before == nil || before?.comparison != nil else { return }
    throw FilterInput.Problem(name: name, at: nameStart, of: entity)
  }
}
