import DataStoreTesting
import Foundation
import OpenSwiftData
import SwiftData
import Testing

/// Random operations on related models, compared with an oracle after every step.
struct RandomModelTests {
  @Test(arguments: Array(1...12) as [UInt64])
  func bothSidesOfEveryRelationshipAgree(seed: UInt64) throws {
    var run = try ModelRun(seed: seed)
    for step in 0..<testRounds(250, withoutSeed: 100) {
      let operation = try run.step()
      run.context.checkInvariants()
      let problems = try run.problems()
      guard problems.isEmpty else {
        let text = problems.prefix(5).joined(separator: "\n")
        Issue.record("seed \(seed), step \(step), \(operation):\n\(text)")
        return
      }
    }
  }

  @Test(arguments: Array(1...12) as [UInt64])
  func uniqueRecordsAreThoseThatWereInsertedLast(seed: UInt64) throws {
    var random = SeededGenerator(seed: seed)
    let container = try UniqueFixture.container()
    var expected: [String: String] = [:]
    var children: [String: Set<String>] = [:]
    for round in 0..<testRounds(20) {
      let context = ModelContext(container)
      var held: [Ware] = random.chance(50) ? try context.fetch(FetchDescriptor<Ware>()) : []
      for number in 0..<random.below(6) {
        let code = "\(random.below(5))"
        let ware = Ware(code: code, title: "\(round).\(number)")
        context.insert(ware)
        ware.pieces = (0..<random.below(3)).map { Piece(name: "\(round).\(number).\($0)") }
        children[code, default: []].formUnion(ware.pieces.map(\.name))
        expected[code] = ware.title
        held.append(ware)
      }
      try context.save()
      for context in [context, ModelContext(container)] {
        let found = try context.fetch(FetchDescriptor<Ware>())
        context.checkInvariants()
        let titles = Dictionary(found.map { ($0.code, $0.title) }, uniquingKeysWith: { $0 + $1 })
        #expect(titles == expected, "seed \(seed), round \(round)")
        for ware in found {
          #expect(
            Set(ware.pieces.map(\.name)) == children[ware.code, default: []],
            "seed \(seed), round \(round)"
          )
          #expect(ware.pieces.allSatisfy { $0.ware == ware }, "seed \(seed), round \(round)")
        }
      }
      #expect(held.allSatisfy { expected[$0.code] == $0.title && !$0.isDeleted }, "seed \(seed)")
    }
  }
}

/// Random operations on a context, sometimes on a second one, and on the oracle.
private struct ModelRun {
  private let container: ModelContainer
  let context: ModelContext
  private var oracle = ModelOracle()
  private var saved = ModelOracle()
  private var random: SeededGenerator
  private var held: [Int: any PersistentModel] = [:]
  private var next = 1
  private let manager = UndoManager()
  /// The states that undo restores.
  private var past: [ModelOracle] = []

  /// Every second seed uses undo.
  init(seed: UInt64) throws {
    container = try TypedFixture.container()
    context = ModelContext(container)
    random = SeededGenerator(seed: seed)
    if seed % 2 == 0 { context.undoManager = manager }
  }

  mutating func step() throws -> String {
    if context.undoManager != nil, random.chance(12) { return undo() }
    let before = oracle
    let depth = manager.undoCount
    let operation = try change()
    context.processPendingChanges()
    if manager.undoCount > depth { past.append(before) }
    return operation
  }

  private mutating func undo() -> String {
    guard let former = past.popLast() else { return "nothing" }
    manager.undo()
    oracle = former
    // A record whose deletion was saved is restored as a different object.
    held = held.filter { former.nodes[$0.key] == nil || !$0.value.isDeleted }
    return context.undoFailure.map { "undo: \($0)" } ?? "undo"
  }

  private mutating func forgetPast() {
    manager.removeAllActions()
    past = []
  }

  private mutating func change() throws -> String {
    switch random.below(100) {
    case 0..<20: insert()
    case 20..<60: try relate(in: context)
    case 60..<65: try move()
    case 65..<78: try delete(in: context)
    case 78..<82: try comeBack()
    case 82..<90: try save()
    case 90..<94: rollback()
    case 94..<97: try workElsewhere()
    default: letGo()
    }
  }

  // MARK: Operations

  private mutating func insert() -> String {
    for _ in 0...random.below(3) {
      let kind = Relation.Kind.allCases[random.below(Relation.Kind.allCases.count)]
      let model = kind.make(next)
      context.insertAny(model)
      oracle.nodes[next] = .init(kind: kind)
      if random.chance(60) { held[next] = model }
      next += 1
    }
    return "insert"
  }

  private mutating func relate(in context: ModelContext) throws -> String {
    let relation = Relation.allCases[random.below(Relation.allCases.count)]
    guard let owner = oracle.numbers(relation.owner).randomElement(using: &random) else {
      return "nothing"
    }
    var choices = oracle.numbers(relation.destination).shuffled(using: &random)
    choices = Array(choices.prefix(random.below(relation.isToMany ? 5 : 2)))
    var models = try choices.map { try model($0, in: context) }
    // A model without a context joins one together with its related models.
    if random.chance(15), relation.isToMany || choices.isEmpty {
      let new = relation.destination.make(next)
      oracle.nodes[next] = .init(kind: relation.destination)
      choices.append(next)
      models.append(new)
      next += 1
    }
    relation.relate(try model(owner, in: context), to: models)
    oracle.set(owner, relation, to: choices)
    return "\(relation) of \(owner) to \(choices)"
  }

