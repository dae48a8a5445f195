import OpenSwiftData
import Stores

/// Saves and other work on a store, recorded so that crash states can be derived from it.
package struct Workload: Sendable {
  /// One step of the work.
  package enum Step: Hashable, Sendable {
    case insert(Int)
    /// Inserts one film with a note of this many bytes.
    case insertLong(Int)
    /// Inserts one film with a message of this many bytes, which a log writes before the save.
    case insertWithMessage(Int)
    case update
    case delete
    /// Rewrites the file.
    case compact
    case reopen
    /// Inserts a number of films with notes of the given size in one save.
    case insertMany(Int, noteBytes: Int)
    /// Adds a field to every film and removes one.
    case addField
    case dropField
    /// A save that fails midway because the disk is full; nothing of it may remain.
    case insertWithoutRoom(Int)
    /// Opens the store for a version of the schema.
    case migrate(FilmVersion)
  }

  package let name: String
  package let store: TorturedStore
  /// Steps done before recording begins, whose effects are all durable.
  package var before: [Step] = []
  /// How many bytes are cut off the file before recording begins, and how many replace them.
  package var tornTail: (cut: Int, garbage: Int) = (0, 0)
  package let steps: [Step]
  /// Whether the folder of the store must be created first.
  package var isInNewFolder = false

  package init(
    _ name: String,
    _ store: TorturedStore,
    before: [Step] = [],
    tornTail: (cut: Int, garbage: Int) = (0, 0),
    steps: [Step],
    isInNewFolder: Bool = false
  ) {
    self.name = name
    self.store = store
    self.before = before
    self.tornTail = tornTail
    self.steps = steps
    self.isInNewFolder = isInNewFolder
  }

  /// The path of the store.
  package var path: String { isInNewFolder ? store.pathInNewFolder : store.path }

  /// Whether its saves exceed one write of a store, which makes them slow.
  package var isLarge: Bool {
    steps.contains { if case .insertMany = $0 { true } else { false } }
  }

  /// The final schema version of the store; nil without a migration.
  package var lastVersion: FilmVersion? {
    steps.compactMap { if case .migrate(let version) = $0 { version } else { nil } }.last
  }

  /// The workloads of `make torture`.
  package static var all: [Workload] {
    TorturedStore.files.flatMap { store in
      [
        Workload("create", store, steps: [.insert(2), .update]),
        Workload("new-folder", store, steps: [.insert(1), .insert(1)], isInNewFolder: true),
        Workload(
          "save",
          store,
          before: [.insert(3)],
          steps: [.insert(2), .update, .delete, .insertLong(1700), .insert(1)]
        ),
        Workload(
          "full-disk",
          store,
          before: [.insert(3)],
          steps: [.insertWithoutRoom(700), .insert(1), .insertWithoutRoom(2000), .insertLong(900)]
        ),
        Workload(
          "schema",
          store,
          before: [.insert(3)],
          steps: [.addField, .insert(1), .addField, .update, .dropField, .insert(1)]
        ),
        Workload(
          "large",
          store,
          before: [.insert(3)],
          steps: [.insert(1), .insertMany(290, noteBytes: 4000)]
        ),
      ]
    } + migrations + [
      Workload(
        "compact",
        .log,
        before: [.insert(3), .update, .delete],
        steps: [.insert(1), .compact, .insert(1), .compact, .insertLong(1200)]
      ),
      Workload(
        "message",
        .log,
        before: [.insert(3)],
        steps: [
          .insertWithMessage(20), .insert(1), .insertWithMessage(700), .compact,
          .insertWithMessage(30),
        ]
      ),
      Workload(
        "recover",
        .log,
        before: [.insert(3), .insertLong(1500)],
        tornTail: (700, 0),
        steps: [.reopen, .insert(1), .update]
      ),
      Workload(
        "recover-garbage",
        .log,
        before: [.insert(3), .insertLong(1500)],
        tornTail: (1300, 900),
        steps: [.reopen, .insertLong(600), .reopen]
      ),
    ]
  }

  /// Migrations by code and then by rule, and by both together.
  private static var migrations: [Workload] {
    TorturedStore.ownForms.flatMap { store in
      [
        Workload(
          "migrate",
          store,
          before: [.insert(3), .insertLong(700)],
          steps: [.insert(2), .migrate(.second), .insert(1), .migrate(.third), .update]
        ),
        Workload(
          "migrate-twice",
          store,
          before: [.insert(3), .insertLong(700), .update],
          steps: [.insert(1), .migrate(.third), .insert(1)]
        ),
      ]
    }
  }
}

/// The effects of a workload on the disk, and the content of the store after each save.
package struct Recording: Sendable {
  package let workload: Workload
  package let start: SimulatedDisk
  package internal(set) var effects: [DiskEffect] = []
  /// The contents before the first save and after each save.
  package internal(set) var contents: [StoreContents]
}

