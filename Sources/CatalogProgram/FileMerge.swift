import CatalogApp
import Foundation
import OpenSwiftData
import Stores

/// The merge of three versions of a file of records.
struct FileMerge {
  /// The merged text, perhaps with markers of conflicts.
  private(set) var text: [UInt8] = []
  /// What the two sides disagree about, one line each; empty if everything was merged.
  private(set) var conflicts: [String] = []
  private let keys: [String]
  private let name: String
  private let form: JSONStoreConfiguration.Form
  private let folder: String
  private let versions: Versions
  private var reading: ReadingOptions

  /// The texts of the three versions.
  struct Versions {
    let base: [UInt8]
    let ours: [UInt8]
    let theirs: [UInt8]
  }

  /// Merges.
  ///
  /// - Parameters:
  ///   - versions: The texts.
  ///   - name: The name of the file, whose ending tells what it contains.
  ///   - keys: The fields that alone decide which record is which; empty to find them out.
  ///   - reading: How separated values are read; nil to find it out.
  ///   - folder: A folder for copies of the files.
  /// - Throws: `Interruption.Stopped`, and the errors of the folder.
  init(
    _ versions: Versions,
    name: String,
    by keys: [String],
    reading: ReadingOptions?,
    in folder: String
  ) throws {
    (self.versions, self.keys, self.folder) = (versions, keys, folder)
    self.reading = reading ?? ReadingOptions()
    (self.name, form) = Self.form(of: versions, name)
    if let settled = Self.settled(versions) {
      text = settled
      return
    }
    do {
      try mergeRecords()
    } catch let stopped as Interruption.Stopped {
      throw stopped
    } catch {
      mergeLines(because: errorLine(error))
    }
    // Markers are lines of text.
    if !conflicts.isEmpty, versions.ours.contains(0) { text = versions.ours }
  }

  /// The lines that tell about the conflicts in a file.
  func report(_ path: String) -> [String] {
    if conflicts.isEmpty { return [] }
    let limit = 20
    let head =
      "\(path): \(counted(conflicts.count, "conflict"))"
      + (text == versions.ours ? "; the file is as it was" : ", marked in the file")
    let rest = conflicts.count > limit ? ["… and \(conflicts.count - limit) more"] : []
    return [head] + conflicts.prefix(limit).map { "\(path): \($0)" } + rest
  }

  /// The result if only one side has changed anything, or both the same.
  private static func settled(_ versions: Versions) -> [UInt8]? {
    if versions.ours == versions.theirs || versions.theirs == versions.base { return versions.ours }
    return versions.ours == versions.base ? versions.theirs : nil
  }

  /// A file that cannot be merged by its records is merged by its lines, always as a conflict: somebody must look.
  private mutating func mergeLines(because reason: String) {
    text = LineMerge(base: versions.base, ours: versions.ours, theirs: versions.theirs).text
    conflicts = [
      versions.ours.contains(0) ? reason : "\(reason); merged by lines instead: check the result"
    ]
  }

  // MARK: Records

