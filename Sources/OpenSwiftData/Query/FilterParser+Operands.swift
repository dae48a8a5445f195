import Foundation

/// The operands of a comparison.
extension FilterParser {
  mutating func operand(isValue: Bool = false) throws(FilterSyntaxError) -> Operand {
    let current = token
    switch current.kind {
    case .name(let name):
      try advance()
      return .field(try attribute(name, at: current))
    case .word(let word):
      let lower = word.lowercased()
      if ["true", "false", "yes", "no", "null", "nil"].contains(lower) {
        try advance()
        return .literal(current)
      }
      guard !Self.reserved.contains(lower) || entity.fieldsByName[word] != nil else {
        throw wrong("a field")
      }
      try advance()
      return .field(try attribute(word, at: current, isValue: isValue))
    case .text, .number, .date, .parameter:
      try advance()
      return .literal(current)
    case .duration, .symbol, .end:
      throw wrong("a field or a value")
    }
  }

  func attribute(_ name: String, at place: SyntaxToken, isValue: Bool = false)
    throws(FilterSyntaxError) -> Schema.Attribute
  {
    if let attribute = entity.field(inAnyCase: name) { return attribute }
    let names = entity.fields.map(\.name)
    if let spaced = nameWithSpaces(at: place, among: names) {
      throw scanner.error(
        at: place.start,
        "\(entity.name) has no field \(Value.quoted(name)); "
          + "write a name with spaces in backticks: \(Self.spelled(spaced))",
        .unknownField
      )
    }
    if case .word = place.kind, scanner.bytes[(place.start + name.utf8.count)...].first == 0x28 {
      throw scanner.error(
        at: place.start,
        "\(entity.name) has no field \(Value.quoted(name)); functions such as \(name)(…) stand only after \"where\" in "
          + "commands",
        .unknownField
      )
    }
    // Where a value is expected, missing quotes are the more likely mistake.
    let isText = isValue && Suggestion.nearest(to: name, among: names) == nil
    throw scanner.error(
      at: place.start,
      "\(entity.name) has no field \(Value.quoted(name)); "
        + (isText
          ? "write text in quotes: \(Value.quoted(name))"
          : Suggestion.text(for: name, among: names)),
      .unknownField
    )
  }

  /// The longest name with spaces that the text has at a word; nil for a single word.
  private func nameWithSpaces(at place: SyntaxToken, among names: [String]) -> String? {
    let spaced = names.filter { $0.contains(" ") }
    guard case .word = place.kind, !spaced.isEmpty else { return nil }
    let rest = String(decoding: scanner.bytes[place.start...], as: UTF8.self).lowercased()
    return spaced.filter { rest.hasPrefix($0.lowercased()) }.max { $0.count < $1.count }
  }

  /// A link that is given by a value of the linked record, such as `name:"Calvino"`; nil for anything else.
  mutating func linkByValue(_ attribute: Schema.Attribute) throws(FilterSyntaxError) -> Value? {
    let start = token
    let field: String
    switch token.kind {
    case .word(let name), .name(let name): field = name
    default: return nil
    }
    guard case .link = attribute.type, link != nil, scanner.takeColon() else { return nil }
    try advance()
    let text: String
    switch token.kind {
    case .text(let value), .number(let value, _), .date(let value), .word(let value): text = value
    case .parameter(_, let value):
      guard let value else {
        try advance()
        return .null
      }
      text = value
    case .name, .duration, .symbol, .end: throw wrong("a value of the field \"\(field)\"")
    }
    do {
      let value = try value("\(field):\(text)", start, for: attribute)
      try advance()
      return value
    } catch let error as FilterSyntaxError {
      throw error
    } catch {
      throw scanner.error(at: start.start, "\(error)")
    }
  }

  mutating func literalValue(for attribute: Schema.Attribute) throws(FilterSyntaxError)
    -> Value
  {
    if let value = try linkByValue(attribute) { return value }
    guard case .literal(let literal) = try operand(isValue: true) else {
      throw wrong("a value for the field \"\(attribute.name)\"")
    }
    return try value(of: literal, for: attribute)
  }

