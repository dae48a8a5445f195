import Foundation
import OpenSwiftData

/// Reads a file of rules, one a line.
struct RuleReader {
  private let session: Session
  private var entities: [String: Schema.Entity] = [:]

  init(_ session: Session) { self.session = session }

  /// Reads a file; `-` is the standard input.
  ///
  /// - Throws: `CommandError` with the place in the file, or the error of a file or a store that cannot be read.
  mutating func rules(inFile path: String) throws -> [RecordRule] {
    let bytes = TextEncoding.withoutMark(try session.readInput(path))
    guard let text = String(validating: bytes, as: UTF8.self) else {
      throw CommandError("\(path): not UTF-8 text", code: .invalidFile)
    }
    var rules: [RecordRule] = []
    let lines = text.split(omittingEmptySubsequences: false) { $0 == "\n" || $0 == "\r\n" }
    for (index, line) in lines.enumerated() {
      try Interruption.check()
      do {
        if let rule = try rule(in: String(line)) { rules.append(rule) }
      } catch  where !(error is Interruption.Stopped) {
        let (column, message) = FailureCode.place(of: error)
        let place = TextPlace(line: index + 1, column: column ?? 1)
        throw CommandError("\(path):\(PlacedError(message, at: place))", code: .invalidFile)
      }
    }
    return rules
  }

  /// Reads a line; nil for an empty one and a comment.
  ///
  /// - Throws: `CommandError` or `FilterSyntaxError` with the column.
  mutating func rule(in text: String) throws -> RecordRule? {
    var line = RuleLine(text)
    let first = try line.token()
    if first.kind == .end { return nil }
    let entity = try entity(&line, first)
    let start = line.start
    if line.take("where") {
      let filter = try predicate(&line, of: entity)
      return try rule(
        line,
        from: start,
        of: entity,
        field: Self.onlyField(of: filter, entity),
        .refused(filter)
      )
    }
    let field = try field(&line, of: entity)
    let content = try content(&line, of: field, entity)
    return try rule(line, from: line.ruleStart, of: entity, field: field.name, content)
  }

  private func rule(
    _ line: RuleLine,
    from start: Int,
    of entity: Schema.Entity,
    field: String?,
    _ content: RecordRule.Content
  ) throws -> RecordRule {
    var line = line
    let written = line.text(start..<line.scanner.position)
    return RecordRule(
      entityName: entity.name,
      field: field,
      content: content,
      words: try line.sentence() ?? written
    )
  }

  /// The only field that a condition reads; nil if there are several, or none.
  private static func onlyField(of filter: Filter, _ entity: Schema.Entity) -> String? {
    guard let names = filter.attributeNames, names.count == 1, let name = names.first else {
      return nil
    }
    return entity.fieldsByName[name] == nil ? nil : name
  }

  // MARK: Entity and field

  /// Reads the name of an entity, if there is one before the field.
  private mutating func entity(_ line: inout RuleLine, _ first: SyntaxToken) throws -> Schema.Entity
  {
    guard let name = first.nameText, session.context.schema.entitiesByName[name] != nil else {
      return try settled(nil)
    }
    var ahead = line
    _ = try ahead.next()
    let named = try settled(name)
    let next = (try? ahead.token())?.nameText ?? ""
    guard
      next.lowercased() == "where" || named.field(inAnyCase: next) != nil
        || (try? session.impliedEntity)??.field(inAnyCase: name) == nil
    else { return try settled(nil) }
    line = ahead
    return named
  }

  /// An entity with the types that its values have.
  private mutating func settled(_ name: String?) throws -> Schema.Entity {
    let name = try name ?? session.entity().name
    if let known = entities[name] { return known }
    try session.context.settleTypes(for: Query(name))
    let entity = try session.entity(name)
    entities[name] = entity
    return entity
  }

  private func field(_ line: inout RuleLine, of entity: Schema.Entity) throws -> Schema.Attribute {
    let token = try line.next()
    guard let name = token.nameText else { throw line.error(at: token.start, "expected a field") }
    if let field = entity.field(inAnyCase: name) { return field }
    if let path = try? FieldPath(name, of: entity, in: session.context.schema) {
      throw line.error(
        at: token.start,
        "\(Value.quoted(name)) is not a field; write \"where … must not match\" about \(path.name)"
      )
    }
    throw line.error(
      at: token.start,
      Suggestion.message("\(entity.name) has no field", name, among: entity.fields.map(\.name)),
      .unknownField
    )
  }

  // MARK: The rule

