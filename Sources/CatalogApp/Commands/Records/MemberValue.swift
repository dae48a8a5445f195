import OpenSwiftData

/// A new value for a member of a JSON field.
struct MemberValue {
  let path: MemberPath
  /// The position of the JSON field in the records.
  let slot: Int
  let content: Assignment.Content

  /// Replaces the member in a record, and leaves the rest of the JSON as it is.
  ///
  /// A text stays a text, even if the new one could be a number. A parameter becomes a number or a truth value only in
  /// place of one.
  ///
  /// - Throws: `CommandError` for a path that leads into another kind of value, and for JSON that no field can hold.
  func set(in state: ModelState) throws {
    let json: String? = if case .json(let text) = state.value(at: slot) { text } else { nil }
    let former = json.map { path.path.value(in: .json($0)) } ?? .null
    do {
      let replaced = try path.path.replacing(in: json, with: newJSON(replacing: former))
      state.set(try Value(parsing: replaced, as: .json), at: slot)
    } catch let error as CommandError {
      throw CommandError("\(path.name): \(error.message)", code: error.code)
    } catch let error as ValueError {
      throw CommandError("\(path.name): \(error)", code: .invalidValue)
    }
  }

  /// The new value as JSON: numbers as they were written.
  private func newJSON(replacing former: Value) -> String {
    switch content {
    case .value(let value):
      return former.isText && value.isPlain ? JSONText.quoted(value.text) : value.jsonText
    case .typed(let text):
      return Self.json(text) { !former.isText || !Self.isPlain($0) }
    case .parameter(let text):
      return Self.json(text) { former.isPlain && Self.isPlain($0) }
    case .computed(let text): return JSONText.quoted(text)
    }
  }

  /// What a text means as JSON, if that is accepted, or else the text.
  private static func json(_ text: String, accepting accepts: (String) -> Bool) -> String {
    guard let json = try? JSONText.compact(text), accepts(json) else {
      return JSONText.quoted(text)
    }
    return json
  }

  /// True for a number or a truth value.
  private static func isPlain(_ json: String) -> Bool {
    json == "true" || json == "false" || json.first.map { $0 == "-" || $0.isNumber } ?? false
  }
}

extension Value {
  fileprivate var isText: Bool { if case .text = self { true } else { false } }

  /// True for a number or a truth value.
  fileprivate var isPlain: Bool {
    switch self {
    case .integer, .number, .decimal, .boolean: true
    default: false
    }
  }
}

extension Session {
  /// The value after the equals sign of a path: a number, a truth value or JSON without quotes, a text otherwise.
  ///
  /// Objects and arrays, which have quotes of their own, are quoted as a whole.
  func content(
    assigned word: CommandText.Word,
    in line: CommandText,
    at path: MemberPath,
    of entity: Schema.Entity
  ) throws -> Assignment.Content {
    _ = try path.changeableSlot(of: entity)
    if let parameter = script.parameter(assigned: word) {
      return parameter.text.map { parameter.isJSON ? .typed($0) : .parameter($0) } ?? .value(.null)
    }
    try script.requireLiteral(word, in: line, for: path.name, .json, of: entity)
    guard let text = word.assignment?.value, !text.isEmpty || word.isValueQuoted else {
      return .value(.null)
    }
    guard word.isValueQuoted else { return .typed(text) }
    guard let first = text.first, "[{".contains(first) else { return .value(.text(text)) }
    guard (try? JSONText.compact(text)) != nil else {
      throw CommandError(
        "invalid JSON \(Value.quoted(text)); quote the whole value: \(path.name)='…'",
        code: .invalidValue
      )
    }
    return .typed(text)
  }

  /// The new values of members among assignments.
  ///
  /// - Throws: `CommandError` if another program has changed the field since.
  func memberValues(_ assignments: [Assignment], of entity: Schema.Entity) throws -> [MemberValue] {
    try assignments.compactMap { assignment in
      if case .computed = assignment.content { return nil }
      guard let path = MemberPath(assignment.field, of: entity) else { return nil }
      let slot = try path.changeableSlot(of: entity)
      return MemberValue(path: path, slot: slot, content: assignment.content)
    }
  }
}

extension MemberPath {
  /// The position of the field of the path, which must not be read-only.
  fileprivate func changeableSlot(of entity: Schema.Entity) throws -> Int {
    let attribute = try entity.attribute(named: field)
    guard !attribute.isReadOnly, let slot = entity.layout.slot(of: field) else {
      throw CommandError("\(attribute.readOnlyReason ?? field); leave it out")
    }
    return slot
  }
}