extension Workload {
  /// Does the work on a disk in memory.
  ///
  /// - Parameters:
  ///   - seed: The seed of random numbers.
  ///   - flaw: A bug of the file system, to prove that it is found.
  ///   - acknowledgesEarly: Whether saves are acknowledged before they are done, for the same
  ///     reason.
  ///   - migratesInPieces: Whether migrations are made change by change, for the same reason.
  /// - Returns: The effects, and the content of the store after each save.
  /// - Throws: The error of the store; a failure of the instrument.
  package func record(
    seed: UInt64,
    flaw: SimulatedFileSystem.Flaw? = nil,
    acknowledgesEarly: Bool = false,
    migratesInPieces: Bool = false
  ) throws -> Recording {
    let start = try prepare(seed: seed)
    let fileSystem = SimulatedFileSystem(start, seed: seed ^ 0x5EED, flaw: flaw)
    let before = try StoreContents(of: store.open(SimulatedFileSystem(start), path: path))
    var recording = Recording(workload: self, start: start, contents: [before])
    fileSystem.record()
    var open = try store.open(fileSystem, path: path)
    for (number, step) in steps.enumerated() {
      if step == .reopen {
        open = try store.open(fileSystem, path: path)
        continue
      }
      let save = recording.contents.count
      fileSystem.mark(.begun(save))
      if acknowledgesEarly { fileSystem.mark(.acknowledged(save)) }
      if case .migrate(let version) = step {
        open = try migrate(to: version, fileSystem, recording.contents[save - 1], migratesInPieces)
      } else {
        try perform(step, number, open, fileSystem)
      }
      recording.contents.append(try StoreContents(of: open))
      if !acknowledgesEarly { fileSystem.mark(.acknowledged(save)) }
    }
    recording.effects = fileSystem.effects
    return recording
  }

  /// The disk that recording begins with.
  private func prepare(seed: UInt64) throws -> SimulatedDisk {
    guard !before.isEmpty else { return SimulatedDisk() }
    let fileSystem = SimulatedFileSystem(seed: seed)
    do {
      let open = try store.open(fileSystem, path: path)
      for (number, step) in before.enumerated() {
        try perform(step, 1000 + number, open, fileSystem)
      }
    }
    var disk = fileSystem.disk
    if tornTail.cut > 0, let bytes = disk.bytes(at: path) {
      let garbage = (0..<tornTail.garbage).map { UInt8(truncatingIfNeeded: $0 &* 31 &+ 7) }
      disk.put(path, bytes.dropLast(tornTail.cut) + garbage)
    }
    return disk
  }

  private func perform(
    _ step: Step,
    _ number: Int,
    _ open: any OpenTorturedStore,
    _ fileSystem: SimulatedFileSystem
  ) throws {
    switch step {
    case .insert(let count): try open.insertFilms((0..<count).map { "film \(number).\($0)" })
    case .insertMany(let count, let size):
      try open.insertFilms((0..<count).map { "film \(number).\($0)" }, note: note(size))
    case .addField:
      let field = Schema.Attribute("extra\(number)", .integer, defaultValue: .integer(7))
      try open.apply(.addAttribute(entity: "Film", field), author: nil)
    case .dropField:
      try open.apply(.dropAttribute(entity: "Film", name: "year"), author: nil)
    case .insertLong(let size): try open.insertFilms(["film \(number)"], note: note(size))
    case .insertWithMessage(let size):
      try open.insertFilms(["film \(number)"], message: note(size))
    case .update:
      guard let first = try open.filmIdentifiers().first else { return }
      try open.updateFilm(first, title: "updated in \(number)", note: "more than before")
    case .delete:
      guard let last = try open.filmIdentifiers().last else { return }
      try open.deleteFilm(last)
    case .compact: _ = try open.compact()
    case .reopen, .migrate: break
    case .insertWithoutRoom(let size): try fail(open, size, fileSystem)
    }
  }

  /// Opens for another version and checks what becomes of the records when nothing fails.
  private func migrate(
    to version: FilmVersion,
    _ fileSystem: SimulatedFileSystem,
    _ before: StoreContents,
    _ isInPieces: Bool
  ) throws -> any OpenTorturedStore {
    let open =
      try isInPieces
      ? store.open(fileSystem, path: path, migratingInPiecesTo: version)
      : store.open(fileSystem, path: path, migratingTo: version)
    let found = FilmCollection(try StoreContents(of: open))
    guard found == FilmCollection(before).migrated(to: version) else {
      throw PersistenceError(.storeViolation, "migrated to other records: \(found)")
    }
    return open
  }

  private func note(_ size: Int) -> String {
    String(decoding: (0..<size).map { UInt8(97 + $0 % 26) }, as: UTF8.self)
  }

  /// The first piece is written, then the disk is full.
  private func fail(
    _ open: any OpenTorturedStore,
    _ size: Int,
    _ fileSystem: SimulatedFileSystem
  ) throws {
    fileSystem.plan(onSecondWriteFailing: .noSpace)
    defer { fileSystem.plan() }
    do {
      try open.insertFilms(["without room"], note: note(size))
    } catch let error as PersistenceError where error.code == .inaccessible {
      return
    }
    throw PersistenceError(.storeViolation, "a save without room was reported as done")
  }
}
