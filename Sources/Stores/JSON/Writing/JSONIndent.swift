import OpenSwiftData

/// How a value with several parts goes on over lines of its own, as the values around it do.
struct JSONIndent: Sendable {
  /// The line end, and the indentation of the line on which the value begins.
  private var line: [UInt8]
  /// The further indentation of the parts of a value.
  private let unit: [UInt8]
  /// Between key and value.
  let colon: [UInt8]

  /// The indentation inside an object or an array; nil if its values stay on one line.
  ///
  /// Values with parts that are already there decide; without any, such a value has lines of its own if those around it
  /// do.
  ///
  /// - Parameters:
  ///   - open: What is between the opening bracket and the first part.
  ///   - close: What is between the last part and the closing bracket.
  ///   - colon: What is between key and value.
  ///   - values: The values that are there.
  init?(
    open: some Collection<UInt8>,
    close: some Collection<UInt8>,
    colon: [UInt8],
    values: some Sequence<Slice<UnsafeBufferPointer<UInt8>>>
  ) {
    guard let line = Self.lastLine(of: Array(open)) else { return nil }
    var hasParts = false
    var hasLines = false
    for value in values where Self.hasParts(value) {
      hasParts = true
      hasLines = hasLines || value.contains(UInt8(ascii: "\n"))
    }
    guard hasLines || !hasParts else { return nil }
    let outer = Self.lastLine(of: Array(close)) ?? []
    self.line = line
    self.colon = colon
    unit =
      !outer.isEmpty && line.count > outer.count && line.starts(with: outer)
      ? Array(line[outer.count...]) : Array("  ".utf8)
  }

  /// The last line end with the white space after it; nil without a line end.
  private static func lastLine(of space: [UInt8]) -> [UInt8]? {
    guard let end = space.lastIndex(of: UInt8(ascii: "\n")) else { return nil }
    let hasReturn = end > 0 && space[end - 1] == UInt8(ascii: "\r")
    return Array(space[(hasReturn ? end - 1 : end)...])
  }

  /// True for an object or an array that is not empty.
  private static func hasParts(_ value: Slice<UnsafeBufferPointer<UInt8>>) -> Bool {
    guard let first = value.first, first == UInt8(ascii: "{") || first == UInt8(ascii: "[") else {
      return false
    }
    let next = value.dropFirst().first { $0 > 0x20 }
    return next != UInt8(ascii: "}") && next != UInt8(ascii: "]")
  }

  /// Appends JSON that has no white space between its tokens.
  func put(_ compact: UnsafeBufferPointer<UInt8>, to output: inout JSONOutput) {
    var line = line
    var place = 0
    while place < compact.count {
      let byte = compact[place]
      switch byte {
      case UInt8(ascii: "\""):
        let end = compact.endOfJSONString(from: place)
        output.put(compact[place..<end])
        place = end
        continue
      case UInt8(ascii: "{"), UInt8(ascii: "["):
        output.bytes.append(byte)
        let next = compact[place + 1]
        if next == UInt8(ascii: "}") || next == UInt8(ascii: "]") {
          output.bytes.append(next)
          place += 1
        } else {
          line += unit
          output.put(line)
        }
      case UInt8(ascii: "}"), UInt8(ascii: "]"):
        line.removeLast(unit.count)
        output.put(line)
        output.bytes.append(byte)
      case UInt8(ascii: ","):
        output.bytes.append(byte)
        output.put(line)
      case UInt8(ascii: ":"): output.put(colon)
      default: output.bytes.append(byte)
      }
      place += 1
    }
  }
}

extension JSONOutput {
  /// Appends JSON without white space between its tokens, on lines of its own if there is an indentation.
  mutating func put(_ compact: UnsafeBufferPointer<UInt8>, _ indent: JSONIndent?) {
    if let indent { indent.put(compact, to: &self) } else { put(compact) }
  }

  /// Appends a value; JSON with parts has lines of its own if there is an indentation.
  mutating func put(_ value: Value, _ indent: JSONIndent?) {
    guard let indent, case .json(var json) = value else { return put(value) }
    json.withUTF8 { indent.put($0, to: &self) }
  }
}
