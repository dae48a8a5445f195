import Foundation
import OpenSwiftData
import StoreTorture
import Stores

/// Opens bytes as the file of a store.
///
/// They are rejected with an error that explains why, or accepted: then reading again gives the
/// same content, and changes can be saved and read back.
struct StoreFuzzing {
  private let store: TorturedStore
  /// Simulates a store that loses each save when it is reopened.
  private let isFlawed: Bool

  init(_ store: TorturedStore, isFlawed: Bool = false) {
    self.store = store
    self.isFlawed = isFlawed
  }

  func run(_ bytes: [UInt8]) throws {
    var disk = SimulatedDisk()
    disk.put(store.path, bytes)
    let fileSystem = SimulatedFileSystem(disk)
    do {
      let open = try store.open(fileSystem, schema: nil)
      let found = try StoreContents(of: open)
      try checkAccepted(open, found, fileSystem)
    } catch let error as PersistenceError {
      try FuzzViolation.unless(!"\(error)".isEmpty, "refused without a word")
      // A rejected file is unchanged, or has lost only what was reported as lost.
      let after = fileSystem.disk.bytes(at: store.path) ?? []
      try FuzzViolation.unless(bytes.starts(with: after), "a refused file was changed")
    }
    try FuzzViolation.unless(fileSystem.openCount == 0, "\(fileSystem.openCount) files left open")
    try FuzzViolation.unless(
      fileSystem.temporaryNames.allSatisfy { $0.contains(".lost-") },
      "left \(fileSystem.temporaryNames)"
    )
  }

  private func checkAccepted(
    _ open: any OpenTorturedStore,
    _ found: StoreContents,
    _ fileSystem: SimulatedFileSystem
  ) throws {
    try expect(found, fileSystem, "opening again shows something else")
    _ = try open.check()
    _ = try open.transactions(after: nil, touching: nil)
    try save(open, fileSystem)
    _ = try? open.compact()
    try expect(StoreContents(of: open), fileSystem, "compacting changed the records")
  }

  /// Inserts a record of each entity, changes one and deletes one, as far as the store allows it.
  private func save(_ open: any OpenTorturedStore, _ fileSystem: SimulatedFileSystem) throws {
    for entity in open.schema.entities.prefix(3) {
      let identifier = IdentifierScope(store: nil, entity: entity.name)
        .temporaryIdentifier(1, context: 1)
      let new = DefaultSnapshot(
        persistentIdentifier: identifier,
        layout: entity.layout,
        orderedValues: entity.fields.map(Self.sample)
      )
      let first = try open.snapshots(matching: Query(entity.name)).first
      for changes in [ChangeSet(inserted: [new]), first.map { ChangeSet(deleted: [$0]) }] {
        guard let changes else { continue }
        let before = try StoreContents(of: open)
        // Refused for a rule of the schema: that is checked elsewhere.
        _ = try? open.commit(changes, author: "fuzz")
        let after = isFlawed ? before : try StoreContents(of: open)
        try expect(after, fileSystem, "what was saved in \(entity.name) is not there")
      }
    }
  }

  /// The store must open and show these records.
  private func expect(
    _ contents: StoreContents,
    _ fileSystem: SimulatedFileSystem,
    _ complaint: String
  ) throws {
    do {
      let open = try store.open(fileSystem, schema: nil)
      let again = try StoreContents(of: open)
      if again == contents { return }
      let count = again.differences(from: contents)
      let isCatalog = open.storedSchema != nil
      let isSame = store != .log && Self.hold(again, isCatalog) == Self.hold(contents, isCatalog)
      try FuzzViolation.unless(isSame, "\(complaint): \(count) records differ")
    } catch let error as PersistenceError {
      throw FuzzViolation("\(complaint): \(error)")
    }
  }

  /// The content of a JSON file that is the same for each opening.
  ///
  /// Records without identifiers in the file get new ones with each opening. In a file without a
  /// header the fields and their types are inferred from all records, so only the number of records
  /// stays the same.
  private static func hold(_ contents: StoreContents, _ isCatalog: Bool) -> [String] {
    contents.values.map { identifier, values in
      guard isCatalog else { return identifier.entityName }
      let plain = values.map { value in
        switch value {
        case .link, .links: ""
        default: "\(value)"
        }
      }
      return "\(identifier.entityName) \(plain)"
    }.sorted()
  }

  private static func sample(_ field: Schema.Attribute) -> Value {
    guard field.defaultValue.isNull, !field.isOptional else { return field.defaultValue }
    return switch field.type {
    case .text: .text("new \u{1F600}")
    case .integer: .integer(-7)
    case .number: .number(0.1)
    case .decimal: .decimal(Decimal(12.5))
    case .boolean: .boolean(true)
    case .datetime: .datetime(Date(timeIntervalSince1970: 1))
    case .uuid: .uuid(UUID(uuid: (1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15, 16)))
    case .json: .json("{}")
    case .links: .links([])
    default: .null
    }
  }
}

/// Opens bytes as a log, unchanged and sealed, and salvages a damaged one.
enum LogFuzzing {
  static func run(_ bytes: [UInt8], isFlawed: Bool) throws {
    let store = StoreFuzzing(.log, isFlawed: isFlawed)
    try store.run(bytes)
    let sealed = LogSealing.sealed(bytes)
    try store.run(sealed)
    try salvage(sealed)
    // One frame in the middle does not verify.
    var damaged = sealed
    if damaged.count > 64 { damaged[64 + (damaged.count - 64) / 3] ^= 0x10 }
    try salvage(damaged)
  }

  /// If there is a new log, it opens with the number of records in the report.
  private static func salvage(_ bytes: [UInt8]) throws {
    let path = TorturedStore.log.path
    let saved = joinPath(SimulatedDisk.folder, "saved.catlog")
    var disk = SimulatedDisk()
    disk.put(path, bytes)
    let fileSystem = SimulatedFileSystem(disk)
    do {
      let report = try LogSalvage.run(from: path, to: saved, fileSystem: fileSystem)
      let open = try TorturedStore.log.open(fileSystem, path: saved, schema: nil)
      let count = try StoreContents(of: open).values.count
      try FuzzViolation.unless(
        count == report.recordCount,
        "salvaged \(report.recordCount) records, the new log has \(count)"
      )
    } catch let error as PersistenceError {
      let isThere = fileSystem.disk.bytes(at: saved) != nil
      try FuzzViolation.unless(!isThere, "a log was salvaged that cannot be opened: \(error)")
    }
    try FuzzViolation.unless(
      fileSystem.disk.bytes(at: path) == bytes,
      "salvaging changed the damaged log"
    )
  }
}
