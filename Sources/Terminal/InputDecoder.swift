package import CatalogApp

/// Converts the bytes that a terminal sends to events.
///
/// It is a value without a clock or a descriptor: bytes and times go in, events come out. Unknown
/// sequences are skipped as a whole and never read as typed text.
package struct InputDecoder {
  /// The result of decoding the first bytes of the input.
  enum Step {
    /// An event, or nil for input without one, and the number of bytes that it used.
    case done(InputEvent?, count: Int)
    /// The bytes of an incomplete sequence.
    case incomplete
  }

  /// The key sequences of this terminal, longest first.
  let terminalKeys: [(bytes: [UInt8], key: Key)]

  private var buffer: [UInt8] = []
  private var paste: [UInt8]?
  private var lastPress: (point: Point, milliseconds: Int)?
  private var now = 0
  /// The time until which an incomplete sequence may be an answer of the terminal.
  private var answersDue = Int.min
  /// True while the rest of an answer is expected whose beginning arrived long before it.
  private var isDroppingAnswer = false
  /// The answers of the terminal that were not read yet.
  private var answers: [TerminalAnswer] = []

  private static let pasteEnd = Array("\u{1B}[201~".utf8)
  /// A paste is delivered in parts of this size, so that memory stays bounded.
  private static let pasteLimit = 16 << 20

  package init(terminalKeys: [(bytes: [UInt8], key: Key)] = []) {
    self.terminalKeys = terminalKeys.sorted { $0.bytes.count > $1.bytes.count }
  }

  /// How long to wait for the rest of an incomplete sequence; nil if there is none.
  ///
  /// 20 milliseconds of silence distinguish the Escape key from a sequence.
  ///
  /// While an answer of the terminal is outstanding, an incomplete one may take longer, because a slow
  /// line delivers it in parts.
  var patienceMilliseconds: Int? {
    if paste != nil { return 2000 }
    if buffer.isEmpty { return nil }
    guard now < answersDue, buffer.first == 0x1B else { return 20 }
    return buffer.count > 1 ? 1000 : 100
  }

  /// Expects answers of the terminal until the time `milliseconds`.
  mutating func expectAnswers(until milliseconds: Int) { answersDue = milliseconds }

  /// Returns and removes the answers of the terminal.
  mutating func takeAnswers() -> [TerminalAnswer] {
    defer { answers = [] }
    return answers
  }

  /// Adds bytes that arrived at the time `milliseconds`; returns the events they complete.
  package mutating func feed(_ bytes: some Sequence<UInt8>, milliseconds: Int = 0) -> [InputEvent] {
    now = milliseconds
    buffer.append(contentsOf: bytes)
    return drain()
  }

  /// Decodes the remaining bytes as they are, because nothing followed in time.
  package mutating func timeOut() -> [InputEvent] {
    let rest = buffer
    buffer = []
    if let pasted = paste {
      // The end of the paste is missing.
      paste = nil
      return [.paste(Self.pastedText(pasted + rest))]
    }
    guard rest.first == 0x1B else { return [] }
    // A lone Escape, or Alt with a letter that could have begun a sequence.
    guard rest.count > 1 else { return [.key(.escape)] }
    if now < answersDue, [0x5B, 0x5D, 0x50].contains(rest[1]) {
      isDroppingAnswer = true
      return []
    }
    guard rest.count == 2, let key = Self.controlOrASCII(rest[1]) else { return [] }
    return [.key(Key(key.code, key.modifiers.union(.alt)))]
  }

  private mutating func drain() -> [InputEvent] {
    var events: [InputEvent] = []
    var offset = 0
    while offset < buffer.count {
      if paste != nil {
        guard let end = continuePaste(from: offset, into: &events) else {
          offset = buffer.count - keptByPaste(from: offset)
          break
        }
        offset = end
        continue
      }
      guard case .done(let event, let count) = step(buffer[offset...]) else { break }
      if event == nil, let answer = TerminalAnswer(buffer[offset..<(offset + count)]) {
        answers.append(answer)
      }
      offset += count
      if let event { events.append(event) }
    }
    buffer.removeFirst(offset)
    return events
  }

  /// Reads one key, character or sequence.
  private mutating func step(_ bytes: ArraySlice<UInt8>) -> Step {
    guard let first = bytes.first else { return .incomplete }
    if isDroppingAnswer, let rest = restOfAnswer(bytes) { return rest }
    if first != 0x1B { return Self.character(bytes) }
    for entry in terminalKeys where bytes.starts(with: entry.bytes) {
      return .done(.key(entry.key), count: entry.bytes.count)
    }
    guard let second = bytes.dropFirst().first else { return .incomplete }
    switch second {
    case 0x1B: return .done(.key(.escape), count: 1)
    case UInt8(ascii: "["): return control(bytes)
    case UInt8(ascii: "O"): return EscapeSequence.singleShift(bytes)
    case UInt8(ascii: "]"), UInt8(ascii: "P"), UInt8(ascii: "_"), UInt8(ascii: "^"),
      UInt8(ascii: "X"):
      return EscapeSequence.string(bytes)
    default: return alt(bytes)
    }
  }

  /// Drops bytes that can only be the rest of an answer; nil once the answer has ended.
  private mutating func restOfAnswer(_ bytes: ArraySlice<UInt8>) -> Step? {
    let length = bytes.prefix { "0123456789abcdefABCDEF/:;rg?".utf8.contains($0) }.count
    if length > 0, now < answersDue { return .done(nil, count: length) }
    isDroppingAnswer = false
    return bytes.first == 0x07 ? .done(nil, count: 1) : nil
  }

  private mutating func control(_ bytes: ArraySlice<UInt8>) -> Step {
    switch EscapeSequence.control(bytes) {
    case .incomplete: return .incomplete
    case .ignored(let count): return .done(nil, count: count)
    case .key(let key, let count): return .done(.key(key), count: count)
    case .pasteBegins(let count):
      paste = []
      return .done(nil, count: count)
    case .mouse(let kind, let point, let count):
      return .done(.mouse(mouse(kind, at: point)), count: count)
    }
  }

  private func alt(_ bytes: ArraySlice<UInt8>) -> Step {
    guard case .done(let event, let count) = Self.character(bytes.dropFirst()) else {
      return .incomplete
    }
    guard case .key(let key)? = event else { return .done(nil, count: count + 1) }
    return .done(.key(Key(key.code, key.modifiers.union(.alt))), count: count + 1)
  }

  private mutating func mouse(_ kind: MouseEvent.Kind, at point: Point) -> MouseEvent {
    guard kind == .press else { return MouseEvent(kind: kind, point: point) }
    if let last = lastPress, last.point == point, now - last.milliseconds <= 400 {
      lastPress = nil
      return MouseEvent(kind: .double, point: point)
    }
    lastPress = (point, now)
    return MouseEvent(kind: .press, point: point)
  }
}

