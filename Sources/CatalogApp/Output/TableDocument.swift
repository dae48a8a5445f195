import Foundation
import OpenSwiftData

/// A document with a line of text for each record.
protocol TableDocument: Sendable {
  /// What stands before the lines.
  var heading: String { get }
  /// What stands after them.
  var ending: String { get }

  /// The line of a record, whose values have a text for people by their columns.
  ///
  /// - Throws: `CommandError` for a value that the document cannot hold.
  func line(_ values: [Value], _ text: (Value, Int) -> String) throws -> String
}

extension OutputFormat {
  /// A document with the records of an entity; nil for a format that is none.
  func document(
    of name: String,
    _ columns: [String],
    numeric: [Bool],
    blobs: [Bool],
    _ style: OutputStyle
  ) -> (any TableDocument)? {
    switch self {
    case .md: MarkdownTable(columns, numeric: numeric, hasHeading: style.hasHeading)
    case .html: HTMLTable(name, columns, numeric: numeric, hasHeading: style.hasHeading)
    case .sql: InsertStatements(name, columns, blobs: blobs, hasHeading: style.hasHeading)
    case .table, .json, .jsonl, .csv, .tsv, .psv: nil
    }
  }
}

/// A page with a table, in HTML.
struct HTMLTable: TableDocument {
  let heading: String
  let ending = "</tbody>\n</table>\n"
  private let numeric: [Bool]

  init(_ title: String, _ columns: [String], numeric: [Bool], hasHeading: Bool) {
    self.numeric = numeric
    let names = Self.row(columns, "th", numeric)
    heading = """
      <!DOCTYPE html>
      <meta charset="utf-8">
      <title>\(Self.escaped(title))</title>
      <style>
      table { border-collapse: collapse }
      th, td { border: 1px solid #999; padding: 0.2em 0.5em; text-align: left }
      .number { text-align: right }
      </style>
      <table>
      \(hasHeading ? "<thead>\n\(names)</thead>\n" : "")<tbody>

      """
  }

  func line(_ values: [Value], _ text: (Value, Int) -> String) -> String {
    Self.row(values.enumerated().map { text($1, $0) }, "td", numeric)
  }

  private static func row(_ texts: [String], _ tag: String, _ numeric: [Bool]) -> String {
    let cells = texts.enumerated().map { place, text in
      let isNumber = numeric.indices.contains(place) && numeric[place]
      return "<\(tag)\(isNumber ? " class=\"number\"" : "")>\(escaped(text))</\(tag)>"
    }
    return "<tr>\(cells.joined())</tr>\n"
  }

  private static func escaped(_ text: String) -> String {
    var result = ""
    for character in text {
      switch character {
      case "&": result += "&amp;"
      case "<": result += "&lt;"
      case ">": result += "&gt;"
      case _ where character.isNewline: result += "<br>"
      default: result.append(character)
      }
    }
    return result
  }
}

/// Statements in standard SQL that insert the records, all of them or none.
struct InsertStatements: TableDocument {
  let heading: String
  let ending: String
  private let beginning: String
  private let blobs: [Bool]

  init(_ table: String, _ columns: [String], blobs: [Bool], hasHeading: Bool) {
    self.blobs = blobs
    (heading, ending) = hasHeading ? ("BEGIN;\n", "COMMIT;\n") : ("", "")
    let names = columns.map(Self.name).joined(separator: ", ")
    beginning = "INSERT INTO \(Self.name(table)) (\(names)) VALUES ("
  }

  func line(_ values: [Value], _ text: (Value, Int) -> String) throws -> String {
    let literals = try values.enumerated().map { try literal($1, $0, text) }
    return beginning + literals.joined(separator: ", ") + ");\n"
  }

  private func literal(_ value: Value, _ column: Int, _ text: (Value, Int) -> String) throws
    -> String
  {
    switch value {
    case .null: return "NULL"
    case .boolean(let isTrue): return isTrue ? "TRUE" : "FALSE"
    case .integer, .decimal: return text(value, column)
    // SQL has no literals for infinity and NaN, so their names become text.
    case .number(let number) where number.isFinite: return text(value, column)
    case .text(let base64) where blobs.indices.contains(column) && blobs[column]:
      if let bytes = Data(base64Encoded: base64) {
        return "X'" + bytes.map { ($0 < 16 ? "0" : "") + String($0, radix: 16) }.joined() + "'"
      }
    default: break
    }
    let text = value.text
    if text.utf8.contains(0) {
      throw CommandError(
        "the records contain a NUL character, which a statement cannot hold; use .csv or .json",
        code: .invalidValue
      )
    }
    return "'" + text.replacing("'", with: "''") + "'"
  }

  private static func name(_ text: String) -> String {
    "\"" + text.replacing("\"", with: "\"\"") + "\""
  }
}
