package import OpenSwiftData

/// The words after a command's name, read one after the other.
package struct Arguments {
  /// The whole line, from which predicates are read.
  package let line: CommandText
  private var index: Int
  /// The last word that was looked at, which is where reading ends when it fails.
  private let reached = ReachedWord()

  package init(_ line: CommandText, after count: Int = 1) {
    self.line = line
    index = count
  }

  /// True when no word is left.
  package var isEmpty: Bool { index >= line.words.count }

  /// The next word without taking it.
  package var peek: CommandText.Word? {
    guard !isEmpty else { return nil }
    reached.index = index
    return line.words[index]
  }

  /// The column at which reading has ended, in characters from 1; nil if no word was read.
  ///
  /// - Complexity: O(n) in the length of the line, for messages only.
  var reachedColumn: Int? {
    guard let place = reached.index else { return nil }
    return line.column(
      of: place < line.words.count ? line.words[place].start : line.words.last?.end ?? 0
    )
  }

  /// The name in a word as it was written, before the equals sign if there is one, if it has a step such as
  /// `["a.b"]`; nil for any other word.
  func quotedPath(_ word: CommandText.Word) -> String? {
    guard word.isQuoted else { return nil }
    let end = word.equals == nil ? word.end : word.valueStart - 1
    guard word.start < end, end <= line.text.utf8.count else { return nil }
    let name = line.typed(word.start..<end)
    return name.contains("[\"") ? name : nil
  }

  /// Takes the next word.
  package mutating func next() -> CommandText.Word? {
    defer { index += 1 }
    return peek
  }

  /// Reads the next word if it is this keyword, in any case and without quotes.
  package mutating func take(_ keyword: String) -> Bool {
    guard let word = peek, word.isKeyword(keyword) else { return false }
    index += 1
    return true
  }

  /// Reads the next word if it is this keyword, which can be given only once.
  ///
  /// - Throws: `CommandError` if the keyword was given before.
  mutating func takeOnce(_ keyword: String, _ given: inout Set<String>) throws -> Bool {
    guard let word = peek, take(keyword) else { return false }
    try locating(word) {
      guard given.insert(keyword).inserted else {
        throw CommandError("duplicate \(Value.quoted(keyword))")
      }
    }
    return true
  }

  /// The words that are left.
  package var remaining: ArraySlice<CommandText.Word> { line.words.dropFirst(index) }

  /// Takes the words that are left.
  mutating func takeWords() -> [String] {
    var words: [String] = []
    while let word = next() { words.append(word.text) }
    return words
  }

  /// Reads the next word, which is required.
  ///
  /// - Throws: `CommandError` that names the missing argument.
  package mutating func require(_ what: String) throws -> CommandText.Word {
    guard let word = next() else {
      reached.index = line.words.count
      throw CommandError("missing \(what)")
    }
    return word
  }

  /// Reads a whole number that is not negative.
  package mutating func requireCount(_ what: String) throws -> Int {
    let word = try require("number after \"\(what)\"")
    guard let number = Int(word.text), number >= 0 else {
      throw CommandError(
        "\(what): \(Value.quoted(word.text)) is not a whole number of 0 or more"
      )
    }
    return number
  }

  /// Reads the predicate that begins at the next word, up to the word after it.
  ///
  /// The identifier can be compared like a field, and so can fields of linked records (`author.name`). Where a link
  /// is compared, the session looks up the record.
  package mutating func requirePredicate(
    for entity: Schema.Entity,
    in session: Session
  ) throws -> Filter {
    guard let word = peek else { throw CommandError("missing predicate after \"where\"") }
    let paths = session.paths(in: line.text[...], of: entity)
    let known = entity.extended(
      withIdentifier: line.text.contains(entity.identifierKey),
      paths: paths.values.sorted { $0.name < $1.name }
    )
    let listed = try ListedColumns(line, in: session)
    let parsed: (filter: Filter, end: Int)
    do {
      parsed = try FilterParser.parsePrefix(
        of: line.text,
        from: word.start,
        for: known,
        parameters: session.script.parameters,
        link: { try session.linked($0, from: $1) },
        column: { try listed.values($0, for: $1) }
      )
    } catch {
      if let problem = listed.error(at: error.column) { throw problem }
      let problem = session.explained(error, in: line.text, entity)
      let computed = try session.computedFilter(
        line,
        from: word.start,
        entity,
        listed,
        unless: problem
      )
      while let word = peek, word.start < computed.end { index += 1 }
      return computed.filter
    }
    while let word = peek, word.start < parsed.end { index += 1 }
    session.notes.notePatterns(of: parsed.filter)
    return try session.resolving(parsed.filter, paths, of: entity)
  }

  /// Reads the rest of the line unchanged.
  ///
  /// If the line was not split into words, this is the whole text.
  package mutating func rest() -> String {
    if let text = line.unsplit { return text }
    guard let word = peek else { return "" }
    index = line.words.count
    return line.typed(word.start...)
  }

  /// Runs the closure for a word, and adds the column to its errors.
  ///
  /// The offset locates the subject of the closure in the line; nil is the word itself.
  package func locating<T>(
    _ word: CommandText.Word,
    at offset: Int? = nil,
    _ body: () throws -> T
  ) throws -> T {
    do {
      return try body()
    } catch {
      throw CommandError(
        (error as? CommandError)?.message ?? String(describing: error),
        column: line.column(of: offset ?? word.start),
        code: FailureCode(error)
      )
    }
  }

  /// Checks that no words are left.
  ///
  /// - Throws: `CommandError` that names the first word left.
  package func finish() throws {
    if let word = peek {
      throw CommandError("unexpected \(Value.quoted(word.text)) after the command")
    }
  }
}

/// The index of the word that a reader of arguments has reached.
private final class ReachedWord {
  /// Nil before the first word; the number of words after the last one.
  var index: Int?
}
