import Foundation
import OpenSwiftData

/// Functions of texts. Positions count characters, as people see them, from 1.
extension ExpressionCall {
  /// The size that no text may exceed, in bytes.
  static let sizeLimit = 16 << 20

  func text() throws(SyntaxProblem) -> CompiledPart {
    switch function {
    case .trim: return try trim()
    case .clean: return try mapped { $0.cleaned }
    case .lower: return try mapped { $0.mapped { $0.properties.lowercaseMapping } }
    case .upper: return try mapped { $0.mapped { $0.properties.uppercaseMapping } }
    case .title: return try mapped { $0.titled }
    case .fold:
      return try mapped { TextFolding.fold($0, [.caseInsensitive, .diacriticInsensitive]) }
    case .length: return try length()
    case .left: return try part { text, count, _ in String(text.prefix(count)) }
    case .right: return try part { text, count, _ in String(text.suffix(count)) }
    case .mid: return try mid()
    case .replace: return try replace()
    case .split: return try split()
    case .join: return try join()
    case .concat: return concat()
    case .pad: return try pad()
    default: return try repeated()
    }
  }

  private func mapped(_ body: @escaping @Sendable (String) -> String) throws(SyntaxProblem)
    -> CompiledPart
  {
    let text = try text(0)
    return result(.text) { row throws(ExpressionFailure) in
      guard let text = try text(row) else { return .null }
      return .value(.text(body(text)))
    }
  }

  private func trim() throws(SyntaxProblem) -> CompiledPart {
    guard values.count > 1 else { return try mapped { $0.trimmed(where: \.isWhiteSpace) } }
    let (text, removed) = (try text(0), try text(1))
    return result(.text) { row throws(ExpressionFailure) in
      let (text, removed) = (try text(row), try removed(row))
      guard let text, let removed else { return .null }
      let scalars = Set(removed.unicodeScalars)
      return .value(.text(text.trimmed(where: scalars.contains)))
    }
  }

  private func length() throws(SyntaxProblem) -> CompiledPart {
    guard [.text, .json, .links, .null].contains(values[0].type) else {
      _ = try text(0)
      return values[0]
    }
    return strict(.integer) { values throws(ExpressionFailure) in
      switch values[0] {
      case .value(.text(let text)): return .value(.integer(Int64(text.count)))
      case .value(.links(let links)): return .value(.integer(Int64(links.count)))
      case .value(.json(let text)):
        let content = JSONElements(text)
        return .value(
          .integer(Int64(content.isObject ? content.members.count : content.elements.count))
        )
      case let other:
        throw ExpressionFailure(
          "\(Value.quoted(other.text)) is \(other.type.rawValue); length needs text, an array or an object"
        )
      }
    }
  }

  private static func checked(_ count: Int) throws(ExpressionFailure) -> Int {
    if count < 0 { throw ExpressionFailure("\(count) is negative") }
    return count
  }

  /// A text and a number of characters.
  private func part(_ body: @escaping @Sendable (String, Int, Int) -> String)
    throws(SyntaxProblem)
    -> CompiledPart
  {
    let (text, count) = (try text(0), try whole(1))
    return result(.text) { row throws(ExpressionFailure) in
      let (text, count) = (try text(row), try count(row))
      guard let text, let count else { return .null }
      return .value(.text(body(text, try Self.checked(count), 0)))
    }
  }

  private func mid() throws(SyntaxProblem) -> CompiledPart {
    let (text, start) = (try text(0), try whole(1))
    let count = values.count > 2 ? try whole(2) : always(Int.max)
    return result(.text) { row throws(ExpressionFailure) in
      let (text, start, count) = (try text(row), try start(row), try count(row))
      guard let text, let start, let count else { return .null }
      if start < 0 { throw ExpressionFailure("\(start) is negative") }
      if start == 0 { throw ExpressionFailure("0: the first character is 1") }
      return .value(.text(String(text.dropFirst(start - 1).prefix(try Self.checked(count)))))
    }
  }

  private func replace() throws(SyntaxProblem) -> CompiledPart {
    let (text, wanted, new) = (try text(0), try text(1), try text(2))
    return result(.text) { row throws(ExpressionFailure) in
      let (text, wanted, new) = (try text(row), try wanted(row), try new(row))
      guard let text, let wanted, let new else { return .null }
      if wanted.isEmpty { throw ExpressionFailure("the text to find is empty") }
      let parts = text.parts(between: wanted)
      return .value(.text(try Self.joined(parts, new)))
    }
  }

  private func split() throws(SyntaxProblem) -> CompiledPart {
    let (text, separator) = (try text(0), try text(1))
    return result(.json) { row throws(ExpressionFailure) in
      let (text, separator) = (try text(row), try separator(row))
      guard let text, let separator else { return .null }
      if separator.isEmpty { throw ExpressionFailure("the separator is empty") }
      let parts = text.parts(between: separator)
      return .value(.json(JSONElements.array(parts.map { JSONText.quoted($0) })))
    }
  }

  private func join() throws(SyntaxProblem) -> CompiledPart {
    let (array, separator) = (values[0], try text(1))
    guard array.type == .json || array.type == .null else {
      throw error("join needs a JSON array, found \(array.type.rawValue)", 0)
    }
    return result(.text) { row throws(ExpressionFailure) in
      let (value, separator) = (try array.evaluation(row), try separator(row))
      guard !value.isNull, let separator else { return .null }
      guard case .value(.json(let text)) = value, text.utf8.first == UInt8(ascii: "[") else {
        throw ExpressionFailure("\(Value.quoted(value.text)) is not an array")
      }
      let texts = JSONElements(text).elements.filter { $0 != .null }.map { Value($0).text }
      return .value(.text(try Self.joined(texts, separator)))
    }
  }

