/// A key that the user presses, independent of the bytes that the terminal sends for it.
///
/// One key has one value: control with I, M and H are Tab, Enter and Backspace, because terminals send
/// the same byte for both; the case of a letter includes shift.
package struct Key: Hashable, Sendable {
  /// The key without its modifiers.
  package enum Code: Hashable, Sendable {
    /// A key that types a character; the space bar is `character(" ")`.
    case character(Character)
    case enter, tab, escape, backspace, delete, insert
    case up, down, left, right, pageUp, pageDown, home, end
    /// F1 to F12.
    case function(Int)
  }

  /// The modifier keys that are held down.
  package struct Modifiers: OptionSet, Hashable, Sendable {
    /// One bit for each modifier, as xterm numbers them.
    package let rawValue: UInt8

    package init(rawValue: UInt8) { self.rawValue = rawValue }

    /// Shift; never with a character.
    package static let shift = Modifiers(rawValue: 1)
    /// Alt, also called Meta.
    package static let alt = Modifiers(rawValue: 2)
    package static let control = Modifiers(rawValue: 4)
  }

  /// The key without its modifiers.
  package let code: Code
  /// The modifier keys that are held down.
  package let modifiers: Modifiers

  /// Creates a key in its one form.
  package init(_ code: Code, _ modifiers: Modifiers = []) {
    guard case .character(let character) = code else {
      self.code = code
      self.modifiers = modifiers
      return
    }
    let rest = modifiers.subtracting(.shift)
    let code = Self.code(typing: character)
    guard code == .character(character) else {
      self.code = code
      self.modifiers = modifiers
      return
    }
    guard modifiers.contains(.control) else {
      self.code = code
      self.modifiers = rest
      return
    }
    if let named = Self.controlAlias(character) {
      self.code = named
      self.modifiers = rest.subtracting(.control)
    } else {
      self.code = .character(Self.lowercased(character))
      self.modifiers = rest
    }
  }

  /// The key that types `character`.
  package static func character(_ character: Character) -> Key { Key(.character(character)) }
  /// The key pressed together with control.
  package static func control(_ character: Character) -> Key {
    Key(.character(character), .control)
  }
  /// The key pressed together with alt.
  package static func alt(_ character: Character) -> Key { Key(.character(character), .alt) }

  /// Enter, also called Return.
  package static let enter = Key(.enter)
  package static let tab = Key(.tab)
  /// Shift with Tab.
  package static let backTab = Key(.tab, .shift)
  package static let escape = Key(.escape)
  /// The key that deletes to the left.
  package static let backspace = Key(.backspace)
  /// The key that deletes to the right.
  package static let delete = Key(.delete)
  /// The space bar.
  package static let space = Key(.character(" "))
  /// The arrow up.
  package static let up = Key(.up)
  /// The arrow down.
  package static let down = Key(.down)
  /// The arrow to the left.
  package static let left = Key(.left)
  /// The arrow to the right.
  package static let right = Key(.right)
  package static let pageUp = Key(.pageUp)
  package static let pageDown = Key(.pageDown)
  package static let home = Key(.home)
  package static let end = Key(.end)
  /// One of F1 to F12.
  package static func function(_ number: Int) -> Key { Key(.function(number)) }

  /// The character that the key types; nil for other keys.
  package var typed: Character? {
    guard case .character(let character) = code, modifiers.isEmpty else { return nil }
    return character
  }

  private static func code(typing character: Character) -> Code {
    switch character {
    case "\t": .tab
    case "\r", "\n", "\r\n": .enter
    case "\u{1B}": .escape
    case "\u{7F}", "\u{8}": .backspace
    default: .character(character)
    }
  }

  private static func controlAlias(_ character: Character) -> Code? {
    switch character {
    case "i", "I": .tab
    case "m", "M", "j", "J": .enter
    case "h", "H", "?": .backspace
    case "[": .escape
    default: nil
    }
  }

  private static func lowercased(_ character: Character) -> Character {
    if character == "@" { return " " }
    guard character.isASCII, let value = character.asciiValue, (65...90).contains(value) else {
      return character
    }
    return Character(Unicode.Scalar(value + 32))
  }
}

extension Key: ExpressibleByExtendedGraphemeClusterLiteral {
  /// Writes the key that types a character as that character.
  package init(extendedGraphemeClusterLiteral character: Character) { self = .character(character) }
}
