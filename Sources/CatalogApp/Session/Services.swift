package import OpenSwiftData

/// Receives output as UTF-8.
package typealias OutputSink = (UnsafeRawBufferPointer) throws -> Void

/// The output pipe has no reader.
package struct ClosedPipe: Error {
  package init() {}
}

/// The outside services that commands need: stores by location, files by path, the clock.
///
/// Provided by the program at launch, replaced in tests.
package protocol Services {
  /// The author that the history records for saves.
  var author: String? { get }
  /// The width of the terminal that scripts print to, in cells; nil if it is not a terminal.
  var outputWidth: Int? { get }
  /// The time, where the user is.
  var clock: WallClock { get }
  /// How lists and tables are printed.
  var outputStyle: OutputStyle { get }
  /// Why the history of files that do not keep it themselves is not kept; nil if it is, or is not wanted.
  var historyProblem: String? { get }

  /// The keys of the screen, a line for each.
  var keyHelp: [String] { get }

  /// Opens the store at a location, which may not exist yet; nothing is written before the first save.
  ///
  /// - Throws: `PersistenceError`, or `CommandError` for a location of an unknown kind.
  func open(_ location: String, schema: Schema?, isReadOnly: Bool) throws -> OpenedStore
  /// True if both locations belong to one store.
  ///
  /// - Throws: `CommandError` for a location of an unknown kind.
  func isSame(_ location: String, _ other: String) throws -> Bool
  /// True if a location is a file that does not exist.
  func isMissing(_ location: String) -> Bool
  /// The recovery files of the store at a location; nil if it has no place for them.
  func recovery(for location: String) -> Recovery?
  /// The paths of files and folders that begin with a text, in order; those of folders end in a slash.
  func paths(beginning text: String) -> [String]
  /// Reads a whole file as bytes.
  ///
  /// - Throws: `PersistenceError` with the path and the reason.
  func readFile(_ path: String) throws -> [UInt8]
  /// Reads the standard input until its end.
  ///
  /// - Throws: `PersistenceError` if it cannot be read, `CommandError` if it is the script.
  func readStandardInput() throws -> [UInt8]
  /// True if the path is a pipe or a device, whose name does not tell what it contains.
  func isStream(_ path: String) -> Bool
  /// Why a file is not read: it is of a kind that must be converted; nil if it is of no such kind.
  func refusal(of path: String) -> CommandError?
  /// The content of a compressed file; other bytes as they are.
  ///
  /// - Throws: `PersistenceError` for damaged bytes, and for a text that is too long.
  func decompressed(_ bytes: [UInt8], _ path: String) throws -> [UInt8]
  /// The name of a file without the extension of its compression.
  func plainName(of path: String) -> String
  /// Finds out how a file of separated values is written, as opening it does.
  ///
  /// - Throws: `DelimitedText.Fault` for bytes that are not text.
  func delimitedText(_ bytes: [UInt8], hasTabs: Bool) throws -> DelimitedText
  /// True if the path is a folder.
  func isFolder(_ path: String) -> Bool
  /// Writes a whole file through the closure, replacing it completely or not at all; `-` is standard
  /// output.
  ///
  /// Each call of the closure writes whole lines of UTF-8.
  ///
  /// - Throws: `PersistenceError` with the path and the reason.
  func writeFile(_ path: String, _ body: (_ write: OutputSink) throws -> Void) throws
  /// The path of the file with the views of the store at a location; nil if views of this store are not kept.
  func viewsPath(of location: String) -> String?
  /// The text of that file; nil if there is none.
  ///
  /// - Throws: `PersistenceError`, or `CommandError` for a file that cannot be text.
  func views(of location: String) throws -> String?
  /// Replaces the text of that file; nil if there is nothing to keep.
  ///
  /// - Throws: `PersistenceError` with the path and the reason.
  func keepViews(_ text: String?, of location: String) throws
  /// The names of all themes, the bundled ones first.
  var themeNames: [String] { get }
  /// The theme with a name: a bundled one, or one of the user's files.
  ///
  /// - Throws: `CommandError` for an unknown name, or with the path and the line of an error in the file.
  func theme(_ name: String) throws -> Theme
  /// Passes on everything that was written to standard output, to a reader that waits for it.
  ///
  /// - Throws: `PersistenceError` if it cannot be written.
  func flushOutput() throws
  /// Checks that standard output still has a reader.
  ///
  /// - Throws: `ClosedPipe` if it does not.
  func checkOutput() throws
}

