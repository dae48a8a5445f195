import CatalogApp
import OpenSwiftData

extension Program {
  /// Prints what can follow in a command line, for the completions of shells: one whole argument a line.
  ///
  /// Prints nothing if the line cannot be read or the store cannot be opened.
  func complete(_ line: String) throws -> Int32 {
    // A shell has no place for an error.
    let arguments = (try? watch.whole { try candidates(for: line, in: $0) }) ?? []
    return try finish(printing: arguments.map { $0 + "\n" }.joined())
  }

  private func candidates(for line: String, in scope: Interruption.Scope) throws -> [String] {
    guard let words = Self.words(of: line), let current = words.last, words.count > 2 else {
      return []
    }
    var former = Array(words.dropFirst().dropLast())
    let option = former.removeLast()
    guard ["-e", "--command", "--entity"].contains(option) else { return [] }
    if option != "--entity", !current.contains(" ") {
      return CommandCompletion.commands(beginning: current)
    }
    var program = self
    program.options = try Options.parse(former)
    program.options.isReadOnly = true
    if option == "--entity" { program.options.entity = nil }
    let session = try program.openSession(in: scope) { _, open in try open() }
    defer { session.close() }
    session.script.parameters = try program.options.parameters(in: environment).mapValues {
      .some($0)
    }
    let completion = CommandCompletion(session)
    guard option == "--entity" else { return try completion.lines(completing: current) }
    return completion.entities.filter { $0.hasPrefix(current) }
  }

  /// The words of a command line up to the cursor, without their quotes; the last one may have an open quote, and is
  /// empty after a space.
  private static func words(of line: String) -> [String]? {
    for end in ["", "'", "\""] {
      guard let text = try? CommandText(line + end) else { continue }
      let words = text.words.map(\.text)
      return end.isEmpty && line.last?.isWhitespace ?? true ? words + [""] : words
    }
    return nil
  }
}