  private mutating func mergeRecords() throws {
    for (text, role) in [(versions.ours, "OURS"), (versions.theirs, "THEIRS")]
    where Self.isBlank(text) { throw MergeRefusal("\(role): the file is empty") }
    // Git merges several common ancestors into one, which has the markers of their conflicts.
    for (text, role) in [
      (versions.base, "BASE"), (versions.ours, "OURS"), (versions.theirs, "THEIRS"),
    ] where LineMerge.hasMarkers(text) { throw MergeRefusal("\(role): the file has conflicts") }
    if form == .delimited, reading.escape == .automatic {
      reading.escape = try Self.escape(
        in: [versions.base, versions.ours, versions.theirs].filter { !Self.isBlank($0) }
      )
    }
    let base = try Self.isBlank(versions.base) ? nil : open(versions.base, "base", "BASE")
    defer { base?.container.close() }
    let theirs = try open(versions.theirs, "theirs", "THEIRS")
    defer { theirs.container.close() }
    let ours = try open(versions.ours, "ours", "OURS")
    defer { ours.container.close() }
    let contexts = [base, ours, theirs].compactMap(\.self)
    if Set(contexts.map { $0.fileReading?.hasHeader }).count > 1 {
      throw MergeRefusal(
        "the first line has names of columns in some of the files; --read header=yes or no decides"
      )
    }
    try requireComparable(contexts)
    let names = ours.schema.entities.map(\.name)
    var plans: [MergePlan] = []
    for name in names {
      let known = base.flatMap { $0.schema.entitiesByName[name] == nil ? nil : $0 }
      let plan = try RecordMerge.plan(of: name, base: known, ours: ours, theirs: theirs, by: keys)
      plans.append(plan)
      conflicts += plan.conflicts.map { names.count > 1 ? "\(name): \($0)" : $0 }
    }
    text = try written(plans, to: ours, names, isDisputed: false)
    if conflicts.isEmpty { return }
    // Their side of the conflicts is what has to be done besides.
    let other = try written(plans, to: ours, names, isDisputed: true)
    let marked = LineMerge(ours: text, theirs: other)
    // What differs in no line, such as a record that one side may have deleted, is still to be decided.
    text =
      marked.conflictCount > 0
      ? marked.text : LineMerge(ours: versions.ours, theirs: versions.theirs).text
  }

  /// What backslashes stand for: themselves, so that values are copied as they are, unless they are before quotes.
  private static func escape(in texts: [[UInt8]]) throws -> ReadingOptions.Escape {
    let backslash = UInt8(ascii: "\\")
    let escaping = texts.filter { $0.contains(backslash) }
    let quoting = escaping.filter { text in
      zip(text, text.dropFirst()).contains { $0 == backslash && [0x22, 0x27].contains($1) }
    }
    if quoting.isEmpty { return .none }
    if quoting.count == escaping.count { return .automatic }
    throw MergeRefusal(
      "backslashes are before quotes in some of the files; --read escape=backslash or none decides"
    )
  }

  /// The text of our file after steps of the plans, if it has the values that were meant.
  private func written(
    _ plans: [MergePlan],
    to ours: ModelContext,
    _ names: [String],
    isDisputed: Bool
  ) throws -> [UInt8] {
    for (name, plan) in zip(names, plans) {
      try MergeVersion.texts(of: name, in: ours)
      try plan.apply(to: name, in: ours, isDisputed: isDisputed)
    }
    let expected = try names.map { try Self.rows(of: $0, in: ours) }
    try ours.save()
    let text = [UInt8](try Data(contentsOf: URL(fileURLWithPath: path("ours"))))
    let written = try open(text, "check", "the merged file")
    defer { written.container.close() }
    let found = try names.map { name in
      guard written.schema.entitiesByName[name] != nil else { return [[String]]() }
      try MergeVersion.texts(of: name, in: written)
      return try Self.rows(of: name, in: written)
    }
    guard found == expected else {
      throw MergeRefusal("the merged records cannot be written in the form of OURS")
    }
    return text
  }

  /// The values of all records in an order that does not depend on that of the file.
  private static func rows(of name: String, in context: ModelContext) throws -> [[String]] {
    try context.fetchSnapshots(matching: Query(name)).map { record in
      record.values.map { ($0, $1.spelledAlike) }.filter { !$0.1.isEmpty }
        .map { "\($0)=\($1)" }.sorted()
    }.sorted { $0.lexicographicallyPrecedes($1) }
  }

