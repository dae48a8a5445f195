import Foundation
import OpenSwiftData
import Testing

@testable import Expressions

/// Expressions with the values, types and errors that a separate implementation has computed.
@Suite struct ExpressionVectorTests {
  /// One line of the file: a record, an expression, and what it gives.
  struct Vector: Sendable, CustomTestStringConvertible {
    let line: String
    let expression: String
    let fields: [(name: String, value: Value, type: ExpressionType)]
    let parameters: [String: String?]
    let type: String?
    let result: String?
    let error: String?
    let column: Int?

    var testDescription: String { expression }
  }

  static var path: String {
    (#filePath as NSString).deletingLastPathComponent + "/Fixtures/expressions.jsonl"
  }

  static let vectors: [Vector] = {
    let text = (try? String(contentsOfFile: path, encoding: .utf8)) ?? ""
    return text.split(separator: "\n").compactMap { try? vector(String($0)) }
  }()

  @Test func allLinesAreRead() throws {
    let text = try String(contentsOfFile: Self.path, encoding: .utf8)
    #expect(Self.vectors.count == text.split(separator: "\n").count)
    #expect(Self.vectors.count > 600)
  }

  @Test(arguments: vectors) func givesTheExpectedValue(vector: Vector) throws {
    var scope = ExpressionScope(
      entityName: "Row",
      fields: vector.fields.map { .init($0.name, $0.type) },
      parameters: vector.parameters,
      now: try Value(parsing: "2026-11-28T15:04:05Z", as: .datetime),
      today: try #require(CalendarDate("2026-11-28"))
    )
    scope.hasIdentifier = false
    let row = ExpressionRow(values: vector.fields.map(\.value), identifier: "1")
    let text = vector.expression
    do {
      let compiled = try CompiledExpression(
        ExpressionParser.parse(text, in: scope),
        text: text,
        in: scope
      )
      let computed = try compiled(row)
      #expect(vector.error == nil, "gives \(computed)")
      let type = compiled.type == .json ? computed.type : compiled.type
      #expect(type.rawValue == vector.type && computed.shown == vector.result)
    } catch let error as SyntaxProblem {
      let column = String(decoding: Array(text.utf8.prefix(error.offset)), as: UTF8.self).count + 1
      #expect(error.message == vector.error)
      #expect(column == vector.column, "\(error)")
    } catch let error as ExpressionFailure {
      #expect(error.description == vector.error)
      #expect(vector.column == nil)
    }
  }

  // MARK: Reading

  private static func vector(_ line: String) throws -> Vector {
    var members: [String: JSONReader.Item] = [:]
    var reader = JSONReader(Array(line.utf8))
    var record: [(name: String, value: Value, type: ExpressionType)] = []
    var parameters: [String: String?] = [:]
    try reader.forEachMember { name, reader in
      switch name {
      case "record":
        try reader.forEachMember { field, reader in
          try reader.forEachMember { type, reader in
            let kind = try #require(ExpressionType(rawValue: type))
            record.append((field, try value(kind, &reader), kind))
          }
        }
      case "parameters":
        try reader.forEachMember { name, reader in
          if case .text(let text) = try reader.next() {
            parameters[name] = text
          } else {
            parameters[name] = .some(nil)
          }
        }
      default: members[name] = try reader.next()
      }
    }
    return Vector(
      line: line,
      expression: members["expression"]?.text ?? "",
      fields: record,
      parameters: parameters,
      type: members["type"]?.text,
      result: members["result"].map { Computed.value(Value($0)).shown },
      error: members["error"]?.text,
      column: members["column"]?.text.flatMap { Int($0) }
    )
  }

  /// A value of the file; those that are no number in JSON are read as such.
  private static func value(_ type: ExpressionType, _ reader: inout JSONReader) throws -> Value {
    let item = try reader.next()
    guard let text = item.text else {
      if case .boolean(let value) = item { return .boolean(value) }
      return .null
    }
    switch type {
    case .integer: return .integer(try #require(Int64(text)))
    case .number: return .number(try #require(Double(text)))
    case .decimal: return try Value(parsing: text, as: .decimal)
    case .date: return try Value(parsing: text, as: .date)
    case .datetime: return try Value(parsing: text, as: .datetime)
    case .uuid: return try Value(parsing: text, as: .uuid)
    case .json: return .json(try JSONText.compact(text))
    default: return .text(text)
    }
  }
}

extension JSONReader.Item {
  fileprivate var text: String? {
    switch self {
    case .text(let text), .number(let text), .container(let text): text
    case .null, .boolean: nil
    }
  }
}

extension Computed {
  /// The form in which values are compared: numbers by their shortest digits.
  fileprivate var shown: String {
    switch self {
    case .value(.null): "null"
    case .value(.number(let number)): Value.text(of: number)
    case .value(let value): value.text
    case .duration(let duration): duration.description
    }
  }
}
