package import OpenSwiftData

/// What commands need from the world: stores by location, files by path, the clock.
///
/// Given by the program at launch, replaced in tests.
package protocol Services {
  /// Stands in the history beside what is saved.
  var author: String? { get }
  /// The width of the terminal that scripts print to, in cells; nil when it is none.
  var outputWidth: Int? { get }

  /// Opens the store at a location, which may not exist yet; nothing is written before the first save.
  ///
  /// - Throws: `PersistenceError`, or `CommandError` for a location of an unknown kind.
  func open(_ location: String, schema: Schema?, isReadOnly: Bool) throws -> OpenedStore
  /// True when both locations are of one store.
  ///
  /// - Throws: `CommandError` for a location of an unknown kind.
  func isSame(_ location: String, _ other: String) throws -> Bool
  /// Where the unsaved edits of the store at a location are kept; nil where there is no such place.
  func recovery(for location: String) -> Recovery?
  /// The paths of files and folders that begin with a text, in order; those of folders end in a slash.
  func paths(beginning text: String) -> [String]
  /// Reads a whole file as bytes.
  ///
  /// - Throws: `PersistenceError` with the path and the reason.
  func readFile(_ path: String) throws -> [UInt8]
  /// Writes a whole file through the closure, replacing it as a whole or not at all; `-` is standard
  /// output.
  ///
  /// - Throws: `PersistenceError` with the path and the reason.
  func writeFile(_ path: String, _ body: (_ write: (String) throws -> Void) throws -> Void) throws
}

extension Services {
  /// There are no files to name.
  package func paths(beginning text: String) -> [String] { [] }

  /// There is no place for unsaved edits.
  package func recovery(for location: String) -> Recovery? { nil }
  /// The text alone decides.
  package func isSame(_ location: String, _ other: String) throws -> Bool { location == other }
}

/// A store that was opened.
package struct OpenedStore {
  /// The open store.
  package let container: ModelContainer
  /// What it is called on the screen.
  package let name: String
  /// True when there was something at the location.
  package let exists: Bool
  /// False when what is saved there is gone with the program.
  package let isLasting: Bool

  /// What the user should know since it was opened, one line each.
  package var notes: [String] {
    container.stores.flatMap { ($0 as? any MaintainableStore)?.openingNotes ?? [] }
  }

  /// True when a save that was acknowledged may be lost, as the notes say.
  package var mayHaveLostSave: Bool {
    container.stores.contains { ($0 as? any MaintainableStore)?.mayHaveLostSave ?? false }
  }

  /// Creates a description.
  package init(container: ModelContainer, name: String, exists: Bool, isLasting: Bool = true) {
    self.isLasting = isLasting
    self.container = container
    self.name = name
    self.exists = exists
  }
}
