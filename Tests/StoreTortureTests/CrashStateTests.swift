import StoreTorture
import Stores
import Testing

@Suite struct CrashStateTests {
  /// The files that are allowed, by the numbers of acknowledged and begun saves.
  private func contents(_ effects: [DiskEffect], acknowledged: Int? = nil) -> Set<String> {
    var found: Set<String> = []
    var states = CrashStates(of: effects, from: SimulatedDisk(), seed: 1, samples: 0)
    states.forEach { state in
      let text = state.disk.bytes(at: "/disk/a").map { String(decoding: $0, as: UTF8.self) }
      if let acknowledged, acknowledged != state.acknowledged { return true }
      found.insert("\(state.acknowledged)\(state.begun) \(text ?? "-")")
      return true
    }
    return found
  }

  private let create = DiskEffect.create(
    path: "/disk/a",
    node: 3,
    kind: .regular,
    permissions: 0o600
  )

  // Covers A13.
  @Test func unsynchronizedChangesMayBeLost() {
    let write = DiskEffect.write(node: 3, offset: 0, bytes: [65])
    #expect(contents([create, write]).isSuperset(of: ["00 -", "00 ", "00 A", "00 \0"]))
    let all: [DiskEffect] = [create, write, .synchronize(node: 3), .acknowledged(1)]
    #expect(contents(all, acknowledged: 1) == ["10 -", "10 A"])
    let durable = all.dropLast() + [.synchronizeDirectory(path: "/disk"), .acknowledged(1)]
    #expect(contents(Array(durable), acknowledged: 1) == ["10 A"])
  }

  @Test func aRenameIsWholeWhateverElseIsThere() {
    let effects: [DiskEffect] = [
      create, .write(node: 3, offset: 0, bytes: [65]), .synchronize(node: 3),
      .synchronizeDirectory(path: "/disk"), .acknowledged(1),
      .create(path: "/disk/b", node: 4, kind: .regular, permissions: 0o600),
      .write(node: 4, offset: 0, bytes: [66]), .synchronize(node: 4),
      .rename(from: "/disk/b", to: "/disk/a", node: 4), .acknowledged(2),
    ]
    #expect(contents(effects, acknowledged: 1) == ["10 A", "10 B"])
    #expect(contents(effects, acknowledged: 2) == ["20 A", "20 B"])
  }

  /// A state of a migration is opened for a later version, too; fewer of them are crashed again than in `make torture`.
  ///
  /// Covers A01, A02, A03, A04, A05, A07, A08, A11, A13, A15, F05, F08.
  @Test(arguments: Workload.all.filter { !$0.isLarge })
  func aStoreLosesNothingInAnyCrashState(workload: Workload) throws {
    let depth = workload.lastVersion == nil ? 32 : 128
    var check = CrashCheck(try workload.record(seed: 5), everyWhichIsDeep: depth)
    let figures = check.run(seed: 5, subsetLimit: 4, samples: 0)
    #expect(figures.wrong == 0, "\(figures.examples)")
    #expect(figures.tries > 20)
  }

  // Covers A12.
  @Test(
    arguments: [
      (.log, .ignoresFileSync), (.log, .ignoresDirectorySync), (.log, .renamesBeforeSync),
      (.log, .removesBeforeRename), (.json, .ignoresFileSync), (.json, .ignoresDirectorySync),
      (.json, .renamesBeforeSync), (.json, .removesBeforeRename), (.lines, .ignoresFileSync),
      (.lines, .ignoresDirectorySync), (.lines, .renamesBeforeSync), (.lines, .removesBeforeRename),
    ] as [(TorturedStore, SimulatedFileSystem.Flaw)]
  )
  func everyFlawIsFound(store: TorturedStore, flaw: SimulatedFileSystem.Flaw) throws {
    var wrong = 0
    for workload in Workload.all where workload.store == store && wrong == 0 {
      guard ["create", "save", "compact"].contains(workload.name) else { continue }
      var check = CrashCheck(try workload.record(seed: 5, flaw: flaw))
      wrong += check.run(seed: 5, subsetLimit: 4, samples: 0).wrong
    }
    #expect(wrong > 0)
  }

  @Test(arguments: TorturedStore.files)
  func anEarlyAcknowledgementIsFound(store: TorturedStore) throws {
    let workload = Workload("early", store, steps: [.insert(1), .update])
    var check = CrashCheck(try workload.record(seed: 5, acknowledgesEarly: true))
    #expect(check.run(seed: 5, subsetLimit: 4, samples: 0).wrong > 0)
  }

  /// Only the migration is recorded, so that the finding must be in it.
  @Test(
    arguments: [
      (.log, .ignoresFileSync), (.json, .ignoresFileSync), (.json, .ignoresDirectorySync),
      (.json, .renamesBeforeSync), (.json, .removesBeforeRename),
    ] as [(TorturedStore, SimulatedFileSystem.Flaw)]
  )
  func everyFlawOfAMigrationIsFound(store: TorturedStore, flaw: SimulatedFileSystem.Flaw) throws {
    let workload = Workload("flawed", store, before: [.insert(3)], steps: [.migrate(.second)])
    var check = CrashCheck(try workload.record(seed: 5, flaw: flaw))
    #expect(check.run(seed: 5, subsetLimit: 4, samples: 0).wrong > 0)
  }

  @Test(arguments: TorturedStore.ownForms)
  func aMigrationInPiecesIsFound(store: TorturedStore) throws {
    let workload = Workload("pieces", store, before: [.insert(3)], steps: [.migrate(.second)])
    var check = CrashCheck(try workload.record(seed: 5, migratesInPieces: true))
    let figures = check.run(seed: 5, subsetLimit: 4, samples: 0)
    #expect(figures.wrong > 0)
    #expect(figures.examples.allSatisfy { $0.contains("holds neither save 0 nor 1") })
  }
}
