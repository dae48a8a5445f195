extension Key: CustomStringConvertible {
  /// The name that help shows: `^S`, `Enter`, `S-Tab`, `M-x`, `C-Left`, `F2`, `Space`, `e`.
  package var description: String {
    if case .character(let character) = code, modifiers.contains(.control) {
      let base = character == " " ? "Space" : String(character).uppercased()
      return (modifiers.contains(.alt) ? "M-" : "") + (base == "Space" ? "C-Space" : "^" + base)
    }
    var name = ""
    if modifiers.contains(.control) { name += "C-" }
    if modifiers.contains(.alt) { name += "M-" }
    if modifiers.contains(.shift) { name += "S-" }
    return name + baseName
  }

  /// Parses a name such as `e`, `PgDn`, `C-x`, `M-Left` or `^S`.
  ///
  /// Any of `C-`, `M-`, `A-` and `S-` may precede a character or a key name. Names are
  /// case-insensitive, characters are not.
  package init?(name: String) {
    var rest = Substring(name)
    var modifiers: Modifiers = []
    while rest.count > 2, let modifier = Self.prefixModifier(rest) {
      modifiers.insert(modifier)
      rest = rest.dropFirst(2)
    }
    if rest.count == 2, rest.first == "^", let last = rest.last {
      self.init(.character(last), modifiers.union(.control))
    } else if rest.count == 1, let only = rest.first {
      guard !modifiers.contains(.shift), !Self.isControl(only) else { return nil }
      self.init(.character(only), modifiers)
    } else if let code = Self.code(named: String(rest)) {
      self.init(code, modifiers)
    } else {
      return nil
    }
  }

  /// Returns the code with that name, in any case; nil for an unknown name.
  static func code(named name: String) -> Code? {
    let name = name.lowercased()
    if let code = codes[name] { return code }
    guard name.first == "f", let number = Int(name.dropFirst()), (1...12).contains(number),
      name.dropFirst().first != "0"
    else { return nil }
    return .function(number)
  }

  private var baseName: String {
    switch code {
    case .character(" "): "Space"
    case .character(let character): String(character)
    case .enter: "Enter"
    case .tab: "Tab"
    case .escape: "Esc"
    case .backspace: "BSpace"
    case .delete: "Delete"
    case .insert: "Insert"
    case .up: "Up"
    case .down: "Down"
    case .left: "Left"
    case .right: "Right"
    case .pageUp: "PgUp"
    case .pageDown: "PgDn"
    case .home: "Home"
    case .end: "End"
    case .function(let number): "F\(number)"
    }
  }

  private static let codes: [String: Code] = [
    "enter": .enter, "return": .enter, "tab": .tab, "escape": .escape, "esc": .escape,
    "space": .character(" "), "up": .up, "down": .down, "left": .left, "right": .right,
    "pgup": .pageUp, "pageup": .pageUp, "pgdn": .pageDown, "pagedown": .pageDown,
    "home": .home, "end": .end, "bspace": .backspace, "backspace": .backspace,
    "delete": .delete, "del": .delete, "insert": .insert, "ins": .insert,
  ]

  private static func prefixModifier(_ name: Substring) -> Modifiers? {
    switch name.prefix(2) {
    case "C-", "c-": .control
    case "M-", "m-", "A-", "a-": .alt
    case "S-", "s-": .shift
    default: nil
    }
  }

  private static func isControl(_ character: Character) -> Bool {
    character.unicodeScalars.allSatisfy { $0.properties.generalCategory == .control }
  }
}
