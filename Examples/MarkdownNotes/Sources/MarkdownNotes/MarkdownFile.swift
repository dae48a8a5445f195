import Foundation
import OpenSwiftData

/// The text of a Markdown file: front matter between two lines `---`, then the body.
struct MarkdownFile {
  /// A line of the front matter, with the indented lines after it.
  struct Entry {
    var name: String
    var text: String
    /// The lines as another program wrote them.
    var source: String

    init(_ name: String, _ text: String) {
      (self.name, self.text) = (name, text)
      source = "\(MarkdownFile.quoted(name)): \(text)"
    }

    /// Reads a line; nil if it continues the one before.
    fileprivate init?(line: String) {
      if let match = line.wholeMatch(of: /(?s)("(?:[^"\\]|\\.)*"):\s*(.*)/),
        let name = try? MarkdownFile.unquoted(String(match.1))
      {
        // A name that is not valid is one of another program, which is kept as it is.
        (self.name, text) = (name, String(match.2))
      } else if let match = line.wholeMatch(of: /(?s)([^\s:#-][^:]*):\s*(.*)/) {
        (name, text) = (String(match.1), String(match.2))
      } else {
        return nil
      }
      source = line
    }
  }

  var entries: [Entry] = []
  var body = ""

  init() {}

  /// Reads a file; without front matter all of it is the body.
  init(_ text: String) {
    // By scalars, because "\r\n" is one character.
    let front = /---\r?\n((?:(?!---\r?\n)[^\n]*\n)*)---(?:\r?\n|$)/
    guard let match = text.prefixMatch(of: front.matchingSemantics(.unicodeScalar))
    else {
      body = Self.withoutLastLineEnd(Substring(text))
      return
    }
    for line in match.1.split(separator: /\r?\n/.matchingSemantics(.unicodeScalar)) {
      if let entry = Entry(line: String(line)) {
        entries.append(entry)
      } else if !entries.isEmpty {
        entries[entries.count - 1].source += "\n" + line
        entries[entries.count - 1].text += "\n" + line
      }
    }
    body = Self.withoutLastLineEnd(text[match.range.upperBound...])
  }

  /// The text of the file, which ends with a line end, as editors expect.
  var text: String {
    let lines = entries.map { $0.source + "\n" }.joined()
    return "---\n\(lines)---\n" + (body.isEmpty ? "" : body + "\n")
  }

  private static func withoutLastLineEnd(_ text: Substring) -> String {
    text.utf8.last == UInt8(ascii: "\n")
      ? String(decoding: text.utf8.dropLast(), as: UTF8.self) : String(text)
  }

  /// The text as YAML reads it, in quotes unless it begins with a letter and has no special characters.
  static func quoted(_ text: String) -> String {
    if text.wholeMatch(of: /\p{L}[\p{L}\p{N} ,.!?()_-]*/) != nil, !text.hasSuffix(" "),
      !["true", "false", "null", "yes", "no"].contains(text.lowercased())
    {
      return text
    }
    let encoder = JSONEncoder()
    encoder.outputFormatting = .withoutEscapingSlashes
    // Every text has a JSON form.
    return (try? encoder.encode(text)).map { String(decoding: $0, as: UTF8.self) } ?? "\"\""
  }

  /// The text that `quoted(_:)` got, or that somebody has typed.
  static func unquoted(_ text: String) throws -> String {
    guard text.first == "\"" else { return text }
    do {
      return try JSONDecoder().decode(String.self, from: Data(text.utf8))
    } catch {
      throw ValueError("\(text) is not valid text in quotes")
    }
  }
}