  /// The literal as a value that can be compared with the attribute.
  func value(of place: SyntaxToken, for attribute: Schema.Attribute)
    throws(FilterSyntaxError) -> Value
  {
    do {
      switch place.kind {
      case .word(let word):
        let lower = word.lowercased()
        if lower == "null" || lower == "nil" { return .null }
        if attribute.type == .json, lower == "true" || lower == "false" { return .json(lower) }
        guard attribute.type == .boolean else { throw ValueError("is a truth value") }
        return .boolean(lower == "true" || lower == "yes")
      case .number(let text, _): return try number(text, for: attribute)
      case .date(let text): return try value(text, place, for: attribute)
      case .parameter(_, nil): return .null
      case .text(let text), .parameter(_, let text?):
        // A bound may be a number that the field cannot hold, in quotes, too.
        if attribute.type.isNumeric, let exact = try? number(text, for: attribute) { return exact }
        return try value(text, place, for: attribute)
      default: throw ValueError("cannot be compared with \(place.name)")
      }
    } catch let error as ValueError {
      throw scanner.error(
        at: place.start,
        "field \"\(attribute.name)\" has type \(attribute.type.description); \(explain(error, place, attribute))"
      )
    } catch {
      throw scanner.error(at: place.start, "\(error)")
    }
  }

  func explain(
    _ error: ValueError,
    _ place: SyntaxToken,
    _ attribute: Schema.Attribute
  ) -> String {
    switch place.kind {
    case .number(let text, _) where attribute.type == .text: return "write \(Value.quoted(text))"
    case .word(let text) where attribute.type == .text: return "write \(Value.quoted(text))"
    default: break
    }
    return error.description.hasPrefix("\"")
      ? error.description : "\(place.name) \(error.description)"
  }

  func number(_ text: String, for attribute: Schema.Attribute) throws -> Value {
    guard attribute.type.isNumeric else {
      if attribute.type == .json { return .json(text) }
      if attribute.type == .boolean { return try Value(parsing: text, as: .boolean) }
      // The key of a record may be a number.
      if case .link = attribute.type, let link { return .link(try link(text, attribute)) }
      throw ValueError("is a number")
    }
    if let whole = Int64(text) { return .integer(whole) }
    guard attribute.type == .number else { return try Value(parsing: text, as: .decimal) }
    do {
      return try Value(parsing: text, as: .number)
    } catch {
      // A bound may be a number that the field cannot hold: a decimal is compared just as exactly.
      guard let exact = try? Value(parsing: text, as: .decimal) else { throw error }
      return exact
    }
  }

  func value(
    _ text: String,
    _ place: SyntaxToken,
    for attribute: Schema.Attribute
  ) throws -> Value {
    switch attribute.type {
    case .link:
      guard let link else {
        throw ValueError("cannot be compared; links can only be tested with is null")
      }
      return .link(try link(text, attribute))
    case .links:
      throw ValueError("cannot be compared; use contains with an identifier in quotes, or is null")
    case .text, .json:
      if case .date(let date) = place.kind {
        throw ValueError("\"\(date)\" is a date; write it in quotes")
      }
      return attribute.type == .text ? .text(text) : .json(text)
    case .datetime:
      // A text without a time is a day, in quotes, too.
      return try (try? Value(parsing: text, as: .date)) ?? Value(parsing: text, as: .datetime)
    default: return try Value(parsing: text, as: attribute.type)
    }
  }
}

extension Schema.Entity {
  /// The field with a name, in any case if that is unambiguous; nil without one.
  package func field(inAnyCase name: String) -> Schema.Attribute? {
    if let field = fieldsByName[name] { return field }
    let alike = fields.filter { $0.name.lowercased() == name.lowercased() }
    return alike.count == 1 ? alike[0] : nil
  }
}
