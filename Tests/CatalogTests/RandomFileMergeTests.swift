import DataStoreTesting
import Foundation
import OpenSwiftData
import Stores
import Testing

/// Random merges of files, compared with merges of dictionaries.
@Suite struct RandomFileMergeTests {
  /// By key; values are bytes, because texts with accents are equal in both of their forms.
  private typealias Records = [Int: [[UInt8]]]

  private enum Kind: String, CaseIterable {
    case csv, json, lines, withoutKey

    var form: MergeForm {
      switch self {
      case .json: .json
      case .lines: .lines
      case .csv, .withoutKey: .separated(ReadingOptions(), promised: nil)
      }
    }
  }

  private static let fields = ["name", "price", "note"]
  /// Values that look alike are different.
  private static let values = [
    "1.1", "1.10", "7", "007", "true", "TRUE", "", "e\u{301}", "\u{e9}", "a b",
  ].map { Array($0.utf8) }

  private static func line(_ key: Int, _ values: [[UInt8]], _ kind: Kind) -> String {
    let texts = values.map { String(decoding: $0, as: UTF8.self) }
    switch kind {
    case .csv: return "\(key)," + texts.joined(separator: ",")
    case .withoutKey: return texts.joined(separator: ",")
    case .json, .lines:
      let members = zip(fields, texts).map { "\"\($0)\":\"\($1)\"" }
      return "{" + (["\"id\":\(key)"] + members).joined(separator: ",") + "}"
    }
  }

  private static func text(_ lines: [String], _ kind: Kind) -> [UInt8] {
    let whole = lines.map { $0 + "\n" }.joined()
    switch kind {
    case .json: return Array(("[\n" + lines.joined(separator: ",\n") + "\n]\n").utf8)
    case .lines: return Array(whole.utf8)
    case .csv: return Array(("id," + fields.joined(separator: ",") + "\n" + whole).utf8)
    case .withoutKey: return Array((fields.joined(separator: ",") + "\n" + whole).utf8)
    }
  }

  private static func record(_ random: inout some RandomNumberGenerator) -> [[UInt8]] {
    fields.map { _ in
      values.prefix(Bool.random(using: &random) ? 2 : 10)
        .randomElement(using: &random) ?? []
    }
  }

  private static func changed(_ base: Records, _ random: inout some RandomNumberGenerator)
    -> Records
  {
    var records = base
    for _ in 0..<Int.random(in: 1...3, using: &random) {
      let key = records.keys.sorted().randomElement(using: &random)
      switch Int.random(in: 0..<5, using: &random) {
      case 0: if let key, records.count > 1 { records[key] = nil }
      case 1: records[Int.random(in: 2000...2009, using: &random)] = record(&random)
      default:
        let field = Int.random(in: 0..<3, using: &random)
        if let key { records[key]?[field] = record(&random)[field] }
      }
    }
    return records
  }

  /// The merged records; nil for a conflict.
  private static func merged(_ base: Records, _ ours: Records, _ theirs: Records) -> Records? {
    func settled<Item: Equatable>(_ former: Item, _ own: Item, _ other: Item) -> Item? {
      if own == other || other == former { return own }
      return own == former ? other : nil
    }
    var result: Records = [:]
    for key in Set(base.keys).union(ours.keys).union(theirs.keys) {
      if let whole = settled(base[key], ours[key], theirs[key]) {
        result[key] = whole
      } else if let former = base[key], let own = ours[key], let other = theirs[key] {
        let values = fields.indices.compactMap { settled(former[$0], own[$0], other[$0]) }
        guard values.count == fields.count else { return nil }
        result[key] = values
      } else {
        return nil
      }
    }
    return result
  }

  /// How often each line occurs.
  private static func counts(_ records: some Sequence<[[UInt8]]>) -> [[[UInt8]]: Int] {
    Dictionary(records.map { ($0, 1) }, uniquingKeysWith: +)
  }

  /// The lines of the records in an order that does not depend on that of the file.
  private static func lines(_ text: [UInt8]) -> [[UInt8]] {
    text.split(separator: 0x0A).map { Array($0.last == 0x2C ? $0.dropLast() : $0) }
      .sorted { $0.lexicographicallyPrecedes($1) }
  }

  @Test(arguments: ["csv", "json", "lines", "withoutKey"])
  func mergesAreThoseOfTheRecords(_ name: String) throws {
    let kind = try #require(Kind(rawValue: name))
    let seed = SeededGenerator.testSeed
    var random = SeededGenerator(seed: seed)
    var mergedCount = 0
    for round in 0..<50 {
      var base: Records = [:]
      for _ in 0..<Int.random(in: 2...8, using: &random) {
        base[Int.random(in: 1000...1999, using: &random)] = Self.record(&random)
      }
      let versions = [base, Self.changed(base, &random), Self.changed(base, &random)]
      let texts = versions.map { records in
        let sorted = records.sorted { $0.key < $1.key }
        return Self.text(
          (kind == .withoutKey ? sorted : sorted.shuffled(using: &random))
            .map { Self.line($0.key, $0.value, kind) },
          kind
        )
      }
      let comment: Comment =
        "seed \(seed), round \(round): \(texts.map { String(decoding: $0, as: UTF8.self) })"
      if kind == .withoutKey {
        if texts[1] == texts[2] { continue }
        // Equal records are only counted.
        let counts = versions.map { Self.counts($0.values) }
        let all = Set(counts.flatMap(\.keys))
        let isSure = all.allSatisfy {
          counts[0][$0] == counts[1][$0] || counts[0][$0] == counts[2][$0]
        }
        let merge = Result { try FileMerge(texts, kind.form) }
        guard case .success(let merged) = merge else { continue }
        mergedCount += 1
        #expect(isSure, comment)
        let records = all.flatMap { record in
          let count = counts.map { $0[record] ?? 0 }
          return Array(repeating: record, count: count[1] + count[2] - count[0])
        }
        let expected = Self.text(records.map { Self.line(0, $0, kind) }, kind)
        #expect(Self.lines(merged.text) == Self.lines(expected), comment)
        continue
      }
      let merge = try FileMerge(texts, kind.form, by: ["id"])
      let expected = Self.merged(versions[0], versions[1], versions[2])
      #expect(merge.conflicts.isEmpty == (expected != nil), comment)
      let hasMarkers = merge.text.split(separator: 0x0A).contains(Array("<<<<<<< ours".utf8)[...])
      #expect(hasMarkers == (expected == nil), comment)
      guard let expected else { continue }
      let lines = Self.text(expected.map { Self.line($0.key, $0.value, kind) }, kind)
      #expect(Self.lines(merge.text) == Self.lines(lines), comment)
      mergedCount += 1
    }
    #expect(mergedCount > 0, "seed \(seed)")
  }
}
