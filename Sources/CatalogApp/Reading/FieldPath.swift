import OpenSwiftData

/// A value that is reached from a record: a field of a linked record, a value inside a JSON field, or what a computed
/// column shows.
enum FieldPath: Hashable, Sendable {
  case link(LinkPath)
  case members(MemberPath)
  case computed(ComputedPath)

  /// Finds the path with a name; nil if the name does not begin with a link and a period, or with a JSON field and
  /// a step into it.
  ///
  /// - Throws: As `LinkPath`.
  init?(_ name: String, of entity: Schema.Entity, in schema: Schema) throws {
    if let path = MemberPath(name, of: entity) {
      self = .members(path)
    } else if let path = try LinkPath(name, of: entity, in: schema) {
      self = .link(path)
    } else {
      return nil
    }
  }

  /// Finds the path that a person means, in any case and with shortened names of fields; nil if there is none.
  ///
  /// The members inside a JSON value must be spelled as they are.
  init?(typed name: String, of entity: Schema.Entity, in schema: Schema) {
    guard entity.fieldsByName[name] == nil else { return nil }
    // A name that is wrong is an error only where it is used.
    let exact = (try? FieldPath(name, of: entity, in: schema)) ?? nil
    let meant = exact == nil ? Self.fullName(typed: name[...], of: entity, in: schema) : nil
    guard let path = exact ?? meant.flatMap({ (try? FieldPath($0, of: entity, in: schema)) ?? nil })
    else { return nil }
    self = path
  }

  /// The path with the full name of each field; nil if a step is not the name of one field.
  private static func fullName(typed name: Substring, of entity: Schema.Entity, in schema: Schema)
    -> String?
  {
    guard let end = name.firstIndex(where: { $0 == "." || $0 == "[" }) else {
      return FilterTerm.field(String(name), of: entity)?.name
    }
    let owners = entity.fields.filter { $0.type == .json || $0.type.destination != nil }
    let first = TypedName(String(name[..<end]), among: owners.map(\.name))
    guard case .field(let owner) = first, let type = entity.fieldsByName[owner]?.type else {
      return nil
    }
    if type == .json { return owner + name[end...] }
    guard name[end] == ".", let linked = type.destination.flatMap({ schema.entitiesByName[$0] }),
      let rest = fullName(typed: name[end...].dropFirst(), of: linked, in: schema)
    else { return nil }
    return owner + "." + rest
  }

  /// The whole path as it is written.
  var name: String {
    switch self {
    case .link(let path): path.name
    case .members(let path): path.name
    case .computed(let path): path.name
    }
  }

  /// The fields of the record that it needs: the one where it begins, or all that an expression uses.
  var fields: [String] {
    switch self {
    case .link(let path): [path.link]
    case .members(let path): [path.field]
    case .computed(let path): path.fields
    }
  }

  /// True for a computed column.
  var isComputed: Bool { if case .computed = self { true } else { false } }

  /// The type of the values at the end, as far as it is known.
  var type: AttributeType {
    switch self {
    case .link(let path): path.type
    case .members(let path): path.type
    case .computed(let path): path.expression.type
    }
  }

  /// True if the values at the end are bytes.
  var isBlob: Bool {
    if case .link(let path) = self { path.isBlob } else { false }
  }

  /// The path as a field of the first entity.
  var attribute: Schema.Attribute { Schema.Attribute(name, type) }
}

/// A value inside a JSON field, such as `user.login` or `tags[0]`.
struct MemberPath: Hashable, Sendable {
  /// The whole path as it is written.
  let name: String
  /// The JSON field.
  let field: String
  /// The entity of the field.
  let entityName: String
  /// The way from the value of the field.
  let path: JSONPath
  /// The type of most values, as far as it is known; text otherwise.
  var type = AttributeType.text

  /// True if another path leads to the same place in some values, as `tags[-1]` and `tags[1]` do where there are two, or
  /// into it.
  func mayHold(_ other: MemberPath) -> Bool { field == other.field && path.mayHold(other.path) }

  /// Finds the path with a name; nil if the name does not begin with a JSON field and a step into it.
  init?(_ name: String, of entity: Schema.Entity) {
    guard entity.fieldsByName[name] == nil else { return nil }
    for place in name.indices where name[place] == "." || name[place] == "[" {
      guard entity.fieldsByName[String(name[..<place])]?.type == .json,
        let path = JSONPath(name[place...])
      else { continue }
      self.name = name
      field = String(name[..<place])
      entityName = entity.name
      self.path = path
      return
    }
    return nil
  }

  /// A value at the end, with numbers and truth values as texts where most values are texts.
  func compared(_ found: Value) -> Value {
    guard type == .text else { return found }
    switch found {
    case .integer, .number, .decimal, .boolean: return .text(found.text)
    default: return found
    }
  }
}

