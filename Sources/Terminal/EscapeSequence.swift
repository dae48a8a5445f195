import CatalogApp

/// Parses the sequences that terminals send: the syntax is that of ECMA-48, the contents follow xterm
/// and related terminals.
enum EscapeSequence {
  /// The result of parsing a control sequence.
  enum Control {
    case incomplete
    case ignored(count: Int)
    case key(Key, count: Int)
    case pasteBegins(count: Int)
    case mouse(MouseEvent.Kind, Point, count: Int)
  }

  /// The maximum length of a sequence; a longer one is not valid.
  private static let lengthLimit = 64

  /// Reads `ESC [`, parameters and a final byte.
  static func control(_ bytes: ArraySlice<UInt8>) -> Control {
    let body = bytes.dropFirst(2)
    guard let first = body.first else { return .incomplete }
    if first == UInt8(ascii: "[") { return linuxFunction(body) }
    if first == UInt8(ascii: "M") {
      // The mouse protocol before SGR: its three bytes must not be read as typed text.
      return body.count < 4 ? .incomplete : .ignored(count: 6)
    }
    let parameters = body.prefix { (0x20...0x3F).contains($0) }
    let count = 2 + parameters.count
    guard let final = body.dropFirst(parameters.count).first else {
      return count > lengthLimit ? .ignored(count: count) : .incomplete
    }
    // A control byte ends the sequence and is read separately.
    guard (0x40...0x7E).contains(final) else { return .ignored(count: count) }
    let text = String(decoding: parameters, as: UTF8.self)
    if text.first == "<" { return mouse(text.dropFirst(), final: final, count: count + 1) }
    // Answers of the terminal, not keys.
    if let first = text.first, "=>?".contains(first) { return .ignored(count: count + 1) }
    return interpret(text, final: final, count: count + 1)
  }

  /// Reads `ESC O`, possibly a modifier, and a letter.
  static func singleShift(_ bytes: ArraySlice<UInt8>) -> InputDecoder.Step {
    let body = bytes.dropFirst(2)
    let digits = body.prefix { (0x30...0x39).contains($0) || $0 == UInt8(ascii: ";") }
    guard let final = body.dropFirst(digits.count).first else { return .incomplete }
    let count = 2 + digits.count
    guard (0x20...0x7E).contains(final) else { return .done(nil, count: count) }
    let held = modifiers(numbers(String(decoding: digits, as: UTF8.self)).last)
    if let code = letterCode(final) { return .done(.key(Key(code, held)), count: count + 1) }
    if final == UInt8(ascii: "M") { return .done(.key(.enter), count: count + 1) }
    if (UInt8(ascii: "j")...UInt8(ascii: "y")).contains(final) {
      // The number pad: * + , - . / 0 to 9.
      let typed = Character(Unicode.Scalar(final - 0x40))
      return .done(.key(.character(typed)), count: count + 1)
    }
    return .done(nil, count: count + 1)
  }

  /// Reads an answer of the terminal, up to BEL or `ESC \`.
  static func string(_ bytes: ArraySlice<UInt8>) -> InputDecoder.Step {
    var index = bytes.startIndex + 2
    while index < bytes.endIndex {
      if bytes[index] == 0x07 { return .done(nil, count: index + 1 - bytes.startIndex) }
      if bytes[index] == 0x1B {
        guard index + 1 < bytes.endIndex else { return .incomplete }
        let isEnd = bytes[index + 1] == UInt8(ascii: "\\")
        return .done(nil, count: index + (isEnd ? 2 : 0) - bytes.startIndex)
      }
      index += 1
    }
    return bytes.count > 4096 ? .done(nil, count: bytes.count) : .incomplete
  }

  private static func linuxFunction(_ body: ArraySlice<UInt8>) -> Control {
    guard let letter = body.dropFirst().first else { return .incomplete }
    guard (UInt8(ascii: "A")...UInt8(ascii: "E")).contains(letter) else {
      return .ignored(count: 4)
    }
    return .key(.function(Int(letter) - 64), count: 4)
  }

