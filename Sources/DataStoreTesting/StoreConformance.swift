import Foundation
public import OpenSwiftData

/// Tests whether a store satisfies its contract.
///
/// One call runs every case on any store that a container can open:
///
/// ```swift
/// @Test func keepsTheContract() {
///   let conformance = StoreConformance(promises: [.order]) { schema in
///     MyConfiguration(schema: schema, file: newFile())
///   }
///   let report = conformance.run()
///   print(report)  // what fails comes first
///   #expect(report.findings == [])
/// }
/// ```
///
/// `probe()` finds out what a new store can do, without promises.
///
/// Claims that require a promise the store does not make are not tried; the report lists them as
/// `not offered`. The author of a store that implements `DataStore` directly chooses its promises;
/// a `QueryableStore` makes those of its contract.
public struct StoreConformance: Sendable {
  /// A claim that every store must satisfy, or every store with the promises that it requires.
  public struct Case: Sendable, Hashable, CustomStringConvertible {
    /// The claim, such as `offsetSkipsTheFirst`.
    public let description: String
    /// The promises that a store must make for the case to be tried.
    public let needs: Promises
    /// The sentence of the contract that the case tests.
    public var contract: String { StoreConformance.contract(of: description) }
    /// True if stores without the promise must report that; the case then tests that instead.
    let isRefusedOtherwise: Bool
    let body: @Sendable (ConformanceTrial) throws -> Void

    init(
      _ description: String,
      needs: Promises = [],
      isRefusedOtherwise: Bool = false,
      _ body: @escaping @Sendable (ConformanceTrial) throws -> Void
    ) {
      self.description = description
      self.needs = needs
      self.isRefusedOtherwise = isRefusedOtherwise
      self.body = body
    }

    /// True when both have the same claim.
    public static func == (lhs: Case, rhs: Case) -> Bool { lhs.description == rhs.description }
    /// Hashes the claim.
    public func hash(into hasher: inout Hasher) { hasher.combine(description) }
  }

  /// Every claim, in order.
  public static let cases: [Case] =
    fetchCases + filterCases + listingCases + commitCases + linkCases + refusalCases + failureCases
    + conflictCases + sharingCases + historyCases + schemaCases + migrationCases + valueCases
    + randomCases

  private(set) var promises: Promises
  let rounds: Int
  let queryStride: Int
  private let make: @Sendable (Schema, Promises) throws -> any QueryableStore
  /// Makes a store whose records have no Swift types, so that its schema can change.
  private let makeUntyped: @Sendable (Schema, Promises) throws -> any QueryableStore
  private let reopenStore: (@Sendable (any QueryableStore, Promises) throws -> any QueryableStore)?
  let failNextSave: (@Sendable (any QueryableStore) throws -> Void)?

  /// Creates a suite for a `QueryableStore`, which is called directly.
  ///
  /// - Parameters:
  ///   - promises: What the store offers beyond the contract of `QueryableStore`, such as a history.
  ///   - rounds: How many operations each random case tries.
  ///   - queryStride: If greater than 1, only every n-th query of the cases with hundreds of them
  ///     runs. That is enough for a store that leaves filters and sorting to its container.
  ///   - reopen: Opens the stored data once more; nil for stores that do not persist. A store that promises
  ///     `.sharing` stays open and is used together with the returned one.
  ///   - failNextSave: Makes the next commit of the store fail; nil for stores without such a
  ///     control.
  ///   - makeStore: Makes a new, empty store with the schema.
  public init(
    promises: Promises = [],
    rounds: Int = 1000,
    queryStride: Int = 1,
    reopen: (@Sendable (any QueryableStore) throws -> any QueryableStore)? = nil,
    failNextSave: (@Sendable (any QueryableStore) throws -> Void)? = nil,
    makeStore: @escaping @Sendable (Schema) throws -> any QueryableStore
  ) {
    self.promises = promises.union(.waist)
    self.rounds = rounds
    self.queryStride = max(1, queryStride)
    make = { schema, _ in try makeStore(schema) }
    makeUntyped = make
    if let reopen {
      reopenStore = { store, _ in try reopen(store) }
    } else {
      reopenStore = nil
    }
    self.failNextSave = failNextSave
  }

