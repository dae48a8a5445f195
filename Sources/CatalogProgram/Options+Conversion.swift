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
  /// Separated values are imported into memory first; separated values, Markdown, one entity as JSON Lines, and
  /// standard output are exported, everything else is saved as a store. `takeSource()` plans again what a pipe contains.
  ///
  /// - Throws: `UsageError` for options that contradict a conversion.
  mutating func planConversion() throws {
    guard destination != nil else { return }
    guard let source = location else {
      throw UsageError("--to: missing LOCATION; use catalog FROM --to TO")
    }
    guard sources.isEmpty, keysPath == nil, !promptsByLine, saving == .atOnce else {
      throw UsageError(
        "--to cannot be combined with --script, -e, --keys, --plain, --atomic or --dry-run"
      )
    }
    conversion = Conversion(source: source, entity: entity)
    planConversion(importing: store == nil && Self.isData(source) ? source : nil)
    isQuiet = true
  }

  /// Sets the commands of a conversion: with data to import, or with FROM as the store.
  mutating func planConversion(importing data: String?) {
    guard let destination, let conversion else { return }
    var commands: [String] = []
    location = data == nil ? conversion.source : "memory:"
    entity = data == nil ? conversion.entity : nil
    if let data {
      let name = conversion.entity ?? (data == "-" ? "Record" : nil)
      commands.append(
        "import " + CommandText.quoted(data)
          + (name.map { " into " + CommandText.quoted($0) } ?? "")
      )
    }
    let format = OutputFormat(path: destination)
    let isExport =
      Self.isData(destination) || format == .md || (format == .jsonl && entity != nil)
    commands.append((isExport ? "export " : "saveas ") + CommandText.quoted(destination))
    sources = (commands + ["quit!"]).map { .command($0) }
  }

  /// True for data that is not a store: separated values, standard input and output.
  private static func isData(_ location: String) -> Bool {
    location == "-" || [.csv, .tsv].contains(OutputFormat(path: location))
  }
}
