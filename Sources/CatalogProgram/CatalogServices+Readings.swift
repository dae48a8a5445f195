import CatalogApp
import OpenSwiftData
import Stores

/// The files with the ways in which the screen reads files of separated values, in the folder for state.
extension CatalogServices {
  func keptReading(of location: String) throws -> KeptReading? {
    try keptReading(at: readingPath(of: self.location(location, store: nil)))
  }

  func keep(_ reading: KeptReading?, of location: String) throws {
    let place = try self.location(location, store: nil)
    guard let path = readingPath(of: place), keepsViews else {
      throw CommandError(
        "read: nothing can be kept without a folder for state, or with --read-only"
      )
    }
    guard let reading else {
      if try fileSystem.statusIfPresent(of: path, in: nil) != nil {
        try fileSystem.remove(path, in: nil)
      }
      return
    }
    try createFolder(of: path)
    try writePrivateFile(path, reading.text)
  }

  /// What was kept; a file that cannot be read is none.
  func keptReading(of place: StoreLocation) -> KeptReading? {
    try? keptReading(at: readingPath(of: place))
  }

  /// Refuses options for a store that can be read in one way only.
  func requireSeparatedValues(_ isDelimited: Bool, _ name: String, _ reading: ReadingOptions?)
    throws
  {
    guard !isDelimited, let reading, !reading.isAutomatic else { return }
    throw CommandError("\(name) is not a file of separated values")
  }

  /// Opens a file whose way of reading was kept: as it was kept on the screen, and by the rule otherwise.
  func open(_ location: StoreLocation, isReadOnly: Bool, keeping kept: KeptReading) throws
    -> OpenedStore
  {
    guard usesKeptReadings else {
      let opened = try open(location, schema: nil, isReadOnly: isReadOnly, by: nil)
      guard opened.reading.map({ !kept.agrees(with: $0) }) ?? false else { return opened }
      return opened.noting(
        "\(location.path): the screen reads this file in another way; use --read "
          + CommandText.quoted(kept.options.text)
      )
    }
    var count: Int?
    do {
      let opened = try open(location, schema: nil, isReadOnly: isReadOnly, by: kept.options)
      if opened.reading.map(kept.fits) ?? true { return opened }
      count = opened.reading?.columns.count
      opened.container.close()
    } catch  where !(error is Interruption.Stopped) {
      // The rule may read what the options do not.
    }
    return try open(
      location,
      schema: nil,
      isReadOnly: isReadOnly,
      by: nil,
      readOnlyReason: "the kept reading does not fit; choose with :read",
      readingNote: "\(location.path): \(kept.misfit(count))"
    )
  }

  /// Opens a file with wrong quotes for the screen, which then shows it with quotes as characters and asks.
  ///
  /// - Throws: The error, if the file cannot be read like that.
  func openRefused(_ location: StoreLocation, _ error: PersistenceError) throws -> OpenedStore {
    guard error.code == .damaged, error.message.hasSuffix(DelimitedText.quotesAdvice) else {
      throw error
    }
    var options = ReadingOptions()
    options.quote = .none
    return try open(
      location,
      schema: nil,
      isReadOnly: false,
      by: options,
      readOnlyReason: "its quotes do not match; choose with :read",
      readingNote: error.message
    )
  }

  /// Refuses a store of which it is not certain how it is read, if nothing may be guessed.
  ///
  /// - Throws: `CommandError`.
  func certain(_ opened: OpenedStore) throws -> OpenedStore {
    guard refusesDoubt, let doubt = opened.reading?.doubts.first else { return opened }
    opened.container.close()
    throw CommandError("\(opened.name): \(Self.refusal(of: doubt))", code: .damaged)
  }

  /// What to say about a doubt that is not accepted.
  static func refusal(of doubt: String) -> String {
    "how it is read is not certain (--strict-read): \(doubt)"
  }

  private func readingPath(of place: StoreLocation) -> String? {
    guard let readingFolder else { return nil }
    return stateName(of: place).map { "\(readingFolder)/\($0)" }
  }

  private func keptReading(at path: String?) throws -> KeptReading? {
    // If the folder does not exist, nothing was kept.
    guard let path, let present = (try? fileSystem.statusIfPresent(of: path, in: nil)) ?? nil,
      present.kind == .regular, present.owner == owner, present.sizeBytes <= Self.largestReading
    else { return nil }
    return try KeptReading(parsing: String(decoding: readFile(path), as: UTF8.self))
  }

  /// A larger file was not written by this program.
  private static var largestReading: Int { 16 << 20 }
}
