import OpenSwiftData

/// Functions of regular expressions, in the syntax of `matches`.
extension ExpressionCall {
  func pattern() throws(SyntaxProblem) -> CompiledPart {
    let expression = try expression()
    return function == .sub ? try substitution(expression) : try extraction(expression)
  }

  private func expression() throws(SyntaxProblem) -> RegularExpression {
    let pattern = try literal(1)
    do { return try RegularExpression(pattern, capturesGroups: true) } catch {
      // Behind the quote.
      let start = values[1].node.source.lowerBound + 1
      throw compiler.error("\(Value.quoted(pattern)) \(error)", at: start)
    }
  }

  private func substitution(_ expression: RegularExpression) throws(SyntaxProblem)
    -> CompiledPart
  {
    let text = try text(0)
    let template = ReplacementTemplate(try literal(2))
    if let group = template.groups.max(), group > expression.groupCount {
      throw error("the pattern has no group \(group)", 2)
    }
    return result(.text) { row throws(ExpressionFailure) in
      guard var text = try text(row) else { return .null }
      let replaced = text.withUTF8 { template.replacing(expression, in: $0) }
      if replaced.utf8.count > Self.sizeLimit {
        throw ExpressionFailure("the result exceeds 16 MiB")
      }
      return .value(.text(replaced))
    }
  }

  private func extraction(_ expression: RegularExpression) throws(SyntaxProblem)
    -> CompiledPart
  {
    let text = try text(0)
    let count = expression.groupCount
    let group = values.count > 2 ? try whole(2) : always(Swift.min(1, count))
    if values.count > 2, case .literal(.number(.integer(let group), _)) = values[2].node.kind,
      !(0...Int64(count)).contains(group)
    {
      throw error("the pattern has no group \(group)", 2)
    }
    return result(.text) { row throws(ExpressionFailure) in
      let (text, group) = (try text(row), try group(row))
      guard var text, let group else { return .null }
      guard (0...count).contains(group) else {
        throw ExpressionFailure("the pattern has no group \(group)")
      }
      let found = text.withUTF8 { text -> String? in
        guard let range = expression.firstMatch(in: text)?[group] else { return nil }
        return String(decoding: text[range], as: UTF8.self)
      }
      return found.map { .value(.text($0)) } ?? .null
    }
  }
}

/// The text that replaces a match: `$1` and `${12}` are groups, `$0` is the match, `$$` a dollar.
private struct ReplacementTemplate {
  private enum Part {
    case text([UInt8])
    case group(Int)
  }

  private var parts: [Part] = []

  /// The numbers of the groups.
  var groups: [Int] {
    parts.compactMap { if case .group(let number) = $0 { number } else { nil } }
  }

  init(_ template: String) {
    var literal: [UInt8] = []
    var rest = Array(template.utf8)[...]
    while let byte = rest.popFirst() {
      guard byte == UInt8(ascii: "$"), let number = Self.group(&rest) else {
        if byte == UInt8(ascii: "$"), rest.first == byte { rest.removeFirst() }
        literal.append(byte)
        continue
      }
      if !literal.isEmpty { parts.append(.text(literal)) }
      literal = []
      parts.append(.group(number))
    }
    if !literal.isEmpty { parts.append(.text(literal)) }
  }

  /// The number after a dollar: a digit, or digits in braces; nil for anything else.
  private static func group(_ rest: inout ArraySlice<UInt8>) -> Int? {
    if let digit = rest.first, (48...57).contains(digit) {
      rest.removeFirst()
      return Int(digit - 48)
    }
    guard rest.first == UInt8(ascii: "{"), let end = rest.firstIndex(of: UInt8(ascii: "}")),
      let number = Int(String(decoding: rest[(rest.startIndex + 1)..<end], as: UTF8.self)),
      number >= 0
    else { return nil }
    rest = rest[(end + 1)...]
    return number
  }

  /// The text with all matches replaced; an empty match directly after another one does not count.
  func replacing(_ expression: RegularExpression, in text: UnsafeBufferPointer<UInt8>) -> String {
    var result: [UInt8] = []
    var (copied, place) = (0, 0)
    var lastEnd = -1
    while place <= text.count, let match = expression.firstMatch(in: text, from: place),
      let whole = match[0]
    {
      if !whole.isEmpty || whole.lowerBound != lastEnd {
        result += text[copied..<whole.lowerBound]
        append(match, of: text, to: &result)
        (copied, lastEnd) = (whole.upperBound, whole.upperBound)
      }
      place = whole.isEmpty ? Self.next(after: whole.upperBound, in: text) : whole.upperBound
    }
    result += text[copied...]
    return String(decoding: result, as: UTF8.self)
  }

  private func append(
    _ match: [Range<Int>?],
    of text: UnsafeBufferPointer<UInt8>,
    to result: inout [UInt8]
  ) {
    for part in parts {
      switch part {
      case .text(let bytes): result += bytes
      case .group(let number): if let range = match[number] { result += text[range] }
      }
    }
  }

  /// The place of the next character.
  private static func next(after place: Int, in text: UnsafeBufferPointer<UInt8>) -> Int {
    var next = place + 1
    while next < text.count, text[next] & 0xC0 == 0x80 { next += 1 }
    return next
  }
}