  /// Sorts a list, or removes an element.
  private mutating func move() throws -> String {
    let relation = [Relation.tripStops, .tripGuests, .guestTrips][random.below(3)]
    guard let owner = oracle.numbers(relation.owner).randomElement(using: &random) else {
      return "nothing"
    }
    var links = oracle.links(owner, relation).shuffled(using: &random)
    if random.chance(50) { _ = links.popLast() }
    relation.relate(try model(owner, in: context), to: try links.map { try model($0, in: context) })
    oracle.set(owner, relation, to: links)
    return "move \(relation) of \(owner) to \(links)"
  }

  private mutating func delete(in context: ModelContext) throws -> String {
    guard let number = oracle.nodes.keys.sorted().randomElement(using: &random) else {
      return "nothing"
    }
    context.deleteAny(try model(number, in: context))
    oracle.delete(number)
    return "delete \(number)"
  }

  /// Inserts a model again whose deletion was saved or is still unsaved.
  private mutating func comeBack() throws -> String {
    let gone = held.keys.sorted().filter { oracle.nodes[$0] == nil }
    guard let number = gone.randomElement(using: &random), let model = held[number],
      let kind = Relation.Kind.allCases.first(where: { type(of: $0.make(0)) == type(of: model) })
    else { return "nothing" }
    let identifier = model.persistentModelID
    context.insertAny(model)
    // References to the former record do not refer to the new one.
    if model.persistentModelID != identifier { oracle.forgetLinks(to: number) }
    oracle.nodes[number] = .init(kind: kind)
    // The model shows its remaining references; the check compares both sides.
    for relation in Relation.of(kind) {
      let links = relation.related(model).map { Tests.number(of: $0) }
      if relation.inverse != nil || oracle.nodes[links.first ?? -1] != nil {
        oracle.set(number, relation, to: links)
      }
    }
    return "insert \(number) again"
  }

  private mutating func save() throws -> String {
    try context.save()
    saved = oracle
    return "save"
  }

  private mutating func rollback() -> String {
    context.rollback()
    oracle = saved
    forgetPast()
    return "rollback"
  }

  private mutating func workElsewhere() throws -> String {
    try context.save()
    let other = ModelContext(container)
    var done: [String] = []
    for _ in 0..<3 {
      done.append(try random.chance(70) ? relate(in: other) : delete(in: other))
    }
    try other.save()
    saved = oracle
    // Fetching merges the saves of other contexts.
    for kind in Relation.Kind.allCases { _ = try kind.fetchAll(context) }
    forgetPast()
    return "elsewhere: " + done.joined(separator: ", ")
  }

  private mutating func letGo() -> String {
    for number in held.keys.sorted() where random.chance(50) { held[number] = nil }
    return "let go"
  }

  private func model(_ number: Int, in context: ModelContext) throws -> any PersistentModel {
    if let model = held[number], model.modelContext === context { return model }
    let kind = try #require(oracle.nodes[number]?.kind)
    let all = try kind.fetchAll(context)
    return try #require(all.first { Tests.number(of: $0) == number }, "\(number) is not there")
  }

  // MARK: Checking

  func problems() throws -> [String] {
    var problems = try problems(of: context, against: oracle)
    if !context.hasChanges || random.seed % 2 == 0 {
      problems += try self.problems(of: ModelContext(container), against: saved).map {
        "in a new context: " + $0
      }
    }
    for (number, model) in held where oracle.nodes[number] != nil && model.isDeleted {
      problems.append("\(number) says that it is deleted")
    }
    return problems
  }

  private func problems(of context: ModelContext, against oracle: ModelOracle) throws -> [String] {
    var problems: [String] = []
    for kind in Relation.Kind.allCases {
      let models = try kind.fetchAll(context)
      let numbers = models.map { Tests.number(of: $0) }
      if numbers.sorted() != oracle.numbers(kind) {
        problems.append("\(kind): \(numbers.sorted()) instead of \(oracle.numbers(kind))")
      }
      for (number, model) in zip(numbers, models) {
        if context === self.context, let known = held[number], known !== model {
          problems.append("\(number) is two objects")
        }
        if model.isDeleted { problems.append("\(number) was fetched but is deleted") }
        problems += self.problems(of: model, number, against: oracle)
      }
    }
    return problems
  }

  private func problems(
    of model: any PersistentModel,
    _ number: Int,
    against oracle: ModelOracle
  ) -> [String] {
    Relation.of(oracle.nodes[number]?.kind ?? .trip).flatMap { relation -> [String] in
      let related = relation.related(model)
      let found = related.map { Tests.number(of: $0) }
      // A reference with the rule `noAction` may refer to a deleted record, and is read as nil.
      let expected = oracle.links(number, relation).filter { oracle.nodes[$0] != nil }
      var problems: [String] = []
      if found != expected {
        problems.append("\(relation) of \(number) is \(found) instead of \(expected)")
      }
      if let inverse = relation.inverse {
        for other in related where !inverse.related(other).contains(where: { $0 === model }) {
          problems.append("\(Tests.number(of: other)) does not know \(relation) of \(number)")
        }
        let stored = model.persistentState.snapshot[relation.property]?.linkCount ?? 0
        if stored != related.count {
          problems.append("\(relation) of \(number) leads to one that is gone")
        }
      }
      return problems
    }
  }
}

/// The function of this name, which a property hides.
private enum Tests {
  static func number(of model: any PersistentModel) -> Int { OpenSwiftDataTests.number(of: model) }
}

extension Value {
  fileprivate var linkCount: Int {
    switch self {
    case .link: 1
    case .links(let links): links.count
    default: 0
    }
  }
}

extension ModelContext {
  fileprivate func insertAny<T: PersistentModel>(_ model: T) { insert(model) }
  fileprivate func deleteAny<T: PersistentModel>(_ model: T) { delete(model) }
}
