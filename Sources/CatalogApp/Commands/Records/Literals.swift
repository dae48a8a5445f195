import Expressions
import OpenSwiftData

/// Values of assignments that mean something else than the text as which they would be stored.
extension ScriptState {
  /// Checks that the value of an assignment is the text that it seems to be, if it becomes text.
  ///
  /// - Throws: `CommandError` with what to write: for an unknown parameter or one that is a part of the value, for the
  ///   word `null`, and for an expression.
  func requireLiteral(
    _ word: CommandText.Word,
    in line: CommandText,
    for name: String,
    _ type: AttributeType,
    of entity: Schema.Entity
  ) throws {
    try requireNoParameter(within: word, of: line)
    guard let text = word.assignedValue, !text.isEmpty else { return }
    // Quotes and escapes make the text in the line longer.
    let isPlain = text.utf8.count == word.end - word.valueStart
    if isPlain { try Self.requireWord(text, for: name, type) }
    guard type == .text || type == .json, word.valueStart < word.end,
      word.end <= line.text.utf8.count
    else { return }
    let written = line.typed(word.valueStart..<word.end)
    guard entity.isComputation(written) else { return }
    let literal = CommandText.assignment(name, text)
    throw CommandError(
      "\(name): \(Value.quoted(written)) is not computed; for the text, write "
        + (literal.hasSuffix(text) ? "\(literal.dropLast(text.count))'\(text)'" : literal)
        + "; to compute it, \(name):=\(written)",
      code: .invalidValue
    )
  }

  /// Checks that a text without quotes is neither an unknown parameter nor, as text, the word `null`.
  ///
  /// - Throws: `CommandError` with what to write.
  static func requireWord(_ text: String, for name: String, _ type: AttributeType) throws {
    if let reference = text.leadingReference { throw unknown(reference, in: text) }
    guard type == .text, text.lowercased() == "null" else { return }
    throw CommandError(
      "\(name): write \(CommandText.assignment(name, nil)) for null, or "
        + "\(CommandText.assignment(name, text)) for the word",
      code: .invalidValue
    )
  }

  /// The error of a parameter without a value.
  static func unknown(_ reference: String, in text: String) -> CommandError {
    let name = reference.referencedParameter ?? ""
    let hint = name.isParameterName ? "use --arg \(name) VALUE, or" : "write"
    return CommandError(
      "unknown parameter \(Value.quoted(reference)); \(hint) '\(text)' for the text",
      code: .unknownParameter
    )
  }
}

extension Arguments {
  /// Checks that no comma separates a value that was just read from the next assignment, as in other languages.
  ///
  /// - Throws: `CommandError` with the column of a comma after a closing quote, or between two assignments.
  func requireNoComma(after word: CommandText.Word) throws {
    let bytes = Array(line.text.utf8)[word.valueStart..<word.end]
    guard let comma = bytes.commaBehindQuote ?? trailingComma(bytes) else { return }
    try locating(word, at: comma) {
      throw CommandError(
        "unexpected \",\" after the value; separate assignments with a space, or put the comma in the quotes"
      )
    }
  }

  /// The place of a comma at the end of a word, before another assignment.
  private func trailingComma(_ bytes: ArraySlice<UInt8>) -> Int? {
    guard bytes.last == UInt8(ascii: ","), startsObject || peek?.equals != nil else { return nil }
    return bytes.endIndex - 1
  }
}

extension ArraySlice<UInt8> {
  /// The place of the first comma directly after a closing quote; nil for JSON, whose texts are quoted.
  fileprivate var commaBehindQuote: Int? {
    guard first != UInt8(ascii: "["), first != UInt8(ascii: "{") else { return nil }
    var quote: UInt8?
    var place = startIndex
    var hasEscapes = false
    while place < endIndex {
      let byte = self[place]
      if byte == UInt8(ascii: "\\"), quote == nil || hasEscapes {
        place += 1
      } else if byte == quote {
        quote = nil
        if place + 1 < endIndex, self[place + 1] == UInt8(ascii: ",") { return place + 1 }
      } else if quote == nil, byte == UInt8(ascii: "\"") || byte == UInt8(ascii: "'") {
        quote = byte
        let isShellText = place > startIndex && self[place - 1] == UInt8(ascii: "$")
        hasEscapes = byte == UInt8(ascii: "\"") || isShellText
      }
      place += 1
    }
    return nil
  }
}

extension Schema.Entity {
  /// True for text that computes something from fields, such as `qty*price` or `upper(name)`.
  ///
  /// A minus needs no spaces here.
  fileprivate func isComputation(_ text: String) -> Bool {
    guard text.utf8.contains(where: "+-*/%(".utf8.contains), !text.hasPrefix("--"),
      fieldsByName[text] == nil
    else { return false }
    let scope = ExpressionScope(namesOf: self)
    return [text, text.replacing("-", with: " - ")].contains {
      (try? ExpressionParser.parse($0, in: scope))?.isComputation ?? false
    }
  }
}

extension String {
  /// The `$NAME` or `${NAME}` with which the text begins; nil for any other text.
  fileprivate var leadingReference: String? {
    guard utf8.first == UInt8(ascii: "$") else { return nil }
    let rest = utf8.dropFirst()
    if rest.first == UInt8(ascii: "{") {
      guard let end = rest.firstIndex(of: UInt8(ascii: "}")) else { return nil }
      return String(self[...end])
    }
    let name = rest.prefix { Self.isParameterByte($0) }
    return name.isEmpty ? nil : String(self[..<name.endIndex])
  }
}
