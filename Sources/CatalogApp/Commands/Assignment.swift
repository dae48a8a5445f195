package import OpenSwiftData

/// A field and its new value.
package struct Assignment: Hashable, Sendable {
  /// The new value of a field.
  package enum Content: Hashable, Sendable {
    /// A value, null among them.
    case value(Value)
    /// What was typed, read by the session as a value of the field: shortened identifiers, which only the store
    /// can resolve, and texts that are invalid, which are refused with the reason.
    case typed(String)
  }

  /// The name of the field.
  package let field: String
  /// The new value.
  package let content: Content

  /// Sets a field to a value.
  package init(_ field: String, _ value: Value) {
    self.field = field
    content = .value(value)
  }

  /// Sets a field to the value that a text means.
  init(_ field: String, typed text: String) {
    self.field = field
    content = .typed(text)
  }
}

extension Session {
  /// Reads `FIELD=VALUE` words up to the first word of another form.
  ///
  /// - Throws: `CommandError` for a field that is given twice or a value that is not valid for its
  ///   type.
  func takeAssignments(_ arguments: inout Arguments, for entity: Schema.Entity) throws
    -> [Assignment]
  {
    var assignments: [Assignment] = []
    var names: Set<String> = []
    while let word = arguments.peek, let (name, text) = word.assignment {
      _ = arguments.next()
      let attribute = try arguments.locating(word) {
        let attribute = try entity.attribute(named: name)
        guard names.insert(name).inserted else {
          throw CommandError("duplicate field \"\(name)\"")
        }
        return attribute
      }
      let isNull = text.isEmpty && !word.isValueQuoted
      let new = try arguments.locating(word, at: word.valueStart) {
        isNull ? Value.null : try value(text, for: attribute)
      }
      assignments.append(Assignment(attribute.name, new))
    }
    if let word = arguments.peek {
      try arguments.locating(word) {
        let hint = word.quotingHint.map { "; \($0)" } ?? ""
        throw CommandError("expected FIELD=VALUE, found \(Value.quoted(word.text))\(hint)")
      }
    }
    return assignments
  }

  /// Reads a value for an attribute from its text form; identifiers of links may be shortened.
  func value(_ text: String, for attribute: Schema.Attribute) throws -> Value {
    switch attribute.type {
    case .link: return .link(try linked(text, from: attribute))
    case .links:
      return .links(
        try text.split(whereSeparator: { $0 == " " || $0 == "," }).map {
          try linked(String($0), from: attribute)
        }
      )
    default:
      do {
        return attribute.kept(try Value(parsing: text, as: attribute.type))
      } catch {
        throw CommandError("\(attribute.name): \(error)")
      }
    }
  }

  /// The values of assignments for the current fields.
  ///
  /// - Throws: `CommandError` if another program has changed the type of a field since.
  func values(_ assignments: [Assignment], for entity: Schema.Entity) throws
    -> [(attribute: Schema.Attribute, value: Value)]
  {
    try assignments.map { assignment in
      let attribute = try entity.attribute(named: assignment.field)
      switch assignment.content {
      case .typed(let text): return (attribute, try value(text, for: attribute))
      case .value(let value):
        guard value.isNull || attribute.accepts(value) else { throw Self.fieldsChanged(entity) }
        return (attribute, value)
      }
    }
  }
}