extension Schema.Entity {
  /// The entity with the identifier as an additional text, so that predicates can compare it.
  var withIdentifier: Schema.Entity {
    Schema.Entity(name, attributes: fields + [Schema.Attribute(identifierKey, .text)])
  }

  /// The entity with what predicates can compare besides its fields.
  func extended(withIdentifier hasIdentifier: Bool, paths: [FieldPath]) -> Schema.Entity {
    let entity = hasIdentifier ? withIdentifier : self
    return paths.isEmpty
      ? entity : Schema.Entity(name, attributes: entity.fields + paths.map(\.attribute))
  }

  /// The hint for a column of a file that is not a field.
  func hint(forColumn name: String) -> String {
    guard let path = MemberPath(name, of: self) else {
      return Suggestion.text(for: name, among: layout.names)
    }
    return "a value inside JSON cannot be imported alone, only the whole field "
      + Value.quoted(path.field)
  }
}

extension FieldPath {
  /// The names in the text of a predicate that may be paths of an entity.
  ///
  /// - Complexity: O(n) in the length of the text.
  static func names(in text: Substring, of entity: Schema.Entity) -> Set<String> {
    guard text.utf8.contains(where: { $0 == UInt8(ascii: ".") || $0 == UInt8(ascii: "[") }),
      entity.fields.contains(where: { $0.type.destination != nil || $0.type == .json })
    else { return [] }
    var names: Set<String> = []
    for (place, part) in text.split(separator: "`", omittingEmptySubsequences: false).enumerated() {
      if place % 2 == 1 { names.insert(String(part)) }
      let words = part.split { character in
        !(character.isLetter || character.isNumber || "_-.[]".contains(character)
          || character.unicodeScalars.contains { $0.value > 0x7F })
      }
      // A `-` before a term inverts it.
      for word in words { names.formUnion([String(word), String(word.drop { $0 == "-" })]) }
    }
    return names.filter { $0.contains(".") || $0.contains("[") }.union(quotedNames(in: text))
  }

  /// The names with a step such as `["a.b"]`.
  private static func quotedNames(in text: Substring) -> Set<String> {
    guard text.contains("[\"") else { return [] }
    let name = /[^\s"'`=<>!(),{}&|#:]+(?:\["(?:[^"\\]|\\.)*"\][^\s"'`=<>!(),{}&|#:]*)+/
    // A `-` before a term inverts it.
    return text.matches(of: name).reduce(into: []) { names, match in
      names.formUnion([String(match.output), String(match.output.drop { $0 == "-" })])
    }
  }
}

extension FieldPath {
  /// The paths in the text of a predicate, as far as a schema tells; what is compared with a value inside JSON tells
  /// the type of that value.
  static func paths(in text: String, of entity: Schema.Entity, _ schema: @autoclosure () -> Schema)
    -> [FieldPath]
  {
    let names = names(in: text[...], of: entity)
    guard !names.isEmpty else { return [] }
    let schema = schema()
    let tokens = PredicateToken.split(text)
    var known: Set<String> = []
    return names.sorted().compactMap { name in
      guard let path = FieldPath(typed: name, of: entity, in: schema),
        known.insert(path.name).inserted
      else { return nil }
      guard case .members(var member) = path else { return path }
      member.type = termType(of: name, in: tokens) ?? comparedType(of: name, in: tokens)
      return .members(member)
    }
  }

  /// The type of the value after `NAME:`; nil if there is no such term.
  private static func termType(of name: String, in tokens: [PredicateToken]) -> AttributeType? {
    let start = name + ":"
    guard let token = tokens.first(where: { $0.kind == .word && $0.text.hasPrefix(start) }) else {
      return nil
    }
    let value = token.text.dropFirst(start.count)
    if ["true", "false", "yes", "no"].contains(value.lowercased()) { return .boolean }
    let first = value.split(whereSeparator: { ".-,".contains($0) && $0 != "." }).first ?? ""
    let digits =
      first.last.map { "kmb".contains($0.lowercased()) } == true ? first.dropLast() : first
    if CalendarDate(String(value)) != nil { return .date }
    return Double(digits.split(separator: ".").joined(separator: ".")) == nil ? nil : .number
  }

  /// The type of the first literal after a name.
  static func comparedType(of name: String, in tokens: [PredicateToken])
    -> AttributeType
  {
    guard let place = tokens.firstIndex(where: { $0.text == name }) else { return .text }
    for token in tokens[(place + 1)...].prefix(6) {
      switch token.kind {
      case .quoted: return .text
      case .number:
        // A date begins with a number, too.
        return CalendarDate(token.text) == nil ? .number : .date
      case .word where ["true", "false"].contains(token.text.lowercased()): return .boolean
      default: continue
      }
    }
    return .text
  }
}
