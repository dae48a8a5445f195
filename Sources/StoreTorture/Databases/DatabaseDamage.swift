import DataStoreTesting
import Foundation
import OpenSwiftData
import SQLiteStores
import Stores

/// Damages pages of a database in every way below, and looks at what the store makes of it.
///
/// SQLite has no checksums, so a changed letter in a text is another text. What it notices must be reported, and then
/// nothing is written.
package struct DatabaseDamage: Sendable {
  /// What happens to a page.
  enum Kind: CaseIterable, Sendable {
    case zeros, garbage, bit, byte, exchanged, sector, cut
  }

  package let database: TorturedDatabase
  private let bytes: [UInt8]
  private let contents: DatabaseContents
  private let pageSize: Int
  /// Whether damage is forgotten before a save, to prove that this is found.
  private let isFlawed: Bool

  /// Makes a sample.
  ///
  /// - Throws: The error of the store.
  package init(_ database: TorturedDatabase, isFlawed: Bool = false) throws {
    self.database = database
    self.isFlawed = isFlawed
    try FaultyLayer.install()
    let folder = try DatabaseFolder()
    try database.create(folder.database)
    let store = try database.open(folder.database)
    for number in 0..<12 {
      let note = String(repeating: "word \(number) ", count: number % 5 * 60)
      try store.insertFilms((0..<12).map { "film \(number).\($0)" }, note: note)
    }
    contents = try DatabaseContents(of: store)
    store.close()
    bytes = Array(try Data(contentsOf: URL(filePath: folder.database)))
    let size = Int(bytes[16]) << 8 | Int(bytes[17])
    pageSize = size == 1 ? 65_536 : size
  }

  /// The number of pages times the number of kinds of damage.
  package var goal: Int { bytes.count / pageSize * Kind.allCases.count }

  /// Tries the damages with these numbers; numbers from `goal` on repeat them with other random choices.
  ///
  /// - Returns: How many were tried and how many had a wrong outcome.
  package func run(
    _ numbers: some Sequence<Int>,
    seed: UInt64,
    isOver: () -> Bool = { false }
  ) throws -> TortureFigures {
    let folder = try DatabaseFolder()
    var figures = TortureFigures()
    for number in numbers {
      if isOver() { break }
      var random = SeededGenerator(seed: seed &+ UInt64(number) &* 7919)
      let kind = Kind.allCases[number % Kind.allCases.count]
      let page = number / Kind.allCases.count % (bytes.count / pageSize)
      let damaged = damage(kind, page, &random)
      figures.tries += 1
      var disk = SimulatedDisk()
      disk.put(joinPath(SimulatedDisk.folder, "films.db"), damaged)
      try folder.replace(by: disk)
      for problem in tryOut(damaged, folder) {
        figures.note("\(database.rawValue), \(kind) of page \(page), seed \(seed): \(problem)")
      }
    }
    return figures
  }

  private func damage(_ kind: Kind, _ page: Int, _ random: inout SeededGenerator) -> [UInt8] {
    var damaged = bytes
    let first = page * pageSize
    func noise(_ range: Range<Int>, _ random: inout SeededGenerator) {
      for place in range { damaged[place] = UInt8(truncatingIfNeeded: random.next()) }
    }
    switch kind {
    case .zeros: for place in first..<first + pageSize { damaged[place] = 0 }
    case .garbage: noise(first..<first + pageSize, &random)
    case .bit: damaged[first + random.below(pageSize)] ^= 1 << UInt8(random.below(8))
    case .byte:
      // Most of the structure of a page is in its first bytes.
      let place = random.chance(60) ? random.below(64) : random.below(pageSize)
      damaged[first + place] = UInt8(truncatingIfNeeded: random.next())
    case .exchanged:
      let other = random.below(bytes.count / pageSize) * pageSize
      for place in 0..<pageSize { damaged.swapAt(first + place, other + place) }
    case .sector:
      let start = first + random.below(pageSize / 512) * 512
      noise(start..<start + 512, &random)
    case .cut: damaged.removeLast(damaged.count - first - random.below(pageSize))
    }
    return damaged
  }

  /// The problems with a damaged file.
  private func tryOut(_ damaged: [UInt8], _ folder: DatabaseFolder) -> [String] {
    // Refusing a damaged file is always correct.
    guard let store = try? database.open(folder.database, schema: nil) else { return [] }
    defer { store.close() }
    let found = Result { try DatabaseContents(of: store) }
    let problems = Result { try store.check(isThorough: true) }
    var signs: [String] = []
    if case .failure(let error as PersistenceError) = found, error.code == .damaged {
      signs.append(error.message)
    }
    if case .success(let lines) = problems { signs += lines }
    guard let sign = signs.first(where: Self.isStructural), !store.schema.entities.isEmpty else {
      return []
    }
    let isSaved = (try? store.insertFilms(["into a damaged file"])) != nil
    store.close()
    let now = try? Data(contentsOf: URL(filePath: folder.database))
    if isFlawed || isSaved || now.map(Array.init) != damaged {
      return ["\(sign), and a save \(isSaved ? "was made" : "changed the file")"]
    }
    return []
  }

  /// True for a line of SQLite that tells of damage, not of a value that violates a rule.
  private static func isStructural(_ line: String) -> Bool {
    ["malformed", "Page", "page ", "Freelist", "Tree ", "out of order", "btree"].contains {
      line.contains($0)
    }
  }
}
