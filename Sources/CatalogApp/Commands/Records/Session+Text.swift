extension Session {
  /// Parses a line and performs it as one undo step.
  ///
  /// - Throws: A one-line error for users: `CommandError`, `FilterSyntaxError`, `PersistenceError`,
  ///   `SaveFailure`.
  package func perform(_ text: String) throws -> Outcome {
    guard let instruction = try instruction(from: text) else { return .done("") }
    return try perform(prepared: instruction)
  }

  /// Reads an instruction from a line; nil for an empty line or a comment.
  ///
  /// This is the only place where the text of a command is read.
  ///
  /// - Throws: `CommandError` for an unknown command or wrong arguments, `FilterSyntaxError` for a
  ///   predicate.
  func instruction(from text: String, in origin: CommandOrigin = .script) throws
    -> (any Instruction)?
  {
    try from(origin) { try instruction(from: text, in: origin.isOnScreen ? .screen : .scripts) }
  }

  private func instruction(from text: String, in places: Command.Places) throws
    -> (any Instruction)?
  {
    failurePlace = nil
    if let (command, rest) = Command.taking(text, in: places) {
      try prepare(command)
      var arguments = Arguments(CommandText(unsplit: rest, of: text))
      return try command.instruction(&arguments, self)
    }
    let line = try CommandText(text)
    failurePlace = FailurePlace(line: line)
    do {
      return try instruction(from: line, in: places)
    } catch {
      if !places.contains(.screen) { try line.refuseSeparator() }
      throw error
    }
  }

  private func instruction(from line: CommandText, in places: Command.Places) throws
    -> (any Instruction)?
  {
    let found =
      places.contains(.screen) && ChangeSettings.isMeant(by: line, in: self)
      ? (ChangeSettings.command, 1)
      : try Command.find(line.words.prefix(2).map(\.text), in: places)
    guard let (command, count) = found else { return nil }
    try prepare(command)
    var arguments = Arguments(line, after: count)
    do {
      return try command.instruction(&arguments, self)
    } catch {
      failurePlace?.reachedColumn = arguments.reachedColumn
      throw error
    }
  }
}

extension CommandText {
  /// Names a `;` between commands as the reason of an error.
  fileprivate func refuseSeparator() throws {
    for (place, word) in words.enumerated() where !word.isQuoted && word.text.contains(";") {
      let parts = word.text.split(separator: ";", omittingEmptySubsequences: false)
      let next =
        parts.last?.isEmpty ?? true ? words.dropFirst(place + 1).first?.text[...] : parts.last
      guard let next, CommandLines.isCommand(next) else { continue }
      throw CommandError(
        "unexpected \";\"; give each command its own line, or its own -e",
        column: column(of: word.start + (parts.first?.utf8.count ?? 0))
      )
    }
  }
}

extension Command {
  /// The command of a line whose arguments are one text, and that text; nil for all other lines.
  fileprivate static func taking(_ text: String, in places: Places) -> (
    command: Command, rest: String
  )? {
    let line = text.unicodeScalars.drop(while: \.isSpace)
    let word = line.prefix { !$0.isSpace }
    guard let command = named(String(word).lowercased(), in: places), command.notation == .text
    else { return nil }
    return (command, String(line[word.endIndex...].drop(while: \.isSpace)))
  }
}
