import OpenSwiftData
import Stores
import Testing

@testable import StoreTorture

@Suite struct FaultLoopTests {
  /// A second failure comes in every fifth call of the next opening; `make torture` tries each of them.
  ///
  /// Covers A03, B14, C01, C02, C20, F08, J06.
  @Test(arguments: FaultLoop.all)
  func noFailureOfACallLosesAnything(loop: FaultLoop) throws {
    let figures = try loop.run(codes: [.inputOutput], secondStep: 5)
    #expect(figures.wrong == 0, "\(figures.examples)")
    #expect(figures.tries > 10)
  }

  // Covers C11.
  @Test(arguments: TorturedStore.files)
  func anInterruptionIsNoFailure(store: TorturedStore) throws {
    let figures = try FaultLoop(store, .save).run(codes: [.interrupted], secondStep: 5)
    #expect(figures.wrong == 0, "\(figures.examples)")
  }

  // Covers C09.
  @Test(arguments: TorturedStore.files)
  func noShortWriteLosesAnything(store: TorturedStore) throws {
    let loop = FaultLoop(store, .save)
    let figures = try loop.run(codes: [.noSpace], transferLimit: 509, secondStep: 5)
    #expect(figures.wrong == 0, "\(figures.examples)")
  }

  /// A JSON store detects this, because it reads the new file before it is renamed.
  @Test func aHiddenFailureIsFound() throws {
    let figures = try FaultLoop(.log, .save).run(codes: [.noSpace], flaw: .hidesFailedWrites)
    #expect(figures.wrong > 0)
    let noticed = try FaultLoop(.json, .save).run(codes: [.noSpace], flaw: .hidesFailedWrites)
    #expect(noticed.wrong == 0, "\(noticed.examples)")
  }

  @Test(arguments: [TorturedStore.json, .lines])
  func aHiddenFailureToRenameIsFound(store: TorturedStore) throws {
    let figures = try FaultLoop(store, .save).run(codes: [.noSpace], flaw: .hidesFailedRenames)
    #expect(figures.wrong > 0)
  }

  @Test(
    arguments: [(.log, .hidesFailedWrites), (.json, .hidesFailedRenames)]
      as [(TorturedStore, SimulatedFileSystem.Flaw)]
  )
  func aHiddenFailureOfAMigrationIsFound(
    store: TorturedStore,
    flaw: SimulatedFileSystem.Flaw
  ) throws {
    let figures = try FaultLoop(store, .migrateByRule).run(codes: [.noSpace], flaw: flaw)
    #expect(figures.wrong > 0)
  }

  @Test(arguments: TorturedStore.ownForms)
  func aMigrationInPiecesIsFound(store: TorturedStore) throws {
    var calls = 0
    let figures = try FaultLoop(store, .migrate).run(
      codes: [.noSpace],
      migratesInPieces: true,
      isOver: {
        calls += 1
        return calls > 60
      }
    )
    #expect(figures.wrong > 0)
    #expect(figures.examples.contains { $0.contains("the failed save is there") })
  }
}

@Suite struct DamageSweepTests {
  @Test(arguments: TorturedStore.files)
  func aFlippedBitShowsNothingWrong(store: TorturedStore) throws {
    let sweep = try DamageSweep(store, sizeBytes: 4096)
    let figures = sweep.flipBits(0..<512)
    #expect(figures.wrong == 0, "\(figures.examples)")
    #expect(figures.tries == 512)
  }

  // Covers B13.
  @Test(arguments: TorturedStore.files)
  func aFileCutShortShowsNothingWrong(store: TorturedStore) throws {
    let figures = try DamageSweep(store, sizeBytes: 4096).truncate(step: 23)
    #expect(figures.wrong == 0, "\(figures.examples)")
  }

  @Test(arguments: TorturedStore.files)
  func otherRecordsAreFound(store: TorturedStore) throws {
    let sweep = try DamageSweep(store, sizeBytes: 1024)
    var figures = TortureFigures()
    sweep.tryOut(try DamageSweep(store, sizeBytes: 8192).bytes, "other", mayBeShort: true, &figures)
    #expect(figures.wrong == 1)
  }
}

@Suite struct SyncCountTests {
  /// The number of synchronizations per save: of the log's write; of the JSON file and of its name.
  ///
  /// Covers J04.
  @Test(arguments: [(TorturedStore.log, 1), (.json, 2)])
  func aSaveSynchronizesAsOftenAsPromised(store: TorturedStore, count: Int) throws {
    let files = SimulatedFileSystem()
    let open = try store.open(files)
    try open.insertFilms(["first"])
    files.plan()
    try open.insertFilms(["second"])
    #expect(files.syncCount == count)
    files.plan()
    _ = try open.commit(.init(), author: nil)
    #expect(files.syncCount == 0)
    #expect(files.callCount == 0)
  }
}