  /// Creates a suite for any store, which is opened in a container and used through its contexts.
  ///
  /// - Parameters:
  ///   - promises: The features of the store beyond saving and fetching records.
  ///   - rounds: How many operations each random case tries.
  ///   - queryStride: If greater than 1, only every n-th query of the cases with hundreds of them
  ///     runs. That is enough for a store that leaves filters and sorting to its container.
  ///   - isLasting: True if the same configuration opens what an earlier store has saved.
  ///   - failNextSave: Makes the next save of the store fail; nil for stores without such a
  ///     control.
  ///   - makeConfiguration: Makes the configuration of a new, empty store with the schema,
  ///     different each time.
  public init<Configuration: DataStoreConfiguration & SendableMetatype>(
    promises: Promises = [],
    rounds: Int = 200,
    queryStride: Int = 1,
    isLasting: Bool = false,
    failNextSave: (@Sendable (Configuration.Store) throws -> Void)? = nil,
    makeConfiguration: @escaping @Sendable (Schema) throws -> Configuration
  ) {
    // If a store keeps no history, its container answers from what was saved through it. Migrations are tested at
    // the store itself.
    self.promises = promises.union(.history).subtracting(.migration)
    self.rounds = rounds
    self.queryStride = max(1, queryStride)
    let connect: @Sendable (Schema, Promises) throws -> any QueryableStore = { schema, promises in
      let configuration = try makeConfiguration(schema)
      return ConnectedStore(
        try ModelContainer(for: schema, configurations: [configuration]),
        keepsOrder: promises.contains(.order)
      )
    }
    make = { try connect($0 == Fixture.schema ? Schema([Film.self, Person.self]) : $0, $1) }
    makeUntyped = connect
    if isLasting {
      reopenStore = {
        try Self.reopened($0, Configuration.self, keepsOrder: $1.contains(.order))
      }
    } else {
      reopenStore = nil
    }
    if let failNextSave {
      self.failNextSave = { store in
        guard let own = (store as? ConnectedStore)?.store as? Configuration.Store else { return }
        try failNextSave(own)
      }
    } else {
      self.failNextSave = nil
    }
  }

  private static func reopened<Configuration: DataStoreConfiguration>(
    _ store: any QueryableStore,
    _ type: Configuration.Type,
    keepsOrder: Bool
  ) throws -> any QueryableStore {
    guard let connected = store as? ConnectedStore,
      var configuration = connected.store?.configuration as? Configuration
    else { return store }
    // Uses the changed schema, as an updated program would; the former schema would undo the
    // change.
    configuration.schema = connected.schema
    let container = try ModelContainer(for: connected.schema, configurations: [configuration])
    return ConnectedStore(container, keepsOrder: keepsOrder, after: connected)
  }

  /// Tries one case on a new store.
  ///
  /// - Returns: The violations; empty if the claim holds or is not offered, which `outcome(of:)`
  ///   distinguishes.
  public func findings(of testCase: Case) -> [Finding] {
    if case .fails(let findings) = outcome(of: testCase) { findings } else { [] }
  }

  /// Tries one case on a new store.
  public func outcome(of testCase: Case) -> Outcome {
    let missing = testCase.needs.subtracting(offered)
    guard missing.isEmpty || testCase.isRefusedOtherwise else { return .notOffered(missing) }
    let trial = ConformanceTrial(testCase.description, self)
    do {
      try testCase.body(trial)
    } catch {
      trial.note("threw \(error)")
    }
    if !trial.findings.isEmpty { return .fails(trial.findings) }
    return missing.isEmpty ? .holds : .notOffered(missing)
  }

  /// Makes a new, empty store with the schema.
  func makeStore(_ schema: Schema) throws -> any QueryableStore { try make(schema, promises) }

  /// Makes a store whose records have no Swift types.
  func makeUntypedStore(_ schema: Schema) throws -> any QueryableStore {
    try makeUntyped(schema, promises)
  }

  /// Opens the stored data once more; nil for stores that do not persist.
  var reopen: ((any QueryableStore) throws -> any QueryableStore)? {
    guard let reopenStore else { return nil }
    let promises = promises
    return { try reopenStore($0, promises) }
  }

  /// Tries every case, for a store whose promises are not known yet.
  ///
  /// A promise counts as made if the store keeps it in at least one of the claims that require nothing else; the claims in
  /// which it does not keep it then fail. Repeat the promises of a store that is finished where the suite is created, so
  /// that it cannot lose one unnoticed.
  ///
  /// ```swift
  /// print(StoreConformance { schema in MyConfiguration(schema: schema) }.probe())
  /// ```
  public func probe() -> Report {
    var probed = self
    for promise in Promises.probed where !offered.contains(promise) {
      var trial = self
      trial.promises.insert(promise)
      let isMade = Self.cases.contains { testCase in
        testCase.needs.contains(promise) && testCase.needs.subtracting(trial.offered).isEmpty
          && trial.outcome(of: testCase) == .holds
      }
      if isMade { probed.promises.insert(promise) }
    }
    return probed.run()
  }

