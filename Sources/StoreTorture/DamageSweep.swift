import OpenSwiftData
import Stores

/// Opens a sample with single bits flipped, or cut short at every length.
package struct DamageSweep: Sendable {
  package let store: TorturedStore
  /// The undamaged file.
  package let bytes: [UInt8]
  /// The content of the file after each save; the last is the current one.
  private let history: [StoreContents]
  private let identifier: String

  /// Makes a sample of at least this many bytes.
  ///
  /// - Throws: The error of the store.
  package init(_ store: TorturedStore, sizeBytes: Int) throws {
    self.store = store
    let fileSystem = SimulatedFileSystem(seed: 64)
    var history: [StoreContents] = [StoreContents()]
    let open = try store.open(fileSystem)
    var save = 0
    while fileSystem.disk.bytes(at: store.path)?.count ?? 0 < sizeBytes {
      save += 1
      let note = String(repeating: "word \(save) ", count: save % 7 * 20)
      try open.insertFilms((0..<8).map { "film \(save).\($0)" }, note: note)
      if save % 3 == 0, let first = try open.filmIdentifiers().first {
        history.append(try StoreContents(of: open))
        try open.updateFilm(first, title: "updated in \(save)")
      }
      history.append(try StoreContents(of: open))
    }
    self.history = history
    identifier = open.identifier
    bytes = fileSystem.disk.bytes(at: store.path) ?? []
  }

  /// The number of bits.
  package var bitCount: Int { bytes.count * 8 }

  /// Flips bits one at a time, in a shuffled order that repeats after all of them.
  ///
  /// - Returns: How many were tried and for how many a value was wrong.
  package func flipBits(_ range: Range<Int>, isOver: () -> Bool = { false }) -> TortureFigures {
    var figures = TortureFigures()
    // A prime that does not divide the number of bits, so that every bit is reached.
    let stride = 7_368_787
    for number in range {
      let bit = number * stride % bitCount
      var damaged = bytes
      damaged[bit / 8] ^= 1 << UInt8(bit % 8)
      tryOut(damaged, "bit \(bit % 8) of byte \(bit / 8) flipped", mayBeShort: false, &figures)
      if figures.tries & 0xFF == 0, isOver() { break }
    }
    return figures
  }

  /// Truncates the file at every `step`th length, starting with a given one.
  package func truncate(from first: Int = 0, step: Int = 1, isOver: () -> Bool = { false })
    -> TortureFigures
  {
    var figures = TortureFigures()
    for length in stride(from: first, to: bytes.count, by: step) {
      tryOut(Array(bytes[..<length]), "cut to \(length) bytes", mayBeShort: true, &figures)
      if figures.tries & 0xFF == 0, isOver() { break }
    }
    return figures
  }

  /// Opens a file in place of the sample and notes whether it shows other records.
  func tryOut(
    _ damaged: [UInt8],
    _ what: String,
    mayBeShort: Bool,
    _ figures: inout TortureFigures
  ) {
    figures.tries += 1
    var disk = SimulatedDisk()
    disk.put(store.path, damaged)
    // Refusing a damaged file is always correct.
    guard let open = try? store.open(SimulatedFileSystem(disk), schema: nil),
      let found = try? StoreContents(of: open)
    else { return }
    guard !isRight(found, open, isCut: mayBeShort) else { return }
    figures.note("\(store.rawValue), \(what): wrong records are shown")
  }

  /// Whether the store may show this content for a damaged file.
  ///
  /// A log shows everything, or the state before a save that it reports as lost. A JSON file has no
  /// checksum: a flipped bit may change one record, and the names in the header. In JSON Lines
  /// each line is a record of its own, so the lines before a cut are a complete file. In CSV even a
  /// part of a line is.
  private func isRight(_ found: StoreContents, _ open: any OpenTorturedStore, isCut: Bool) -> Bool {
    guard let last = history.last else { return false }
    if found == last { return true }
    switch store {
    case .log:
      return history.contains(found) && (isCut || !open.openingNotes.isEmpty)
    case .json:
      return !isCut
    case .lines:
      return !isCut || found.isPart(of: last)
    case .csv:
      // The last value may be shorter than it was, and records have no other mark of their end.
      return !isCut || found.values.count <= last.values.count
    case .database:
      // It is swept in other ways, see `DatabaseDamage`.
      return false
    }
  }
}