  private func content(
    _ line: inout RuleLine,
    of field: Schema.Attribute,
    _ entity: Schema.Entity
  ) throws -> RecordRule.Content {
    line.scanner.skipSpace()
    line.ruleStart = line.scanner.position
    if line.byte == UInt8(ascii: "/") { return try pattern(&line, field) }
    let word = line.word
    switch word.lowercased() {
    case "required":
      _ = line.take("required")
      return .refused(.isNull(field.name))
    case "unique":
      _ = line.take("unique")
      return .unique(try [field.name] + others(&line, of: entity))
    case "in":
      _ = line.take("in")
      let filter = try list(&line, of: entity)
      return .refused(.and([.not(.isNull(field.name)), .not(filter)]))
    case let name:
      if let type = AttributeType(name) {
        _ = line.take(name)
        return .readable(type, .all)
      }
      guard let bounds = try line.bounds() else { throw line.unknownRule(word) }
      return try range(line, bounds, field, entity)
    }
  }

  /// Reads the fields after `with`.
  private func others(_ line: inout RuleLine, of entity: Schema.Entity) throws -> [String] {
    guard line.take("with") else { return [] }
    var names: [String] = []
    repeat { names.append(try field(&line, of: entity).name) } while line.takeComma()
    return names
  }

  private func pattern(_ line: inout RuleLine, _ field: Schema.Attribute) throws
    -> RecordRule.Content
  {
    let start = line.scanner.position
    let match = TextMatch(
      .matches,
      try line.pattern(),
      options: field.type == .json ? .jsonStrings : []
    )
    do {
      _ = try TextMatcher(match)
    } catch {
      throw line.error(at: start, FailureCode.place(of: error).message)
    }
    return .refused(.and([.not(.isNull(field.name)), .not(.text(field.name, match))]))
  }

  /// Reads `FIELD in (…)` as the predicate that it is.
  private func list(_ line: inout RuleLine, of entity: Schema.Entity) throws -> Filter {
    let end = try line.endOfList()
    return try filter(&line, from: line.fieldStart, to: end, of: entity)
  }

  private func predicate(_ line: inout RuleLine, of entity: Schema.Entity) throws -> Filter {
    let start = line.start
    let refusal = "must not match"
    guard let end = line.place(ofWords: refusal) else {
      throw line.error(at: line.end, "expected \"\(refusal)\" after the predicate")
    }
    let filter = try filter(&line, from: start, to: end.lowerBound, of: entity)
    line.scanner.position = end.upperBound
    return filter
  }

  /// Reads a part of the line as the predicate of a command.
  private func filter(
    _ line: inout RuleLine,
    from start: Int,
    to end: Int,
    of entity: Schema.Entity
  ) throws -> Filter {
    let text = try CommandText(line.text(0..<end))
    let count = text.words.count { $0.start < start }
    var arguments = Arguments(text, after: count)
    let filter = try arguments.requirePredicate(for: entity, in: session)
    if let word = arguments.peek {
      throw line.error(at: word.start, "unexpected \(Value.quoted(word.text)) after the predicate")
    }
    line.scanner.position = end
    return filter
  }

  /// Reads the bounds of a range as values that the field can be compared with.
  ///
  /// Text is compared as what the bounds are: with a number as a number, with a day as a day.
  private func range(
    _ line: RuleLine,
    _ bounds: RuleLine.Bounds,
    _ field: Schema.Attribute,
    _ entity: Schema.Entity
  ) throws -> RecordRule.Content {
    let type = [.text, .json].contains(field.type) ? bounds.type : field.type
    let compared = Schema.Entity(
      entity.name,
      attributes: [Schema.Attribute(field.name, type)]
    )
    let name = FilterParser.spelled(field.name)
    var filters: [Filter] = []
    for (bound, sign) in [(bounds.low, ">="), (bounds.high, "<=")] {
      guard let bound else { continue }
      let beginning = "\(name) \(sign) "
      do {
        filters.append(try FilterParser.parse(beginning + line.text(bound), for: compared))
      } catch {
        let column = max(0, error.column - beginning.count - 1)
        throw line.error(at: bound.lowerBound, further: column, error.message)
      }
    }
    if case .compare(_, _, let low)? = filters.first, case .compare(_, _, let high)? = filters.last,
      filters.count == 2, low.compare(high) == .orderedDescending
    {
      throw line.error(
        at: line.ruleStart,
        "\(low.text) is greater than \(high.text); write the lower bound first"
      )
    }
    return .readable(type, .and(filters))
  }
}

extension SyntaxToken {
  /// A word, or a name in backticks or quotes; nil for anything else.
  fileprivate var nameText: String? {
    switch kind {
    case .word(let text), .name(let text), .text(let text): text
    default: nil
    }
  }
}