  /// Tries every case.
  public func run() -> Report {
    Report(
      Self.cases.map { testCase in
        var outcome = Outcome.holds
        let duration = ContinuousClock().measure { outcome = self.outcome(of: testCase) }
        return (testCase, outcome, duration)
      }
    )
  }

  private var offered: Promises {
    var offered = promises
    if reopenStore != nil { offered.insert(.lasting) }
    if failNextSave != nil { offered.insert(.failures) }
    return offered
  }
}

/// A running case: makes stores, collects findings.
final class ConformanceTrial {
  private let claim: String
  private let conformance: StoreConformance
  private(set) var findings: [StoreConformance.Finding] = []
  private var queriesCount = 0

  init(_ claim: String, _ conformance: StoreConformance) {
    self.claim = claim
    self.conformance = conformance
  }

  var rounds: Int { conformance.rounds }

  /// A trial of the same store without findings, to try out part of a case.
  func attempt() -> ConformanceTrial { ConformanceTrial(claim, conformance) }

  var canReopen: Bool { conformance.reopen != nil }

  /// False if the suite skips the next query of a case with many queries.
  func takesNextQuery() -> Bool {
    queriesCount += 1
    return queriesCount <= 20 || queriesCount.isMultiple(of: conformance.queryStride)
  }

  /// Makes the next save fail.
  func failNextSave(of store: any QueryableStore) throws {
    try conformance.failNextSave?(store)
  }

  func promises(_ promise: StoreConformance.Promises) -> Bool {
    conformance.promises.contains(promise)
  }

  func makeStore(_ schema: Schema = Fixture.schema) throws -> any QueryableStore {
    try conformance.makeStore(schema)
  }

  /// A store with the films of the cases, whose schema can change.
  ///
  /// In a container the records have no Swift types: with types, the classes would determine the
  /// schema, whatever the store contains.
  func filledUntyped() throws -> any QueryableStore {
    let store = try conformance.makeUntypedStore(Fixture.schema)
    _ = try Fixture.fill(store, films: Fixture.mixedFilms())
    return store
  }

  /// The store closed and reopened; the same instance if it does not persist.
  func reopened(_ store: any QueryableStore) throws -> any QueryableStore {
    guard let reopen = conformance.reopen else { return store }
    return try reopen(store)
  }

  /// The values of the pool that the store can keep exactly.
  func values(of name: String) -> [Value] {
    let values = Fixture.pool[name] ?? []
    guard !promises(.exactMoments) else { return values }
    return values.filter { value in
      guard case .datetime(let moment) = value else { return true }
      let seconds = moment.timeIntervalSinceReferenceDate
      return seconds.rounded() == seconds
    }
  }

  func note(_ message: String, limit: Int = 280) {
    // The first few findings are enough; a random run could produce thousands.
    guard findings.count < 5 else { return }
    let message = Difference.cut(message, to: limit)
    findings.append(StoreConformance.Finding(claim: claim, message: message))
  }

  func expect(_ holds: Bool, _ message: @autoclosure () -> String) {
    if !holds { note(message()) }
  }

  func expectEqual<T: Equatable>(_ found: T, _ expected: T, _ what: @autoclosure () -> String) {
    if found != expected { note("\(what()): \(Difference.text(found, expected))") }
  }

  /// Expects an error with the code, and an unchanged store.
  func expectRefusal(
    _ code: PersistenceError.Code,
    of what: String,
    by store: any QueryableStore,
    _ body: () throws -> Void
  ) throws {
    let before = try StorePicture(of: store)
    do {
      try body()
      note("\(what) was not refused")
    } catch let error as PersistenceError {
      expectEqual(error.code, code, "the code of refusing \(what) (\(error.message))")
      expect(!error.message.isEmpty, "refusing \(what) has no message")
    } catch {
      note("refusing \(what) threw \(error), which is not a PersistenceError")
    }
    let after = try StorePicture(of: store)
    expect(after == before, "refusing \(what) changed the store")
  }
}

/// The complete content of a store at one moment.
struct StorePicture: Equatable {
  let schema: Schema
  let records: [[DefaultSnapshot]]
  let tokens: [Int64]

  init(of store: any QueryableStore) throws {
    schema = store.schema
    records = try store.schema.entities.map { try store.snapshots(matching: Query($0.name)) }
    tokens = try store.history(after: nil).map(\.token)
  }
}