  /// Refuses files of which one cannot be merged into another record by record.
  private func requireComparable(_ contexts: [ModelContext]) throws {
    let names = contexts.map { $0.schema.entities.map(\.name).sorted() }
    guard let last = names.last, !last.isEmpty,
      names.dropFirst(contexts.count - 2).allSatisfy({ $0 == last })
    else { throw MergeRefusal("the files have different entities") }
    for name in last {
      let fields = contexts.compactMap { $0.schema.entitiesByName[name]?.fields.map(\.name) }
      let common = fields.filter { !$0.isEmpty }
      guard common.allSatisfy({ $0.contains(where: common[0].contains) }) else {
        throw MergeRefusal("the files have no columns in common")
      }
      // A column without a name is called by its place, which others may have moved.
      let numbered = fields.map { $0.filter { $0.wholeMatch(of: /column\d+/) != nil } }
      if contexts[0].fileReading?.hasHeader == true, Set(numbered).count > 1 {
        throw MergeRefusal("columns without a name have been added, removed or moved")
      }
    }
    guard contexts.allSatisfy({ $0.hiddenValuesCount == 0 }) else {
      throw MergeRefusal("records have values after the last column")
    }
    for context in contexts {
      for name in context.schema.entities.map(\.name) where context.checks(of: name) == nil {
        throw MergeRefusal("the file is a catalog, whose records have identifiers")
      }
    }
    let theirs = try surroundings(versions.theirs, names: last)
    guard
      try [versions.base, versions.ours].contains(where: {
        try surroundings($0, names: last) == theirs
      })
    else { throw MergeRefusal("THEIRS has changed something outside the records") }
  }

  /// What is in a file beside its records.
  private func surroundings(_ text: [UInt8], names: [String]) throws -> [String] {
    if form == .lines || Self.isBlank(text) { return [] }
    guard form == .delimited else {
      guard let start = text.firstIndex(where: { [0x5B, 0x7B].contains($0) }) else { return [] }
      let json = String(decoding: text[start...], as: UTF8.self)
      return text[start] == 0x7B ? try MergeVersion.membersBeside(names, in: json) : []
    }
    let promised = DelimitedText.delimiter(promisedBy: name)
    let read = try DelimitedText(reading: text, promised: promised, options: reading)
    var lines = read.bytes[..<read.start].split { $0 == 0x0A || $0 == 0x0D }
    if case .prefix(let mark) = reading.comment {
      lines = read.bytes.split { $0 == 0x0A || $0 == 0x0D }.filter { $0.starts(with: mark.utf8) }
    }
    return lines.map { String(decoding: $0, as: UTF8.self) }
  }

  // MARK: Files

  private func path(_ part: String) -> String { "\(folder)/\(part)/\(name)" }

  private func open(_ text: [UInt8], _ part: String, _ role: String) throws -> ModelContext {
    let file = path(part)
    try FileManager.default.createDirectory(
      atPath: "\(folder)/\(part)",
      withIntermediateDirectories: true,
      attributes: [.posixPermissions: 0o700]
    )
    try Data(text).write(to: URL(fileURLWithPath: file))
    do {
      var configuration = JSONStoreConfiguration(path: file, form: form)
      configuration.reading = reading
      return ModelContext(try ModelContainer(configurations: configuration))
    } catch let stopped as Interruption.Stopped {
      throw stopped
    } catch {
      throw MergeRefusal(errorLine(error).replacing(file, with: role))
    }
  }

  private static func isBlank(_ text: [UInt8]) -> Bool {
    text.allSatisfy { [0x20, 0x09, 0x0A, 0x0D].contains($0) }
  }

  /// What the files contain, by the ending of the name or else by their text, and a name with such an ending.
  private static func form(of versions: Versions, _ name: String) -> (
    name: String, form: JSONStoreConfiguration.Form
  ) {
    let ending = name.split(separator: ".").last.map { $0.lowercased() } ?? ""
    switch ending {
    case "csv", "tsv", "tab", "psv": return (name, .delimited)
    case "jsonl", "ndjson": return (name, .lines)
    case "json": return (name, .json)
    default: break
    }
    let text = [versions.ours, versions.theirs].first { !isBlank($0) } ?? versions.base
    let first = text.first { ![0x20, 0x09, 0x0A, 0x0D].contains($0) }
    switch first {
    case UInt8(ascii: "["): return ("records.json", .json)
    case UInt8(ascii: "{"):
      let isWhole = (try? JSONSerialization.jsonObject(with: Data(text))) != nil
      let isOneLine = text.firstIndex(of: 0x0A).map { $0 >= text.count - 1 } ?? true
      return isWhole && !isOneLine ? ("records.json", .json) : ("records.jsonl", .lines)
    default: return ("records.csv", .delimited)
    }
  }
}
