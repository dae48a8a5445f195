import OpenSwiftData

/// The line of a command, in which the word is found that a failure is about.
struct FailurePlace {
  let line: CommandText
  /// The column at which the arguments could not be read any further; nil if they were read.
  var reachedColumn: Int?

  /// Prepares for failures of a command.
  init(line: CommandText) { self.line = line }

  /// The column of a failure in the line, in characters from 1; nil if the failure is not about a word.
  ///
  /// A failure that does not know its column is about the first word that its message names, or else about the word
  /// that could not be read.
  ///
  /// - Complexity: O(n) in the length of the line, for messages only.
  func column(of error: any Error) -> Int? {
    let (column, message) = FailureCode.place(of: error)
    if let column { return column }
    let named = line.words.first { word in
      word.names.contains { name in
        message.hasPrefix(name + ":") || message.contains(Value.quoted(name))
          || message.contains("/" + name + ":")
      }
    }
    return named.map { line.column(of: $0.start) } ?? reachedColumn
  }
}

extension CommandText.Word {
  /// What a message may call the word: its text, or the name of a field before `:` or `=`.
  fileprivate var names: [String] {
    let ends = [text.utf8.count, colon, equals].compactMap { $0 }
    return ends.map { String(decoding: text.utf8.prefix($0), as: UTF8.self) }.filter { !$0.isEmpty }
  }
}

extension Session {
  /// The column of a failure in the line of its command, and its message without the column.
  func place(of error: any Error) -> (column: Int?, message: String) {
    let (column, message) = FailureCode.place(of: error)
    return (column ?? failurePlace?.column(of: error), message)
  }
}
