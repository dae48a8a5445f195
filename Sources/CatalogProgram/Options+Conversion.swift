import CatalogApp
import OpenSwiftData

extension Options {
  /// What a conversion reads, as it was typed.
  struct Conversion: Equatable {
    let source: String
    /// The entity that was named.
    let entity: String?
  }

  /// Replaces `--to LOCATION` by the commands that convert.
  ///
  /// FROM is opened as without `--to`. Separated values, documents, one entity as JSON Lines, and standard output are
  /// exported, everything else is saved as a store. What clauses select is always exported.
  ///
  /// - Throws: `UsageError` for options that contradict a conversion.
  mutating func planConversion() throws {
    guard let destination else { return }
    guard let source = location else {
      throw UsageError("--to: missing LOCATION; use catalog FROM --to TO")
    }
    guard sources.isEmpty, keysPath == nil, !promptsByLine, saving == .atOnce else {
      throw UsageError(
        "--to cannot be combined with --script, -e, --keys, --plain, --atomic or --dry-run"
      )
    }
    conversion = Conversion(source: source, entity: entity)
    isQuiet = true
    style.usesLineFeeds = true
    let format = OutputFormat(path: destination)
    let isExport =
      Self.isData(destination) || format?.isDocument == true || (format == .jsonl && entity != nil)
      || !clauses.isEmpty
    let words = [isExport ? "export" : "saveas", CommandText.quoted(destination)] + clauses
    sources = [.command(words.joined(separator: " ")), .command("quit!")]
  }

  /// True for the word, or the text, with which the clauses of a list begin.
  static func beginsClause(_ text: String) -> Bool {
    let word = text.split(whereSeparator: \.isWhitespace).first?.lowercased() ?? ""
    return ["where", "sort", "limit", "offset", "fields"].contains(word)
  }

  /// True for data that is not a store: separated values, standard input and output.
  static func isData(_ location: String) -> Bool {
    location == "-" || OutputFormat(path: location)?.delimiter != nil
  }
}
