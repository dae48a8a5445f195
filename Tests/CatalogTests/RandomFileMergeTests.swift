import DataStoreTesting
import Foundation
import OpenSwiftData
import Testing

@testable import CatalogProgram

/// Random merges of files, compared with merges of dictionaries.
@Suite struct RandomFileMergeTests {
  private let folder: TemporaryFolder

  init() throws { folder = try TemporaryFolder() }

  private typealias Records = [Int: [String]]

  /// The kinds of files; in those without a key, records are only added and deleted.
  private static let kinds = ["csv", "json", "jsonl", "csv without key"]
  private static let fields = ["name", "price", "note"]

  private static func line(_ key: Int, _ values: [String], _ kind: String) -> String {
    if kind == "csv" { return (["\(key)"] + values).joined(separator: ",") }
    if kind == "csv without key" { return values.joined(separator: ",") }
    let members = zip(fields, values).map { "\"\($0)\":\"\($1)\"" }
    return "{" + (["\"id\":\(key)"] + members).joined(separator: ",") + "}"
  }

  private static func text(_ lines: [String], _ kind: String) -> String {
    switch kind {
    case "json": "[\n" + lines.joined(separator: ",\n") + "\n]\n"
    case "jsonl": lines.map { $0 + "\n" }.joined()
    case "csv": "id,name,price,note\n" + lines.map { $0 + "\n" }.joined()
    default: "name,price,note\n" + lines.map { $0 + "\n" }.joined()
    }
  }

  private static func record(_ random: inout some RandomNumberGenerator) -> [String] {
    [
      "item \(Int.random(in: 1...9999, using: &random))",
      "\(Int.random(in: 1...99, using: &random))", "n/a",
    ]
  }

  private static func changed(
    _ base: Records,
    _ kind: String,
    _ random: inout some RandomNumberGenerator
  ) -> Records {
    var records = base
    for _ in 0..<Int.random(in: 1...4, using: &random) {
      let key = records.keys.sorted().randomElement(using: &random)
      switch Int.random(in: 0..<6, using: &random) {
      case 0, 1:
        if let key, records.count > 1 { records[key] = nil }
      case 2: records[Int.random(in: 2000...2020, using: &random)] = record(&random)
      default:
        guard let key, kind != "csv without key" else { continue }
        let field = Int.random(in: 0..<3, using: &random)
        records[key]?[field] = record(&random)[field] + "\(Int.random(in: 0...3, using: &random))"
      }
    }
    return records
  }

  /// The merged records; nil for a conflict.
  private static func merged(_ base: Records, _ ours: Records, _ theirs: Records) -> Records? {
    var result: Records = [:]
    for key in Set(base.keys).union(ours.keys).union(theirs.keys) {
      let (former, own, other) = (base[key], ours[key], theirs[key])
      if own == other || other == former {
        result[key] = own
      } else if own == former {
        result[key] = other
      } else if let former, let own, let other {
        result[key] = []
        for field in former.indices {
          let values = (former[field], own[field], other[field])
          guard values.1 == values.0 || values.2 == values.0 || values.1 == values.2 else {
            return nil
          }
          result[key]?.append(values.1 == values.0 ? values.2 : values.1)
        }
      } else {
        return nil
      }
    }
    return result
  }

  @Test(arguments: kinds)
  func mergesAreThoseOfTheRecords(_ kind: String) throws {
    let seed = UInt64.random(in: 0 ... .max)
    var random = SeededGenerator(seed: seed)
    for round in 0..<50 {
      var base: Records = [:]
      for _ in 0..<Int.random(in: 2...12, using: &random) {
        base[Int.random(in: 1000...1999, using: &random)] = Self.record(&random)
      }
      let versions = [
        base, Self.changed(base, kind, &random), Self.changed(base, kind, &random),
      ]
      let texts = versions.map { records in
        Self.text(
          records.sorted { $0.key < $1.key }.shuffled(using: &random)
            .map { Self.line($0.key, $0.value, kind) },
          kind
        )
      }
      let merge = try FileMerge(
        FileMerge.Versions(
          base: Array(texts[0].utf8),
          ours: Array(texts[1].utf8),
          theirs: Array(texts[2].utf8)
        ),
        name: "file." + (kind.split(separator: " ").first ?? ""),
        by: kind == "csv without key" ? [] : ["id"],
        reading: nil,
        in: folder.file("merge")
      )
      let text = String(decoding: merge.text, as: UTF8.self)
      let comment: Comment = "seed \(seed), round \(round): \(texts) \(merge.conflicts) \(text)"
      if kind == "csv without key" {
        // Nothing tells apart a record that was replaced and two that were deleted and added.
        if !merge.conflicts.isEmpty { continue }
        let (ours, theirs) = (Set(versions[1].values), Set(versions[2].values))
        let kept = Set(base.values).intersection(ours).intersection(theirs)
        let records = kept.union(ours.union(theirs).subtracting(base.values))
        let lines = Self.text(records.map { Self.line(0, $0, kind) }, kind)
        #expect(Self.lines(text) == Self.lines(lines), comment)
        continue
      }
      let expected = Self.merged(versions[0], versions[1], versions[2])
      #expect(merge.conflicts.isEmpty == (expected != nil), comment)
      #expect(text.contains("<<<<<<< ours") == (expected == nil), comment)
      guard let expected else { continue }
      let lines = Self.text(expected.map { Self.line($0.key, $0.value, kind) }, kind)
      #expect(Self.lines(text) == Self.lines(lines), comment)
    }
  }

  /// The lines of the records in an order that does not depend on that of the file.
  private static func lines(_ text: String) -> [Substring] {
    text.split(separator: "\n").map { $0.last == "," ? $0.dropLast() : $0 }
      .filter { !["[", "]", "[]"].contains($0) }.sorted()
  }
}
