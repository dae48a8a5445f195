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
  /// A number that cannot be predicted.
  var randomNumber: UInt64 { get }
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
  /// Opens the store at a location, whose file is read as options say; nil reads it as it was kept, or by the rule.
  ///
  /// - Throws: As above, and `CommandError` for options of a file that can be read in one way only.
  func open(_ location: String, schema: Schema?, isReadOnly: Bool, reading: ReadingOptions?) throws
    -> OpenedStore
  /// Opens the sample in memory, for the tour.
  ///
  /// - Throws: `CommandError` for services without a sample.
  func openSample() throws -> OpenedStore
  /// True if files are read as they were kept, unless somebody says something else.
  var usesKeptReadings: Bool { get }
  /// How the file at a location is read on the screen; nil if nothing was kept.
  ///
  /// - Throws: `PersistenceError`, or `CommandError` for a text that was not written by this program.
  func keptReading(of location: String) throws -> KeptReading?
  /// Keeps how the file at a location is read on the screen; nil forgets it.
  ///
  /// - Throws: `PersistenceError` with the path and the reason, or `CommandError` if nothing can be kept.
  func keep(_ reading: KeptReading?, of location: String) throws
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
  /// Reads the first bytes of a file, or the whole file if it is compressed or shorter.
  ///
  /// - Throws: `PersistenceError` with the path and the reason.
  func beginning(of path: String, byteCount: Int) throws -> [UInt8]
  /// Opens text that does not come from a file, such as the standard input, for reading only.
  ///
  /// - Throws: The error of the store.
  func open(_ text: [UInt8], named name: String) throws -> OpenedStore
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
  /// Finds out how a file of separated values is written, as far as options do not say it.
  ///
  /// - Parameters:
  ///   - bytes: The content of the file.
  ///   - promised: The delimiter that its name promises; nil for none.
  ///   - reading: What is said about it.
  /// - Returns: The text, with what divides it.
  /// - Throws: `DelimitedText.Fault` for bytes that cannot be read.
  func delimitedText(_ bytes: [UInt8], promised: UInt8?, reading: ReadingOptions) throws
    -> DelimitedText
  /// True if the path is a folder.
  func isFolder(_ path: String) -> Bool
  /// Writes a whole file through the closure, replacing it completely or not at all; `-` is standard
  /// output.
  ///
  /// Each call of the closure writes whole lines of UTF-8.
  ///
  /// - Throws: `PersistenceError` with the path and the reason.
  func writeFile(_ path: String, _ body: (_ write: OutputSink) throws -> Void) throws
  /// True for a regular file that is not empty.
  func hasContent(_ path: String) -> Bool
  /// Makes a store that takes the place of the one at a location when it is complete, and not at all if that fails.
  ///
  /// - Throws: The errors of the closure, and `CommandError` for a store that is in use.
  func replaceStore<T>(at location: String, _ make: (_ location: String) throws -> T) throws -> T
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
  package var clock: WallClock { .utc }
  package var randomNumber: UInt64 { .random(in: 0 ... .max) }
  package var outputStyle: OutputStyle { OutputStyle() }

  package var historyProblem: String? { nil }

  package var keyHelp: [String] { [] }

  /// Rejects reading, for services without standard input.
  ///
  /// - Throws: `CommandError`, always.
  package func readStandardInput() throws -> [UInt8] {
    throw CommandError("-: standard input is the script; use -e or --script FILE")
  }

  /// Rejects the text, for services without standard input.
  ///
  /// - Throws: `CommandError`, always.
  package func open(_ text: [UInt8], named name: String) throws -> OpenedStore {
    throw CommandError("\(name): only files can be read here")
  }

  package func flushOutput() throws {}
  package func checkOutput() throws {}

  package var themeNames: [String] { Theme.names }
  package func theme(_ name: String) throws -> Theme {
    if let theme = Theme.named(name) { return theme }
    throw CommandError(Suggestion.message("unknown theme", name, among: ["auto"] + themeNames))
  }

  /// Reads the whole file.
  package func beginning(of path: String, byteCount: Int) throws -> [UInt8] {
    let bytes = try decompressed(readFile(path), path)
    guard bytes.count > byteCount else { return bytes }
    // A part of a line would be a record with too few values.
    let end = bytes[..<byteCount].lastIndex { $0 == 0x0A || $0 == 0x0D } ?? byteCount - 1
    return Array(bytes[...end])
  }

  /// Opens the store without options.
  package func open(
    _ location: String,
    schema: Schema?,
    isReadOnly: Bool,
    reading: ReadingOptions?
  ) throws -> OpenedStore {
    try open(location, schema: schema, isReadOnly: isReadOnly)
  }

  /// Rejects it, for services without a sample.
  ///
  /// - Throws: `CommandError`, always.
  package func openSample() throws -> OpenedStore {
    throw CommandError("tour: not available here")
  }

  package var usesKeptReadings: Bool { false }
  package func keptReading(of location: String) throws -> KeptReading? { nil }
  /// Rejects it, for services without a place for readings.
  ///
  /// - Throws: `CommandError`, always.
  package func keep(_ reading: KeptReading?, of location: String) throws {
    throw CommandError("read: nothing can be kept without a folder for state")
  }
  package func hasContent(_ path: String) -> Bool { false }
  package func replaceStore<T>(at location: String, _ make: (_ location: String) throws -> T)
    throws -> T
  { try make(location) }

  package func viewsPath(of location: String) -> String? { nil }
  package func views(of location: String) throws -> String? { nil }
  package func keepViews(_ text: String?, of location: String) throws {}
  package func isStream(_ path: String) -> Bool { false }

  package func isFolder(_ path: String) -> Bool { false }

  package func decompressed(_ bytes: [UInt8], _ path: String) throws -> [UInt8] { bytes }
  package func plainName(of path: String) -> String { path }

  package func refusal(of path: String) -> CommandError? { nil }
  package func paths(beginning text: String) -> [String] { [] }

  package func recovery(for location: String) -> Recovery? { nil }
  package func isSame(_ location: String, _ other: String) throws -> Bool { location == other }

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
  /// A note about the way in which its file is read; nil for none.
  package private(set) var readingNote: String?

  /// Notes for the user about opening the store, one line each.
  package var notes: [String] {
    (readingNote.map { [$0] } ?? [])
      + container.stores.flatMap { ($0 as? any MaintainableStore)?.openingNotes ?? [] }
  }

  /// How the file is read; nil for a store that can be read in one way only.
  package var reading: FileReading? {
    container.stores.lazy.compactMap { ($0 as? any TextBackedStore)?.reading }.first
  }

  /// The same store with a note about the way in which its file is read.
  package func noting(_ readingNote: String) -> OpenedStore {
    var noted = self
    noted.readingNote = readingNote
    return noted
  }

  /// The name of a file that does not exist yet; nil for a store that does.
  package var missingFile: String? { exists || !isLasting ? nil : name }

  /// True if an acknowledged save may be lost, as the notes report.
  package var mayHaveLostSave: Bool {
    container.stores.contains { ($0 as? any MaintainableStore)?.mayHaveLostSave ?? false }
  }

  package init(
    container: ModelContainer,
    name: String,
    exists: Bool,
    isLasting: Bool = true,
    entityName: String? = nil,
    readOnlyReason: String? = nil,
    readingNote: String? = nil
  ) {
    self.readingNote = readingNote
    self.isLasting = isLasting
    self.readOnlyReason = readOnlyReason
    self.entityName = entityName
    self.container = container
    self.name = name
    self.exists = exists
  }
}