extension Services {
  /// The time in UTC.
  package var clock: WallClock { .utc }
  /// The usual style.
  package var outputStyle: OutputStyle { OutputStyle() }

  /// Returns nil.
  package var historyProblem: String? { nil }

  /// No keys, for services without a screen.
  package var keyHelp: [String] { [] }

  /// Rejects reading, for services without standard input.
  ///
  /// - Throws: `CommandError`, always.
  package func readStandardInput() throws -> [UInt8] {
    throw CommandError("-: standard input is the script; use -e or --script FILE")
  }

  /// Does nothing, for services that hold no output back.
  package func flushOutput() throws {}
  /// Does nothing, for services whose output always has a reader.
  package func checkOutput() throws {}

  /// The bundled themes.
  package var themeNames: [String] { Theme.names }
  /// Returns a bundled theme.
  package func theme(_ name: String) throws -> Theme {
    if let theme = Theme.named(name) { return theme }
    throw CommandError(
      "unknown theme \(Value.quoted(name)); \(Suggestion.text(for: name, among: ["auto"] + themeNames))"
    )
  }

  /// Returns nil.
  package func viewsPath(of location: String) -> String? { nil }
  /// Returns nil.
  package func views(of location: String) throws -> String? { nil }
  /// Does nothing, for services without a place for views.
  package func keepViews(_ text: String?, of location: String) throws {}
  /// Returns false.
  package func isStream(_ path: String) -> Bool { false }

  /// Returns false.
  package func isFolder(_ path: String) -> Bool { false }

  /// Returns the bytes.
  package func decompressed(_ bytes: [UInt8], _ path: String) throws -> [UInt8] { bytes }
  /// Returns the path.
  package func plainName(of path: String) -> String { path }

  /// Returns nil.
  package func refusal(of path: String) -> CommandError? { nil }
  /// Returns no paths.
  package func paths(beginning text: String) -> [String] { [] }

  /// Returns nil.
  package func recovery(for location: String) -> Recovery? { nil }
  /// Compares the texts of the locations.
  package func isSame(_ location: String, _ other: String) throws -> Bool { location == other }

  /// Returns false.
  package func isMissing(_ location: String) -> Bool { false }
}

/// A store that was opened.
package struct OpenedStore {
  /// The open store.
  package let container: ModelContainer
  /// Its name on the screen.
  package let name: String
  /// True if the location existed before.
  package let exists: Bool
  /// False if saved records are lost when the program ends.
  package let isLasting: Bool
  /// The entity that the location names; nil if it names the whole store.
  package let entityName: String?

  /// Why the store cannot be saved although it was not opened read-only; nil if it can.
  package let readOnlyReason: String?

  /// Notes for the user about opening the store, one line each.
  package var notes: [String] {
    container.stores.flatMap { ($0 as? any MaintainableStore)?.openingNotes ?? [] }
  }

  /// The name of a file that does not exist yet; nil for a store that does.
  package var missingFile: String? { exists || !isLasting ? nil : name }

  /// True if an acknowledged save may be lost, as the notes report.
  package var mayHaveLostSave: Bool {
    container.stores.contains { ($0 as? any MaintainableStore)?.mayHaveLostSave ?? false }
  }

  /// Creates a description.
  package init(
    container: ModelContainer,
    name: String,
    exists: Bool,
    isLasting: Bool = true,
    entityName: String? = nil,
    readOnlyReason: String? = nil
  ) {
    self.isLasting = isLasting
    self.readOnlyReason = readOnlyReason
    self.entityName = entityName
    self.container = container
    self.name = name
    self.exists = exists
  }
}