  private func concat() -> CompiledPart {
    result(.text) { [values] row throws(ExpressionFailure) in
      var texts: [String] = []
      for value in values {
        let next = try value.evaluation(row)
        texts.append(next.text)
      }
      return .value(.text(try Self.joined(texts, "")))
    }
  }

  private func pad() throws(SyntaxProblem) -> CompiledPart {
    let (value, count) = (values[0].evaluation, try whole(1))
    let fill = values.count > 2 ? try text(2) : always(" ")
    let isRight = try option(3, among: ["left", "right"]) == "right"
    return result(.text) { row throws(ExpressionFailure) in
      let (value, count, fill) = (try value(row), try count(row), try fill(row))
      guard !value.isNull, let count, let fill else { return .null }
      guard fill.count == 1 else {
        throw ExpressionFailure("\(Value.quoted(fill)) is not one character")
      }
      let text = value.text
      let missing = count > text.count ? count - text.count : 0
      try Self.checkSize(missing, fill.utf8.count)
      let filling = String(repeating: fill, count: missing)
      return .value(.text(isRight ? text + filling : filling + text))
    }
  }

  private func repeated() throws(SyntaxProblem) -> CompiledPart {
    let (text, count) = (try text(0), try whole(1))
    return result(.text) { row throws(ExpressionFailure) in
      let (text, count) = (try text(row), try count(row))
      guard let text, let count else { return .null }
      try Self.checkSize(try Self.checked(count), text.utf8.count)
      return .value(.text(String(repeating: text, count: count)))
    }
  }

  private static func joined(_ texts: [String], _ separator: String) throws(ExpressionFailure)
    -> String
  {
    let size = texts.reduce(0) { $0 + $1.utf8.count }
    try checkSize(max(0, texts.count - 1), separator.utf8.count, more: size)
    return texts.joined(separator: separator)
  }

  private static func checkSize(_ count: Int, _ size: Int, more: Int = 0) throws(ExpressionFailure)
  {
    let (product, overflow) = count.multipliedReportingOverflow(by: size)
    if overflow || product > sizeLimit - more {
      throw ExpressionFailure("the result exceeds 16 MiB")
    }
  }
}

extension Unicode.Scalar {
  /// True for the property White_Space of Unicode.
  fileprivate var isWhiteSpace: Bool { properties.isWhitespace }

  fileprivate var isInvisible: Bool {
    properties.generalCategory == .control || [0xAD, 0x200B, 0x2060, 0xFEFF].contains(value)
  }

  fileprivate var isOfWord: Bool {
    switch properties.generalCategory {
    case .uppercaseLetter, .lowercaseLetter, .titlecaseLetter, .modifierLetter, .otherLetter,
      .nonspacingMark, .spacingMark, .enclosingMark, .decimalNumber:
      true
    default: false
    }
  }
}

extension String {
  fileprivate func mapped(_ body: (Unicode.Scalar) -> String) -> String {
    var result = ""
    for scalar in unicodeScalars { result += body(scalar) }
    return result
  }

  fileprivate func trimmed(where isRemoved: (Unicode.Scalar) -> Bool) -> String {
    let rest = unicodeScalars.drop(while: isRemoved)
    guard let last = rest.lastIndex(where: { !isRemoved($0) }) else { return "" }
    return String(rest[...last])
  }

  /// The text with single spaces, without invisible characters.
  fileprivate var cleaned: String {
    var result = String.UnicodeScalarView()
    var isAfterSpace = false
    for scalar in trimmed(where: \.isWhiteSpace).unicodeScalars {
      if scalar.isWhiteSpace {
        isAfterSpace = true
      } else if !scalar.isInvisible {
        if isAfterSpace { result.append(" ") }
        isAfterSpace = false
        result.append(scalar)
      }
    }
    return String(result).trimmed(where: \.isWhiteSpace)
  }

  /// The text with a capital at the beginning of each word.
  fileprivate var titled: String {
    var result = ""
    var isInWord = false
    let scalars = Array(unicodeScalars)
    for (place, scalar) in scalars.enumerated() {
      let isApostrophe =
        isInWord && (scalar == "'" || scalar == "\u{2019}") && place + 1 < scalars.count
        && scalars[place + 1].properties.isAlphabetic
      if isApostrophe || !scalar.isOfWord {
        result.unicodeScalars.append(scalar)
        isInWord = isApostrophe
        continue
      }
      result += isInWord ? scalar.properties.lowercaseMapping : scalar.properties.titlecaseMapping
      isInWord = true
    }
    return result
  }

  /// The parts between all places of a text that do not overlap, compared by bytes.
  fileprivate func parts(between separator: String) -> [String] {
    let (bytes, wanted) = (Array(utf8), Array(separator.utf8))
    var parts: [String] = []
    var (start, place) = (0, 0)
    while place + wanted.count <= bytes.count {
      if bytes[place] == wanted[0], bytes[place..<(place + wanted.count)].elementsEqual(wanted) {
        parts.append(String(decoding: bytes[start..<place], as: UTF8.self))
        place += wanted.count
        start = place
      } else {
        place += 1
      }
    }
    parts.append(String(decoding: bytes[start...], as: UTF8.self))
    return parts
  }
}
