import DataStoreTesting
import Foundation
import OpenSwiftData
import Testing

@testable import Stores

/// Which row of another program's version receives an edit, in many random merges.
@Suite struct RandomMergeTests {
  /// What a rule did wrong.
  private struct Findings {
    var rowCount = 0
    /// Edits on a record with another key.
    var wrongKeys: [String] = []
    /// Edits on another record of a table without a key, and records of it that count as deleted and are there.
    var wrong: [String] = []
    /// Records that count as deleted, and are there with their key.
    var lost: [String] = []

    /// What the rule must not do: at most one in a thousand records without a key may be another one.
    var faults: [String] {
      wrongKeys + lost + (1000 * wrong.count > rowCount ? wrong : [])
    }
  }

  static func table(_ text: String, _ name: String) throws -> EntityTable {
    try #require(try records(text, name).table(of: name))
  }

  /// The records of a text with one entity.
  private static func records(_ text: String, _ name: String) throws -> RecordTable {
    let configuration = JSONStoreConfiguration(
      text: Array(text.utf8),
      path: name,
      form: .delimited,
      entityName: name,
      promisedDelimiter: nil
    )
    return try JSONStore(configuration).withSession { $0.table }
  }

  /// Judges the fates of all rows that a rule finds.
  private func judge(
    rounds: Int,
    _ rule: (RandomMerge, EntityTable, EntityTable) throws -> [RecordFate]
  ) throws -> Findings {
    var findings = Findings()
    for seed in 1...UInt64(rounds) {
      let merge = RandomMerge(seed: seed)
      let old = try Self.table(merge.text(merge.before), merge.kind.name)
      let new = try Self.table(merge.text(merge.theirs), merge.kind.name)
      guard old.rowCount == merge.before.count, new.rowCount == merge.theirs.count else { continue }
      for (row, fate) in zip(merge.before, try rule(merge, old, new)) {
        findings.rowCount += 1
        add(row, fate, merge, "seed \(seed), \(merge.kind.name): \(row.cells) \(fate)", &findings)
      }
    }
    return findings
  }

  private func add(
    _ row: RandomMerge.Row,
    _ fate: RecordFate,
    _ merge: RandomMerge,
    _ words: String,
    _ findings: inout Findings
  ) {
    let key = merge.key(row)
    let there = merge.theirs.first { $0.identity == row.identity }
    switch fate {
    case .unsure: break
    case .gone:
      guard let there else { return }
      if key == nil {
        findings.wrong.append(words)
      } else if merge.key(there) == key {
        findings.lost.append(words)
      }
    case .same(let place):
      let found = merge.theirs[place]
      // Which of two equal records is meant makes no difference.
      if found.identity == row.identity || merge.areEqual(found, row) { return }
      if let key {
        if merge.key(found) != key { findings.wrongKeys.append(words) }
      } else {
        findings.wrong.append(words)
      }
    }
  }

  @Test func noEditGoesToAnotherRecord() throws {
    let rounds = testRounds(600)
    let findings = try judge(rounds: rounds) { _, old, new in
      RowMatching(old, old.rowsInOrder(), new, new.rowsInOrder()).fates
    }
    #expect(findings.faults.isEmpty, "\(findings.faults)")
    if !findings.wrong.isEmpty { print("without a key:", findings.wrong.joined(separator: "\n")) }
  }

  @Test func aDeclaredKeyDecidesAlone() throws {
    let findings = try judge(rounds: testRounds(600) / 3) { merge, old, new in
      let fields = merge.kind.key.map { merge.kind.columns[$0] }
      return RowMatching(
        old,
        old.rowsInOrder(),
        new,
        new.rowsInOrder(),
        declared: fields
      ).fates
    }
    #expect(findings.wrongKeys.isEmpty, "\(findings.wrongKeys)")
    #expect(findings.lost.isEmpty, "\(findings.lost)")
  }

  /// A save of an earlier run is undone, which knows the key of the file then, but no neighbors.
  @Test func noUndoOfALaterRunGoesToAnotherRecord() throws {
    let rounds = testRounds(600) / 3
    let findings = try judge(rounds: rounds) { merge, old, _ in
      let present = try Self.records(merge.text(merge.theirs), merge.kind.name)
      let row = Int(merge.seed % UInt64(merge.before.count))
      var fates = merge.before.map { _ in RecordFate.unsure(.missingKey, nil) }
      fates[row] = try Self.fate(ofSaved: row, in: old, present)
      return fates
    }
    #expect(findings.wrongKeys.isEmpty, "\(findings.wrongKeys)")
    // One record of each merge is looked for. Without those beside it, a new record that has the place and most values
    // of one that is gone cannot be told from it.
    #expect(200 * findings.wrong.count <= rounds, "\(findings.wrong)")
  }

  /// Where a record is that a save has left in a row of a former version.
  private static func fate(ofSaved row: Int, in old: EntityTable, _ present: RecordTable) throws
    -> RecordFate
  {
    let name = old.entity.name
    let number = row + 1
    let saved = DefaultSnapshot(
      persistentIdentifier: IdentifierScope(store: present.storeIdentifier, entity: name)
        .identifier(number: number),
      layout: old.entity.layout,
      orderedValues: old.snapshot(at: Int(old.rowsInOrder()[row])).orderedValues
    )
    let transaction = Transaction(
      token: 1,
      id: UUID(),
      timestamp: Date(),
      author: nil,
      changes: ChangeSet(updated: [RecordUpdate(before: saved, after: saved)])
    )
    let keys = HistoryKeys(parts: [.init(entity: name, fields: KeyFields(of: old))])
    var identifiers = FormerIdentifiers(present, [transaction], FileSpelling(options: nil))
    let found = try identifiers.resolve(
      PastTransaction(transaction: transaction, run: 1, keys: keys)
    )
    let identifier = found.changes.updated[0].persistentIdentifier
    let places = try present.identifiers(matching: Query(name))
    return places.firstIndex(of: identifier).map { .same($0) } ?? .unsure(.missingKey, nil)
  }

  /// The rule that was used before: the test above fails with it.
  @Test func theFormerRuleIsCaught() throws {
    let findings = try judge(rounds: 200) { merge, _, _ in
      let matching = FormerRowMatching(merge.before.map(\.cells), merge.theirs.map(\.cells))
      return matching.fates
    }
    #expect(!findings.faults.isEmpty)
    #expect(findings.wrongKeys.count > 20, "\(findings.wrongKeys.count)")
    #expect(1000 * findings.wrong.count > findings.rowCount, "\(findings.wrong.count)")
  }

  /// The rule that is not used: the most similar row of which half agrees.
  @Test func likenessAloneGoesWrong() throws {
    let findings = try judge(rounds: 100) { merge, _, _ in
      merge.before.map { row in
        let likeness = merge.theirs.map { other in
          zip(row.cells, other.cells).count { $0 == $1 }
        }
        guard let best = likeness.max(), 2 * best >= row.cells.count,
          let place = likeness.firstIndex(of: best)
        else { return .gone(.replaced) }
        return .same(place)
      }
    }
    #expect(!findings.wrongKeys.isEmpty && !findings.wrong.isEmpty)
  }
}
