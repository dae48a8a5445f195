import DataStoreTesting
import Foundation
import OpenSwiftData
import Testing

@testable import Stores

/// Defaults keep every digit through every form of a schema.
@Suite struct SchemaDefaultDigitsTests {
  static let defaults: [(type: String, text: String)] = [
    ("decimal", "4687322605740829.4255"), ("decimal", "-4687322605740829.4255"),
    ("decimal", "123456789012345678.9"), ("decimal", "1234567890123456789"),
    ("decimal", "12345678901234567890123456789012345678"),
    ("decimal", "0.12345678901234567890123456789012345678"),
    ("decimal", "9007199254740993"), ("decimal", "5.00000000000000001"),
    ("integer", "9223372036854775807"), ("integer", "-9223372036854775808"),
    ("integer", "9007199254740993"), ("number", "1e-130"), ("number", "5e-324"),
    ("number", "1.7976931348623157e+308"), ("number", "0.30000000000000004"), ("number", "-0"),
    ("datetime", "2015-09-24T13:56:34.185Z"), ("datetime", "1969-12-31T23:59:59.999999Z"),
    ("date", "0000-01-01"), ("boolean", "true"), ("text", "5"), ("text", "null"),
    ("json", "\"5\""), ("json", "{\"a\":[1.50,\"null\"]}"), ("json", "5"), ("json", "null"),
    ("uuid", "6b7c0000-1111-2222-3333-444455556666"),
  ]

  @Test(arguments: defaults.indices)
  func aDefaultKeepsEveryDigit(index: Int) throws {
    let (type, text) = Self.defaults[index]
    let kind = try #require(AttributeType(type))
    let value = try Value(parsing: text, as: kind)
    let schema = Schema(
      Schema.Entity("films", attributes: [Schema.Attribute("a", kind, defaultValue: value)])
    )
    // The header of a JSON catalog.
    let bytes = JSONHeader.text(store: "s", schema: schema)
    let header = try #require(try JSONHeader.read(bytes, at: 0))
    expect(header.schema, has: value)
    // The form of `--schema` and of `Codable`.
    let coded = try JSONDecoder().decode(Schema.self, from: JSONEncoder().encode(schema))
    expect(coded, has: value)
    // The log.
    var payload = PayloadWriter()
    LogSchemaCodec.encode(schema, to: &payload)
    let logged = try payload.withContent { bytes in
      var reader = PayloadReader(bytes)
      return try LogSchemaCodec.schema(from: &reader)
    }
    expect(logged, has: value)
  }

  private func expect(_ schema: Schema, has value: Value) {
    let found: Value = schema.entities[0].fields[0].defaultValue
    #expect(found == value && found.text == value.text, "\(found)")
  }
}
