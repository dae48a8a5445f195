import Expressions
import Foundation
package import OpenSwiftData

/// What a column of the table is computed from: an expression over the values of its record.
package struct ColumnExpression: Hashable, Sendable {
  /// As it was typed.
  package let text: String
  /// The type of its values, as far as it is known.
  package internal(set) var type: AttributeType
  /// The fields, the paths and the other computed columns that it uses, by name.
  package internal(set) var operands: [String] = []
  /// Why it cannot be computed; nil if it can.
  package internal(set) var problem: String?

  /// Keeps a text that was read before, such as that of a view; `read(named:of:in:among:)` must follow.
  init(unread text: String, type: AttributeType) { (self.text, self.type) = (text, type) }

  /// Reads an expression.
  ///
  /// - Parameters:
  ///   - text: The expression.
  ///   - name: The name of the column, which cannot use itself.
  ///   - entity: The entity of the records.
  ///   - schema: The schema, for paths to linked records.
  ///   - others: The computed columns, by name.
  /// - Throws: `SyntaxProblem` at the part that is wrong.
  init(
    _ text: String,
    named name: String,
    of entity: Schema.Entity,
    in schema: Schema,
    among others: [String: ColumnExpression]
  ) throws(SyntaxProblem) {
    let scope = ExpressionScope(of: entity, in: schema, for: text, columns: others, of: name)
    let expression = try ExpressionParser.parse(text, in: scope)
    let found = try CompiledExpression(expression, text: text, in: scope).type
    self.text = text
    type = found.columnType
    operands = expression.usedFields.sorted().map(scope.fieldName)
  }

  /// The same expression, read again for an entity that may have changed.
  ///
  /// JSON has values of any type, so that what its values were stays known.
  func read(
    named name: String,
    of entity: Schema.Entity,
    in schema: Schema,
    among others: [String: ColumnExpression]
  ) -> ColumnExpression {
    var read = self
    do {
      let new = try Self(text, named: name, of: entity, in: schema, among: others)
      read.operands = new.operands
      if new.type != .json { read.type = new.type }
      read.problem = nil
    } catch {
      (read.operands, read.problem) = ([], error.message)
    }
    return read
  }
}

extension [String: ColumnExpression] {
  /// True if a column uses another one, perhaps by a third one.
  func uses(_ name: String, _ used: String, seen: Set<String> = []) -> Bool {
    guard name != used else { return true }
    guard let column = self[name], !seen.contains(name) else { return false }
    return column.operands.contains { uses($0, used, seen: seen.union([name])) }
  }

  /// All of them, read for an entity.
  func read(of entity: Schema.Entity, in schema: Schema) -> Self {
    // What one column uses may have to be read before it.
    var read = mapValues { column in
      var column = column
      column.problem = "not read"
      return column
    }
    for _ in 0..<count {
      let former = read
      for name in keys.sorted() where read[name]?.problem != nil {
        read[name] = self[name]?.read(named: name, of: entity, in: schema, among: former)
      }
      if read == former { break }
    }
    return read
  }
}

extension ExpressionScope {
  /// The fields of an entity, to read an expression without evaluating it.
  init(namesOf entity: Schema.Entity) {
    self.init(
      entityName: entity.name,
      fields: entity.fields.map { .init($0.name, ExpressionType($0.type.kind)) },
      now: .datetime(.distantPast),
      today: CalendarDate(daysSince1970: 0)
    )
  }

  /// The same with the fields of linked records that a text names, and the computed columns that the given one may use.
  init(
    of entity: Schema.Entity,
    in schema: Schema,
    for text: String,
    columns: [String: ColumnExpression],
    of name: String
  ) {
    self.init(namesOf: entity)
    for path in FieldPath.paths(in: text, of: entity, schema) {
      if case .link = path { fields.append(.init(path.name, ExpressionType(path.type.kind))) }
    }
    for (other, column) in columns.sorted(by: { $0.key < $1.key })
    where column.problem == nil && !columns.uses(other, name) {
      fields.append(.init(other, ExpressionType(column.type.kind)))
    }
  }
}

extension ExpressionType {
  /// The type of a field with such values; a length of time is shown as text.
  var columnType: AttributeType {
    switch self {
    case .null, .text, .duration, .link, .links: .text
    case .boolean: .boolean
    case .integer: .integer
    case .decimal: .decimal
    case .number: .number
    case .date: .date
    case .datetime: .datetime
    case .uuid: .uuid
    case .json: .json
    }
  }
}

/// The moment at which expressions are evaluated, and what their random values are made from.
struct ExpressionMoment: Hashable, Sendable {
  let now: Value
  let today: CalendarDate
  let randomNumber: UInt64
}

/// A computed column as a path: its values are those of its expression.
struct ComputedPath: Hashable, Sendable {
  /// What an expression uses.
  struct Operand: Hashable, Sendable {
    let name: String
    let type: AttributeType
    /// Nil for a field of the record.
    let path: FieldPath?
  }

  /// The name of the column.
  let name: String
  let entityName: String
  let expression: ColumnExpression
  let operands: [Operand]
  /// Nil where nothing is evaluated.
  let moment: ExpressionMoment?

  /// The fields of the record that it needs, each once.
  var fields: [String] {
    var seen: Set<String> = []
    return operands.flatMap { $0.path?.fields ?? [$0.name] }.filter { seen.insert($0).inserted }
  }
}

extension FieldPath {
  /// The same path where nothing is evaluated, which is equal at every moment.
  var unevaluated: FieldPath {
    guard case .computed(let path) = self else { return self }
    return .computed(
      ComputedPath(
        name: path.name,
        entityName: path.entityName,
        expression: path.expression,
        operands: path.operands.map {
          .init(name: $0.name, type: $0.type, path: $0.path?.unevaluated)
        },
        moment: nil
      )
    )
  }

  /// The computed columns as paths, by name; those that cannot be computed are missing.
  static func computed(
    _ columns: [String: ColumnExpression],
    of entity: Schema.Entity,
    in schema: Schema,
    at moment: ExpressionMoment? = nil
  ) -> [FieldPath] {
    func path(_ name: String, _ seen: Set<String>) -> FieldPath? {
      guard let column = columns[name], column.problem == nil, !seen.contains(name) else {
        return nil
      }
      var operands: [ComputedPath.Operand] = []
      for operand in column.operands {
        if let field = entity.fieldsByName[operand] {
          operands.append(.init(name: operand, type: field.type, path: nil))
          continue
        }
        // A path may have become invalid since the column was added.
        let other = (try? FieldPath(operand, of: entity, in: schema)) ?? nil
        guard let path = other ?? path(operand, seen.union([name])) else { return nil }
        operands.append(.init(name: operand, type: path.type, path: path))
      }
      return .computed(
        ComputedPath(
          name: name,
          entityName: entity.name,
          expression: column,
          operands: operands,
          moment: moment
        )
      )
    }
    return columns.keys.sorted().compactMap { path($0, []) }
  }
}
