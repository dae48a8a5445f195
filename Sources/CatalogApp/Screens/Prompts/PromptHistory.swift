/// The lines that were typed after `:`, into the filter and into the search, newest last.
package struct PromptHistory: Hashable, Sendable {
  /// The prompts, with the character that precedes their lines in the file.
  package enum Prompt: Character, CaseIterable, Sendable {
    case command = ":"
    case filter = "f"
    case search = "/"
    case column = "="
  }

  /// The number of lines that are kept for each prompt.
  package static let limit = 200
  /// Longer lines are not kept.
  private static let longest = 4096

  private var lines: [Prompt: [String]] = [:]
  /// The lines typed in this run, in order.
  private var added: [Entry] = []

  private struct Entry: Hashable, Sendable {
    let prompt: Prompt
    let line: String
  }

  package init() {}

  /// Parses the text of a file; invalid lines are skipped.
  package init(parsing text: String) {
    for line in text.split(separator: "\n") {
      guard let sign = line.first, let prompt = Prompt(rawValue: sign),
        line.dropFirst().first == " ", line.count > 2
      else { continue }
      insert(Self.unescaped(line.dropFirst(2)), prompt)
    }
  }

  /// The lines of a prompt, newest last.
  package subscript(prompt: Prompt) -> [String] { lines[prompt] ?? [] }

  /// True if a line was typed in this run.
  package var hasNews: Bool { !added.isEmpty }

  /// Adds a line that was typed, without the passwords of URLs.
  package mutating func add(_ line: String, to prompt: Prompt) {
    let line = LocationText.withoutPasswords(line)
    guard !line.isEmpty, line.utf8.count <= Self.longest else { return }
    insert(line, prompt)
    added.append(Entry(prompt: prompt, line: line))
    if added.count > 3 * Self.limit { added.removeFirst() }
  }

  private mutating func insert(_ line: String, _ prompt: Prompt) {
    var all = self[prompt]
    all.removeAll { $0 == line }
    all.append(line)
    lines[prompt] = Array(all.suffix(Self.limit))
  }

  /// Returns the lines that another program has written since, followed by those of this run.
  package func following(_ other: PromptHistory) -> PromptHistory {
    var result = other
    for entry in added { result.insert(entry.line, entry.prompt) }
    return result
  }

  /// The text of a file: each line is preceded by the character of its prompt.
  package var text: String {
    Prompt.allCases.flatMap { prompt in
      self[prompt].map { "\(prompt.rawValue) \(Self.escaped($0))\n" }
    }.joined()
  }

  private static func escaped(_ line: String) -> String {
    line.replacing("\\", with: "\\\\").replacing("\n", with: "\\n").replacing("\r", with: "\\r")
  }

  private static func unescaped(_ text: Substring) -> String {
    var result = ""
    var isEscaped = false
    for scalar in text.unicodeScalars {
      if isEscaped {
        result.unicodeScalars.append(scalar == "n" ? "\n" : scalar == "r" ? "\r" : scalar)
        isEscaped = false
      } else if scalar == "\\" {
        isEscaped = true
      } else {
        result.unicodeScalars.append(scalar)
      }
    }
    return result
  }
}

/// A position among the earlier lines of a prompt.
struct HistoryPlace: Sendable {
  /// Nil while a new line is typed.
  private var place: Int?
  private var draft = ""

  /// Moves back (-1) or forward (1); the line being typed comes after the newest.
  mutating func recall(_ step: Int, _ lines: [String], _ editor: inout LineEditor) {
    let next = (place ?? lines.count) + step
    if place == nil { draft = editor.text }
    if next >= lines.count {
      if place != nil { editor = LineEditor(draft) }
      place = nil
    } else if next >= 0 {
      place = next
      editor = LineEditor(lines[next])
    }
  }
}
