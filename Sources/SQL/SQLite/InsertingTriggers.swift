import OpenSwiftData

/// The tables to which triggers may add rows, as far as their statements tell.
package struct InsertingTriggers {
  /// The words of the triggers that add rows, in small letters.
  private let words: Set<Substring>

  /// Reads the statements that create the triggers of a database.
  package init(_ statements: [String]) {
    let bodies = statements.compactMap { statement -> [Substring]? in
      let words = statement.lowercased().split { !($0.isLetter || $0.isNumber || $0 == "_") }
      let body = words.drop { $0 != "begin" }
      return body.contains("into") ? Array(body) : nil
    }
    words = Set(bodies.joined())
  }

  /// True unless no trigger adds rows to a table with this name.
  package func mayFill(_ table: String) -> Bool {
    let isWord = table.allSatisfy { $0.isLetter || $0.isNumber || $0 == "_" }
    return isWord ? words.contains(table.lowercased()[...]) : !words.isEmpty
  }
}
