import Expressions
import Foundation
package import OpenSwiftData

/// A field and its new value.
package struct Assignment: Hashable, Sendable {
  /// The new value of a field.
  package enum Content: Hashable, Sendable {
    /// A value, possibly null.
    case value(Value)
    /// Text that only the session can parse: identifiers, which may be shortened, text that is invalid for
    /// the field and will be rejected with the reason, or a code that makes the field text.
    case typed(String)
    /// Text for a value inside JSON that was given beside the command.
    case parameter(String)
    /// The text of an expression, which gives each record a value of its own.
    case computed(String)
  }

  /// The name of the field.
  package let field: String
  /// The new value.
  package let content: Content

  /// The value; nil for text that only the session can parse.
  var value: Value? {
    if case .value(let value) = content { value } else { nil }
  }

  /// True if the value is computed from the record.
  var isComputed: Bool {
    if case .computed = content { true } else { false }
  }

  /// Sets a value inside a JSON field.
  init(_ path: String, content: Content) {
    (field, self.content) = (path, content)
  }

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

extension Schema.Attribute {
  /// The reason why this field cannot be set; nil for other fields.
  var readOnlyReason: String? {
    readOnlyCause.map { "\(name): read-only field, \($0)" }
  }

  /// The reason why the field of a record cannot be set because it is the key of a saved one; nil if it can.
  func keyReason(_ identifier: PersistentIdentifier?) -> String? {
    guard let identifier, !identifier.isTemporary else { return nil }
    if isSettableWhenNew { return readOnlyReason.map { "\($0); leave it out" } }
    guard isKey else { return nil }
    return "\(name): the key cannot be changed; duplicate the record and delete this one"
  }

  /// The field as an editor of a record has it; nil for a record that is not added yet.
  func edited(in identifier: PersistentIdentifier?) -> Schema.Attribute {
    identifier?.isTemporary ?? true ? ofNewRecord : self
  }

  /// The reason why the field cannot be edited as text; nil if it can.
  var fixedReason: String? {
    readOnlyReason
      ?? (isBlob ? "\(name): bytes cannot be edited here; use set with text in base 64" : nil)
  }

  /// Checks that a command may set the field, at least of new records.
  ///
  /// - Throws: `CommandError` for a field whose values the store makes.
  fileprivate func requireChangeable() throws {
    if isSettableWhenNew { return }
    if let readOnlyReason { throw CommandError("\(readOnlyReason); leave it out") }
  }
}

extension Session {
  /// Reads `FIELD=VALUE` words, `FIELD:=EXPRESSION` and JSON objects to the end of the line, or to one of the words that may
  /// follow.
  ///
  /// - Throws: `CommandError` for a field that is given twice or a value that is not valid for its
  ///   type.
  func takeAssignments(
    _ arguments: inout Arguments,
    for entity: Schema.Entity,
    untilExpect: Bool = false,
    allowingPaths: Bool = false,
    in scope: ExpressionScope? = nil
  ) throws -> [Assignment] {
    var assignments: [Assignment] = []
    var names: Set<String> = []
    var paths: [MemberPath] = []
    func insert(_ name: String) throws {
      guard names.insert(name).inserted else { throw CommandError("duplicate field \"\(name)\"") }
    }
    func insert(_ path: MemberPath) throws {
      try insert(path.name)
      if let other = paths.first(where: path.mayHold) {
        throw CommandError(
          "\"\(path.name)\" may replace \"\(other.name)\", which is set already; set it with another command"
        )
      }
      paths.append(path)
    }
    func newField(_ name: String) throws -> Schema.Attribute {
      let attribute = try entity.attribute(named: name)
      try insert(name)
      try attribute.requireChangeable()
      return attribute
    }
    while let word = arguments.peek {
      if let (word, name, text) = try takeComputed(
        &arguments,
        for: entity,
        isInOrder: scope != nil,
        in: scope
      ) {
        let path = allowingPaths ? MemberPath(name, of: entity) : nil
        try arguments.locating(word) {
          if let path {
            try insert(path)
          } else {
            _ = try newField(name)
          }
        }
        assignments.append(Assignment(path?.name ?? name, content: .computed(text)))
      } else if arguments.startsObject {
        // An object without members leaves all fields as they are.
        try arguments.takeObject { name, item in
          let member = try linkMember(name, ImportCell(item), of: entity)
          let attribute = try newField(member.name)
          var text: String?
          if case .text(let typed) = member.cell { text = typed }
          assignments.append(
            try assignment(typed: text, to: attribute) {
              try value(ofMember: member.cell, for: attribute)
            }
          )
        }
      } else if let name = word.assignedName {
        _ = arguments.next()
        if allowingPaths,
          let path = arguments.quotedPath(word).flatMap({ MemberPath($0, of: entity) })
            ?? MemberPath(name, of: entity)
        {
          try arguments.requireNoComma(after: word)
          try arguments.locating(word) {
            try insert(path)
            assignments.append(
              Assignment(
                path.name,
                content: try content(assigned: word, in: arguments.line, at: path, of: entity)
              )
            )
          }
          continue
        }
        let attribute = try arguments.locating(word) { try newField(name) }
        if case .links = attribute.type {} else { try arguments.requireNoComma(after: word) }
        let new = try assignment(typed: text(assigned: word), to: attribute) {
          try arguments.locating(word, at: word.valueStart) {
            try arguments.addingHint(word, attribute, canConvert: store.allowsSchemaChanges) {
              try value(assigned: word, in: arguments.line, for: attribute, of: entity)
            }
          }
        }
        assignments.append(new)
      } else {
        break
      }
    }
    let ends = untilExpect ? ["expect", "missing", "skip"] : []
    if let word = arguments.peek, !ends.contains(where: word.isKeyword) {
      try arguments.locating(word) {
        let isFile = untilExpect && word.isKeyword("join")
        let hint = isFile ? "write join before the values" : word.quotingHint
        throw CommandError(
          "expected FIELD=VALUE, found \(Value.quoted(word.text))\(hint.map { "; \($0)" } ?? "")"
        )
      }
    }
    return assignments
  }

  /// The assignment of a value, or of the text that it was typed as if the field needs another type to keep that.
  private func assignment(
    typed text: String?,
    to attribute: Schema.Attribute,
    _ value: () throws -> Value
  ) rethrows -> Assignment {
    guard let text, store.keepsTexts, attribute.type(toKeep: text) != nil else {
      return Assignment(attribute.name, try value())
    }
    return Assignment(attribute.name, typed: text)
  }

  /// The text after the `=` of a word, or what a parameter holds; nil for JSON, and without a value.
  private func text(assigned word: CommandText.Word) -> String? {
    guard let parameter = script.parameter(assigned: word) else { return word.assignedValue }
    return parameter.isJSON ? nil : parameter.text
  }

  /// The value after the `=` of a word: null without text, or what a parameter holds.
  private func value(
    assigned word: CommandText.Word,
    in line: CommandText,
    for attribute: Schema.Attribute,
    of entity: Schema.Entity
  ) throws -> Value {
    if let parameter = script.parameter(assigned: word) {
      return try value(ofMember: parameter.cell(for: attribute), for: attribute)
    }
    if let link = try link(assigned: word, for: attribute) { return link }
    try script.requireLiteral(word, in: line, for: attribute.name, attribute.type, of: entity)
    guard let text = word.assignedValue, !text.isEmpty || word.isValueQuoted else {
      return .null
    }
    return try value(text, for: attribute)
  }

  /// The link after the `=` of a word that is given as `FIELD:$NAME`; nil for any other word.
  private func link(assigned word: CommandText.Word, for attribute: Schema.Attribute) throws
    -> Value?
  {
    guard let text = word.assignedValue, text.utf8.contains(UInt8(ascii: "$")),
      text.utf8.count == word.end - word.valueStart,
      let (field, reference) = attribute.linkedField(text, in: context.schema),
      let name = reference.referencedParameter, !name.isEmpty
    else { return nil }
    guard let parameter = script.parameters[name] else {
      throw ScriptState.unknown(reference, in: text)
    }
    guard let parameter, !parameter.isEmpty else { return .null }
    let record = try record(with: parameter, in: field, for: attribute)
    if case .links = attribute.type { return .links([record]) }
    return .link(record)
  }

  /// A member of a JSON object; one such as `author.name` as the link, given by the value.
  ///
  /// - Throws: As `LinkPath`.
  private func linkMember(_ name: String, _ cell: ImportCell, of entity: Schema.Entity) throws -> (
    name: String, cell: ImportCell
  ) {
    guard let path = try LinkPath(name, of: entity, in: context.schema),
      context.schema.entitiesByName[path.destination]?.fieldsByName[path.rest] != nil
    else { return (name, cell) }
    return (path.link, LinkColumns.link(cell, by: path.rest))
  }

  /// A value that is not a part of the command's text, such as a member of a JSON object.
  private func value(ofMember cell: ImportCell, for attribute: Schema.Attribute) throws -> Value {
    do {
      return try attribute.checked(try value(json: cell, for: attribute))
    } catch let error as ValueError {
      throw CommandError("\(attribute.name): \(error)", code: .invalidValue)
    }
  }

  /// Reads a value for an attribute from its text form; identifiers of links may be shortened.
  func value(_ text: String, for attribute: Schema.Attribute) throws -> Value {
    switch attribute.type {
    case .link: return .link(try linked(text, from: attribute))
    case .links where text.first == "[":
      return .links(try links(text, for: attribute))
    case .links:
      // A value such as name:Italo Calvino may have spaces.
      let isByValue = text.first == "{" || attribute.linkedField(text, in: context.schema) != nil
      if !isByValue, let records = recordsTitled(text, for: attribute) { return .links(records) }
      return .links(
        try
          (text.first == "{"
          ? [Substring(text)]
          : text.split(whereSeparator: { $0 == "," || !isByValue && $0 == " " })).map {
            try linked(
              isByValue ? $0.trimmingCharacters(in: .whitespaces) : String($0),
              from: attribute
            )
          }
      )
    default:
      do {
        return try attribute.checked(try Value(reading: text, as: attribute.type))
      } catch {
        throw CommandError("\(attribute.name): \(error)", code: .invalidValue)
      }
    }
  }

  /// The values of assignments for the current fields, without those that are computed for each record.
  ///
  /// - Throws: `CommandError` if another program has changed the type of a field since.
  func values(_ assignments: [Assignment], for entity: Schema.Entity) throws
    -> [(attribute: Schema.Attribute, value: Value)]
  {
    try assignments.compactMap { assignment in
      if case .computed = assignment.content { return nil }
      let attribute = try entity.attribute(named: assignment.field)
      try attribute.requireChangeable()
      switch assignment.content {
      case .typed(let text), .parameter(let text), .computed(let text):
        return (attribute, try value(text, for: attribute))
      case .value(let value):
        if value.isNull || attribute.accepts(value) { return (attribute, value) }
        // The field has another type since the value was read, such as that of a value which was found in it.
        return (attribute, try self.value(value.text, for: attribute))
      }
    }
  }
}

extension Arguments {
  /// Adds a hint to the error of JSON that lost its quotes when the line was split into words, and to that of a fraction.
  fileprivate func addingHint<T>(
    _ word: CommandText.Word,
    _ attribute: Schema.Attribute,
    canConvert: Bool,
    _ body: () throws -> T
  ) throws -> T {
    do {
      return try body()
    } catch let error as CommandError where attribute.type == .json && word.isValueQuoted {
      let typed = line.typed(word.valueStart..<word.end)
      guard ["[", "{"].contains(typed.first), !typed.contains("'") else { throw error }
      throw CommandError(
        "\(error.message); quote the whole value: \(attribute.name)='\(typed)'",
        code: error.code
      )
    } catch let error as CommandError where attribute.type == .integer && canConvert {
      guard word.assignedValue?.isFraction == true else { throw error }
      let step = "field type \(CommandText.quoted(attribute.name)) decimal"
      throw CommandError(
        "\(error.message); \(Value.quoted(step)) lets it have fractions",
        code: error.code
      )
    }
  }
}

extension ScriptState.Parameter {
  /// The value as a member of a row has it.
  fileprivate func cell(for attribute: Schema.Attribute) -> ImportCell {
    guard let text else { return .null }
    return isJSON && attribute.type == .json ? .container(text) : .text(text)
  }
}
