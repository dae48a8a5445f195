public import OpenSwiftData

/// The suite that shows whether a store keeps the contract of `QueryableStore`.
///
/// With Swift Testing, one test function makes a named test of each case:
///
/// ```swift
/// @Test(arguments: StoreConformance.cases)
/// func keepsTheContract(_ testCase: StoreConformance.Case) {
///   #expect(StoreConformance { try MyStore(schema: $0) }.findings(of: testCase) == [])
/// }
/// ```
public struct StoreConformance: Sendable {
  /// What a store offers beyond what every store must do.
  public struct Promises: OptionSet, Hashable, Sendable {
    /// One bit for each promise.
    public let rawValue: Int
    /// Creates promises from their bits.
    public init(rawValue: Int) { self.rawValue = rawValue }
    /// Committed transactions can be read again.
    public static let history = Promises(rawValue: 1)
    /// Also after the store was closed and opened again.
    public static let lastingHistory = Promises(rawValue: 2)
    /// The schema can be changed.
    public static let schemaChanges = Promises(rawValue: 4)
    /// All of them.
    public static let all: Promises = [.history, .lastingHistory, .schemaChanges]
  }

  /// One claim that every store must fulfil.
  public struct Case: Sendable, Hashable, CustomStringConvertible {
    /// The claim, such as `offsetSkipsTheFirst`.
    public let description: String
    let body: @Sendable (ConformanceTrial) throws -> Void

    init(_ description: String, _ body: @escaping @Sendable (ConformanceTrial) throws -> Void) {
      self.description = description
      self.body = body
    }

    /// Same claim.
    public static func == (lhs: Case, rhs: Case) -> Bool { lhs.description == rhs.description }
    /// Feeds the claim.
    public func hash(into hasher: inout Hasher) { hasher.combine(description) }
  }

  /// Where a store does otherwise.
  public struct Finding: Hashable, Sendable, CustomStringConvertible {
    /// The claim that does not hold.
    public let claim: String
    /// What was expected and what came.
    public let message: String
    /// Claim and message.
    public var description: String { "\(claim): \(message)" }
  }

  /// Every claim, in order.
  public static let cases: [Case] =
    fetchCases + filterCases + commitCases + refusalCases + historyCases + schemaCases
    + valueCases + randomCases

  let promises: Promises
  let rounds: Int
  let makeStore: @Sendable (Schema) throws -> any QueryableStore
  let reopen: (@Sendable (any QueryableStore) throws -> any QueryableStore)?

  /// Creates a suite for a kind of store.
  ///
  /// - Parameters:
  ///   - promises: What the store offers beyond the minimum.
  ///   - rounds: How many operations each random case tries.
  ///   - reopen: Closes the store and opens what it kept; nil for stores that keep nothing.
  ///   - makeStore: Makes a new, empty store with the schema.
  public init(
    promises: Promises = .all,
    rounds: Int = 1000,
    reopen: (@Sendable (any QueryableStore) throws -> any QueryableStore)? = nil,
    makeStore: @escaping @Sendable (Schema) throws -> any QueryableStore
  ) {
    self.promises = promises
    self.rounds = rounds
    self.reopen = reopen
    self.makeStore = makeStore
  }

  /// Tries one case on a new store.
  ///
  /// - Returns: Where the store does otherwise; empty when the claim holds.
  public func findings(of testCase: Case) -> [Finding] {
    let trial = ConformanceTrial(testCase.description, self)
    do {
      try testCase.body(trial)
    } catch {
      trial.note("threw \(error)")
    }
    return trial.findings
  }

  /// Tries every case.
  ///
  /// - Returns: Where the store does otherwise; empty when it keeps the contract.
  public func run() -> [Finding] {
    Self.cases.flatMap { findings(of: $0) }
  }
}

/// One case being tried: makes stores, collects findings.
final class ConformanceTrial {
  private let claim: String
  private let conformance: StoreConformance
  private(set) var findings: [StoreConformance.Finding] = []

  init(_ claim: String, _ conformance: StoreConformance) {
    self.claim = claim
    self.conformance = conformance
  }

  var rounds: Int { conformance.rounds }

  var canReopen: Bool { conformance.reopen != nil }

  func promises(_ promise: StoreConformance.Promises) -> Bool {
    conformance.promises.contains(promise)
  }

  func makeStore(_ schema: Schema = Fixture.schema) throws -> any QueryableStore {
    try conformance.makeStore(schema)
  }

  /// The store closed and opened again; the same one when it keeps nothing.
  func reopened(_ store: any QueryableStore) throws -> any QueryableStore {
    guard let reopen = conformance.reopen else { return store }
    return try reopen(store)
  }

  func note(_ message: String) {
    // The first few tell what is wrong; a random run could make thousands.
    guard findings.count < 5 else { return }
    findings.append(StoreConformance.Finding(claim: claim, message: message))
  }

  func expect(_ holds: Bool, _ message: @autoclosure () -> String) {
    if !holds { note(message()) }
  }

  func expectEqual<T: Equatable>(_ found: T, _ expected: T, _ what: @autoclosure () -> String) {
    if found != expected { note("\(what()): expected \(expected), found \(found)") }
  }

  /// Expects an error with the code and a store that is as before.
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
      note("refusing \(what) threw \(error), which is no PersistenceError")
    }
    let after = try StorePicture(of: store)
    expect(after == before, "refusing \(what) changed the store")
  }
}

/// Everything that a store holds at one moment.
struct StorePicture: Equatable {
  let schema: Schema
  let records: [[DefaultSnapshot]]
  let tokens: [Int64]

  init(of store: any QueryableStore) throws {
    schema = store.schema
    records = try store.schema.entities.map { try store.snapshots(matching: Query($0.name)) }
    do {
      tokens = try store.transactions(after: nil, touching: nil).map(\.token)
    } catch let error as PersistenceError where error.code == .unsupported {
      tokens = []
    }
  }
}
