import OpenSwiftData

/// `bind`: gives a key of the table another use.
struct BindKey: Instruction {
  let request: BindingRequest

  static let command = Command(
    "bind",
    aliases: ["bind!"],
    usage: "[KEY [= COMMAND … | ACTION]]",
    summary: "run commands by a key of the table; without a key, list such keys",
    details: """
      COMMAND is a line in quotes, such as in bind X = "set status=done"; further ones run after it, until one fails
      or asks. They apply to the marked records, or else to the one under the cursor, as lines typed after the colon do.
      A key with an action keeps it unless "bind!" is written. ACTION is the name of an action, as help shows it.
      KEY is a key such as X, C-x, F5 or M-x. Binding lasts until the program ends; the same line in the configuration
      makes it permanent. In scripts and with --plain, "press KEY" runs the commands of a key.
      """
  ) { arguments, _ in
    let line = arguments.line
    let isForced = line.words.first?.text.hasSuffix("!") ?? false
    guard !arguments.isEmpty else { return BindKey(request: .list) }
    let text = try BindingText(line, replacesAction: isForced)
    _ = arguments.rest()
    return BindKey(request: text.use.map { .bind(text.key, $0) } ?? .tell(text.key))
  }

  func perform(in session: Session) throws -> Outcome {
    if session.origin.isOnScreen { return .screen(.bind(request)) }
    switch request {
    case .list: return .lines(session.script.boundLines.texts)
    case .tell(let key):
      var only = BoundLines()
      only[key] = session.script.boundLines[key]
      return .lines(only.isEmpty ? ["\(key) has no commands"] : only.texts)
    case .bind(let key, .lines(let lines, _)):
      try Command.check(lines, in: .scripts)
      session.script.boundLines[key] = lines
      return .done("bound \(key)")
    case .bind(_, .action(let name)):
      throw CommandError("bind: the action \(Value.quoted(name)) works only on the screen")
    case .unbind(let key):
      guard session.script.boundLines[key] != nil else {
        throw CommandError("\(key) has no commands")
      }
      session.script.boundLines[key] = nil
      return .done("unbound \(key)")
    }
  }
}

/// `unbind`: takes its use from a key of the table.
enum UnbindKey {
  static let command = Command(
    "unbind",
    usage: "KEY",
    summary: "take the commands or the action from a key of the table"
  ) { arguments, _ in
    BindKey(request: .unbind(try arguments.requireKey()))
  }
}

/// `press`: runs the commands of a key.
struct PressKey: Instruction {
  let key: Key

  /// The error for a key whose commands press a key, possibly itself.
  static let nested = CommandError("press: a command of a key cannot press another key")

  static let command = Command(
    "press",
    usage: "KEY",
    summary: "run the commands that are bound to a key",
    details: "They stop at the first one that fails. A command of a key cannot press another key."
  ) { arguments, _ in
    PressKey(key: try arguments.requireKey())
  }

  func perform(in session: Session) throws -> Outcome {
    if session.origin.isOnScreen { return .screen(.press(key)) }
    guard !session.script.isPressing else { throw PressKey.nested }
    guard let lines = session.script.boundLines[key] else {
      throw CommandError("\(key) has no commands; use \"bind \(key) = COMMAND\"")
    }
    guard !session.settings.answersPrograms else {
      throw CommandError("press: cannot be combined with --answers", code: .unsupported)
    }
    return .commands(lines)
  }
}

extension Arguments {
  /// Reads the name of a key.
  ///
  /// - Throws: `CommandError` for a missing or an unknown one.
  fileprivate mutating func requireKey() throws -> Key {
    let word = try require("key")
    return try Key(named: word.text, in: line, word)
  }
}

extension Command {
  /// Checks that each line of a key begins with a command that a key can run.
  ///
  /// - Throws: `CommandError` for an unknown command, for a line without one, and for one that presses a key.
  static func check(_ lines: [String], in places: Places) throws(CommandError) {
    for (place, line) in lines.enumerated() {
      let words = line.split(separator: " ").map(String.init)
      do {
        guard let found = try find(words, in: places) else { throw CommandError("empty command") }
        if found.command.name == PressKey.command.name { throw PressKey.nested }
      } catch let error as CommandError where error == PressKey.nested {
        throw error
      } catch {
        // What follows the first command is often a part of it that is not in its quotes.
        guard place == 0 else {
          throw CommandError(
            "unknown command \(Value.quoted(words.first ?? "")); write a command with spaces in quotes"
          )
        }
        throw (error as? CommandError) ?? CommandError("\(error)")
      }
    }
  }
}