  private static func interpret(_ text: String, final: UInt8, count: Int) -> Control {
    let numbers = numbers(text)
    let number = numbers.first ?? 1
    let held = modifiers(numbers.count > 1 ? numbers[1] : nil)
    switch final {
    case UInt8(ascii: "~"):
      if number == 200 { return .pasteBegins(count: count) }
      if number == 27, numbers.count == 3 { return coded(numbers[2], held, count: count) }
      return key(numberCode(number), held, count: count)
    case UInt8(ascii: "^"): return key(numberCode(number), .control, count: count)
    case UInt8(ascii: "@"): return key(numberCode(number), [.control, .shift], count: count)
    case UInt8(ascii: "u"): return coded(number, held, count: count)
    case UInt8(ascii: "Z"): return .key(.backTab, count: count)
    case UInt8(ascii: "a")...UInt8(ascii: "d"):
      return key(letterCode(final - 32), .shift, count: count)
    default: return key(letterCode(final), held, count: count)
    }
  }

  private static func mouse(_ text: Substring, final: UInt8, count: Int) -> Control {
    let numbers = numbers(String(text))
    guard numbers.count == 3, numbers[1] > 0, numbers[2] > 0,
      final == UInt8(ascii: "M") || final == UInt8(ascii: "m")
    else { return .ignored(count: count) }
    let point = Point(x: numbers[1] - 1, y: numbers[2] - 1)
    let isRelease = final == UInt8(ascii: "m")
    // The value without the bits of shift, alt and control.
    switch numbers[0] & ~0x1C {
    case 0: return .mouse(isRelease ? .release : .press, point, count: count)
    case 2 where !isRelease: return .mouse(.menu, point, count: count)
    case 32 where !isRelease: return .mouse(.drag, point, count: count)
    case 64 where !isRelease: return .mouse(.scrollUp, point, count: count)
    case 65 where !isRelease: return .mouse(.scrollDown, point, count: count)
    default: return .ignored(count: count)
    }
  }

  private static func key(_ code: Key.Code?, _ held: Key.Modifiers, count: Int) -> Control {
    code.map { .key(Key($0, held), count: count) } ?? .ignored(count: count)
  }

  /// Returns a key that is sent as the number of its character.
  private static func coded(_ value: Int, _ held: Key.Modifiers, count: Int) -> Control {
    let isKey = value >= 0xA0 || (0x20...0x7F).contains(value) || [8, 9, 13, 27].contains(value)
    guard isKey, let number = UInt32(exactly: value), let scalar = Unicode.Scalar(number) else {
      return .ignored(count: count)
    }
    return .key(Key(.character(Character(scalar)), held), count: count)
  }

  private static func letterCode(_ letter: UInt8) -> Key.Code? {
    switch letter {
    case UInt8(ascii: "A"): .up
    case UInt8(ascii: "B"): .down
    case UInt8(ascii: "C"): .right
    case UInt8(ascii: "D"): .left
    case UInt8(ascii: "H"): .home
    case UInt8(ascii: "F"): .end
    case UInt8(ascii: "P")...UInt8(ascii: "S"): .function(Int(letter) - 79)
    default: nil
    }
  }

  private static func numberCode(_ number: Int) -> Key.Code? {
    switch number {
    case 1, 7: .home
    case 2: .insert
    case 3: .delete
    case 4, 8: .end
    case 5: .pageUp
    case 6: .pageDown
    case 11...15: .function(number - 10)
    case 17...21: .function(number - 11)
    case 23, 24: .function(number - 12)
    default: nil
    }
  }

  /// Reads the numbers between semicolons and ignores the parts after a colon, which describe details
  /// that are not needed.
  private static func numbers(_ text: String) -> [Int] {
    text.split(separator: ";", omittingEmptySubsequences: false).map { part in
      Int(part.prefix { $0 != ":" }) ?? 1
    }
  }

  private static func modifiers(_ number: Int?) -> Key.Modifiers {
    guard let number, number > 1, number <= 256 else { return [] }
    return Key.Modifiers(rawValue: UInt8((number - 1) & 7))
  }
}