extension InputDecoder {
  /// Moves pasted text out of the buffer; returns the offset after the paste, or nil if its end is
  /// missing.
  private mutating func continuePaste(from offset: Int, into events: inout [InputEvent]) -> Int? {
    let end = Self.pasteEnd
    var index = offset
    while index + end.count <= buffer.count {
      if buffer[index] == 0x1B, buffer[index..<(index + end.count)].elementsEqual(end) {
        let text = Self.pastedText((paste ?? []) + buffer[offset..<index])
        paste = nil
        events.append(.paste(text))
        return index + end.count
      }
      index += 1
    }
    let arrived = buffer[offset..<(buffer.count - keptByPaste(from: offset))]
    paste?.append(contentsOf: arrived)
    if let pasted = paste, pasted.count >= Self.pasteLimit {
      events.append(.paste(Self.pastedText(pasted)))
      paste = []
    }
    return nil
  }

  /// The bytes at the end that may be the beginning of the paste's end.
  private func keptByPaste(from offset: Int) -> Int {
    min(buffer.count - offset, Self.pasteEnd.count - 1)
  }

  /// Returns pasted bytes as text; terminals send carriage returns for the ends of lines.
  private static func pastedText(_ bytes: [UInt8]) -> String {
    var result: [UInt8] = []
    result.reserveCapacity(bytes.count)
    var previous: UInt8 = 0
    for byte in bytes {
      if byte == 0x0D {
        result.append(0x0A)
      } else if byte != 0x0A || previous != 0x0D {
        result.append(byte)
      }
      previous = byte
    }
    return String(decoding: result, as: UTF8.self)
  }

  /// Reads a character or a control byte.
  private static func character(_ bytes: ArraySlice<UInt8>) -> Step {
    guard let first = bytes.first else { return .incomplete }
    if first == 3 { return .done(.interrupt, count: 1) }
    if first < 0x80 { return .done(controlOrASCII(first).map { .key($0) }, count: 1) }
    let length = first >= 0xF0 ? 4 : first >= 0xE0 ? 3 : first >= 0xC2 ? 2 : 1
    let scalarBytes = bytes.prefix(length)
    let isWhole = scalarBytes.count == length
    if !isWhole, scalarBytes.dropFirst().allSatisfy({ $0 & 0xC0 == 0x80 }) { return .incomplete }
    guard isWhole, let text = String(validating: scalarBytes, as: UTF8.self),
      let character = text.first, let scalar = text.unicodeScalars.first, scalar.value >= 0xA0
    else { return .done(nil, count: 1) }
    return .done(.key(.character(character)), count: length)
  }

  /// Returns the key for an ASCII byte.
  private static func controlOrASCII(_ byte: UInt8) -> Key? {
    switch byte {
    case 0: .control(" ")
    case 0x1B: .escape
    case 0x01...0x1A: .control(Character(Unicode.Scalar(byte + 0x60)))
    case 0x1C...0x1F: .control(Character(Unicode.Scalar(byte + 0x40)))
    case 0x7F: .backspace
    default: .character(Character(Unicode.Scalar(byte)))
    }
  }
}
