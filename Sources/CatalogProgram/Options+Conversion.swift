import CatalogApp
import OpenSwiftData

extension Options {
  /// Replaces `--to LOCATION` by the commands that convert.
  ///
  /// Separated values and standard input are imported into memory first; separated values, Markdown and standard output are
  /// exported, everything else is saved as a store.
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
    var commands: [String] = []
    if store == nil, Self.isData(source) {
      let name = entity ?? (source == "-" ? "Record" : nil)
      commands.append(
        "import " + CommandText.quoted(source)
          + (name.map { " into " + CommandText.quoted($0) } ?? "")
      )
      location = "memory:"
      entity = nil
    }
    let isExport = Self.isData(destination) || OutputFormat(path: destination) == .md
    commands.append((isExport ? "export " : "saveas ") + CommandText.quoted(destination))
    sources = (commands + ["quit!"]).map { .command($0) }
    isQuiet = true
  }

  /// True for data that is not a store: separated values, standard input and output.
  private static func isData(_ location: String) -> Bool {
    location == "-" || [.csv, .tsv].contains(OutputFormat(path: location))
  }
}
