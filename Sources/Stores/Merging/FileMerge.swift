import OpenSwiftData

/// The merge of three versions of a file of records, value by value, into the form of ours.
package struct FileMerge {
  typealias Bytes = MergeText.Bytes
  typealias Record = MergeText.Record

  /// The merged text, with markers around what is in conflict.
  package private(set) var text: [UInt8] = []
  /// What the two sides disagree about, one line each; empty if everything was merged.
  package private(set) var conflicts: [String] = []
  private let form: MergeForm
  private var names = MergeText.Names()
  private var columns: [Int] = []
  /// Columns that BASE does not have, and both others have.
  private var addedByBoth: Set<Int> = []
  /// BASE, OURS and THEIRS.
  private var versions: [MergeText] = []
  private var ours: MergeText { versions[1] }
  private var theirs: MergeText { versions[2] }
  private var syntax: MergeSyntax { ours.syntax }

  /// A record of the result; in a conflict, the sides differ.
  private struct Part {
    /// Our record in whose place it is; nil for a new one.
    var place: Record?
    var ours: Record?
    var theirs: Record?
  }

  /// Merges.
  ///
  /// - Parameters:
  ///   - texts: BASE, which is blank if there is none, OURS and THEIRS.
  ///   - form: What they contain.
  ///   - keys: The fields that alone decide which record is which; empty to look for an identifier.
  /// - Throws: `MergeRefusal` where a merge could lose or invent something.
  /// - Complexity: O(n) in the length of the texts, expected.
  package init(_ texts: [[UInt8]], _ form: MergeForm, by keys: [String] = []) throws {
    self.form = form
    if texts[1] == texts[2] || texts[0] == texts[2] || texts[0] == texts[1] {
      text = texts[0] == texts[1] ? texts[2] : texts[1]
      return
    }
    for (text, role) in zip(texts, ["BASE", "OURS", "THEIRS"]) where Self.hasMarkers(text) {
      throw MergeRefusal("\(role) has the markers of a merge before")
    }
    let isNew = !texts[0].contains { $0 > 0x20 }
    let read = try zip(texts, ["BASE", "OURS", "THEIRS"]).dropFirst(isNew ? 1 : 0).map {
      try Self.read($0, $1, form, &names)
    }
    versions = isNew ? [MergeText(noneLike: read[0])] + read : read
    try requireAlike(read)
    let identities = try MergeIdentities(versions, names, by: keys)
    try mergeColumns(identities.all)
    let parts = merge(identities)
    let sides = (own: chunks(of: parts, \.ours), other: chunks(of: parts, \.theirs))
    try require(parts.compactMap(\.ours), in: sides.own)
    if !conflicts.isEmpty { try require(parts.compactMap(\.theirs), in: sides.other) }
    text = Array(ours.mark) + marked(sides.own, sides.other)
  }

  /// True if a line of the text begins a conflict.
  private static func hasMarkers(_ text: [UInt8]) -> Bool {
    let marker = Array("<<<<<<< ".utf8)
    return text.starts(with: marker)
      || text.indices.contains { text[$0] == 0x0A && text[($0 + 1)...].starts(with: marker) }
  }

  /// Two versions of a file that cannot be merged, one after the other with markers around them.
  package static func unmerged(_ ours: [UInt8], _ theirs: [UInt8]) -> [UInt8] {
    let feed = ours.firstIndex(of: 0x0A) ?? 0
    let lineBreak: [UInt8] = feed > 0 && ours[feed - 1] == 0x0D ? [0x0D, 0x0A] : [0x0A]
    func lines(_ text: [UInt8]) -> [UInt8] {
      text.isEmpty || text.last == 0x0A ? text : text + lineBreak
    }
    return "<<<<<<< ours".utf8 + lineBreak + lines(ours) + "=======".utf8 + lineBreak
      + lines(theirs)
      + ">>>>>>> theirs".utf8 + lineBreak
  }

  private static func read(
    _ text: [UInt8],
    _ role: String,
    _ form: MergeForm,
    _ names: inout MergeText.Names
  ) throws -> MergeText {
    do {
      try Interruption.check()
      if case .separated = form, !text.contains(where: { $0 > 0x20 }) {
        throw MergeRefusal("the file is empty")
      }
      return try MergeText(text, form, &names)
    } catch let stopped as Interruption.Stopped {
      throw stopped
    } catch let fault as DelimitedText.Fault {
      let line = fault.place.map { "line \($0.line): " } ?? ""
      throw MergeRefusal("\(role): \(line)\(fault.message)")
    } catch {
      throw MergeRefusal("\(role): \(error)")
    }
  }
}

// MARK: Columns

extension FileMerge {
  /// Refuses files that cannot be compared record by record.
  private func requireAlike(_ versions: [MergeText]) throws {
    for other in versions where !other.syntax.isLike(syntax) {
      throw MergeRefusal("the files divide values in different ways; --read decides for all")
    }
    for other in versions where (other.header == nil) != (ours.header == nil) {
      throw MergeRefusal("some files have no names of columns; --read header=yes or no decides")
    }
    let own = Set(versions.dropLast().map(\.surroundings))
    guard own.contains(theirs.surroundings) else {
      throw MergeRefusal("THEIRS has changed something outside the records")
    }
  }

  /// Finds the columns of the result, and refuses changes of columns that lose a value.
  private mutating func mergeColumns(_ identities: [[[UInt8]]]) throws {
    let (former, own, other) = (versions[0].columns, ours.columns, theirs.columns)
    columns =
      syntax.delimited == nil
      ? Array(names.all.indices)
      : own.filter { !former.contains($0) || other.contains($0) }
        + other.filter { !former.contains($0) && !own.contains($0) }
    addedByBoth = Set(own).intersection(other).subtracting(former)
    let all = versions.flatMap(\.columns)
    let hasNames = all.allSatisfy { !names.all[$0].contains(MergeText.Names.unnamed) }
    guard hasNames || Set(versions.map(\.columns)).subtracting([[]]).count == 1 else {
      throw MergeRefusal("columns without a name of their own have been added, removed or moved")
    }
    let base = Dictionary(uniqueKeysWithValues: zip(identities[0], versions[0].records))
    for (version, identities) in zip(versions, identities).dropFirst() {
      let removed = version.columns.filter { !columns.contains($0) }
      for (record, identity) in zip(version.records, identities) where !removed.isEmpty {
        let former = base[identity]
        for field in removed where !syntax.isSame(record[field], former?[field] ?? []) {
          let name = names.text(of: field)
          throw MergeRefusal("column \(name): one side has removed it, the other has edited it")
        }
      }
    }
  }
}

// MARK: Records

extension FileMerge {
  /// The merged records in the order of ours; each new one of theirs follows the same record as in theirs.
  private mutating func merge(_ identities: MergeIdentities) -> [Part] {
    let (former, own, other) = (identities.all[0], identities.all[1], identities.all[2])
    let base = Dictionary(uniqueKeysWithValues: zip(former, versions[0].records))
    let present = Dictionary(uniqueKeysWithValues: zip(other, theirs.records))
    let places = Dictionary(uniqueKeysWithValues: zip(own, own.indices))
    // Behind the new ones of ours.
    var ends = Array(own.indices)
    for place in ends.indices.reversed().dropFirst() where base[own[place + 1]] == nil {
      ends[place] = ends[place + 1]
    }
    var place = own.first.map { base[$0] == nil ? ends[0] : -1 } ?? -1
    var added: [Int: [Part]] = [:]
    for (record, identity) in zip(theirs.records, other) {
      if let known = places[identity] {
        place = ends[known]
      } else {
        added[place, default: []].append(merged(nil, base[identity], nil, record, identities))
      }
    }
    var parts = added[-1] ?? []
    for (place, record) in ours.records.enumerated() {
      let identity = own[place]
      parts.append(merged(record, base[identity], record, present[identity], identities))
      parts += added[place] ?? []
    }
    return parts
  }

  /// What becomes of a record that one side at least has.
  private mutating func merged(
    _ place: Record?,
    _ base: Record?,
    _ own: Record?,
    _ other: Record?,
    _ identities: MergeIdentities
  ) -> Part {
    var (mine, yours) = (own.map { written($0, of: ours) }, other.map { written($0, of: theirs) })
    var disputed: [String] = []
    if let base, let own, let other {
      let (values, fields) = merge(base, own, other)
      disputed = fields
      mine = written(own, of: ours, with: values.ours)
      yours = written(own, of: ours, with: values.theirs)
    } else if let own, let other {
      if isSame(own, other) {
        yours = mine
      } else {
        disputed = ["added in both, with different values"]
      }
    } else if base == nil {
      (mine, yours) = (mine ?? yours, mine ?? yours)
    } else if let base, let record = own ?? other, !isSame(base, record) {
      let words = ["changed in ours, deleted in theirs", "deleted in ours, changed in theirs"]
      disputed = [words[own == nil ? 1 : 0]]
    } else {
      (mine, yours) = (nil, nil)
    }
    if !disputed.isEmpty, let record = own ?? other {
      conflicts.append("\(identities.words(record)): \(disputed.joined(separator: "; "))")
    }
    return Part(place: place, ours: mine, theirs: yours)
  }

  /// The values of a record that both versions have, and what they disagree about.
  private func merge(_ base: Record, _ own: Record, _ other: Record) -> (
    values: (ours: [Int: Bytes?], theirs: [Int: Bytes?]), disputed: [String]
  ) {
    var values: (ours: [Int: Bytes?], theirs: [Int: Bytes?]) = ([:], [:])
    var disputed: [String] = []
    func shown(_ value: Bytes?) -> String {
      guard let value else { return "missing" }
      if syntax.delimited == nil {
        return String(String(decoding: value, as: UTF8.self).prefix(40))
      }
      return syntax.text(value).map { Value.quoted(String($0.prefix(40))) } ?? "empty"
    }
    for field in columns {
      let isNew = addedByBoth.contains(field)
      let former = isNew ? nil : value(base, field)
      let (one, two) = (value(own, field), value(other, field))
      if syntax.isSame(one, two) || syntax.isSame(two, former) { continue }
      values.theirs[field] = .some(two)
      if syntax.isSame(one, former) {
        values.ours[field] = .some(two)
      } else {
        disputed.append("\(names.text(of: field)) \(shown(one)) in ours, \(shown(two)) in theirs")
      }
    }
    return (values, disputed)
  }

  /// A value as written; in a column that a version does not have, it is empty.
  private func value(_ record: Record, _ field: Int) -> Bytes? {
    record[field] ?? (syntax.delimited == nil ? nil : [])
  }

  /// True for the same values in the fields of the result.
  private func isSame(_ one: Record, _ other: Record) -> Bool {
    columns.allSatisfy { syntax.isSame(value(one, $0), value(other, $0)) }
  }
}

// MARK: Writing

extension FileMerge {
  /// A record with other values; the rest is as it was written.
  private func written(_ old: Record, of version: MergeText, with values: [Int: Bytes?] = [:])
    -> Record
  {
    var record = old
    for (field, value) in values { record[field] = value }
    if syntax.delimited != nil {
      if !values.isEmpty || version.columns != columns {
        record.text = joined(columns.map { record[$0] ?? [] })
      }
    } else if !values.isEmpty {
      var patch = JSONRecordPatch()
      for (field, value) in values.sorted(by: { $0.key < $1.key }) {
        let name = names.text(of: field)
        patch.spellings[name] = value.map(Array.init)
        if value == nil {
          patch.removals.append(name)
        } else {
          patch.values.append((name, .null, true))
        }
      }
      var output = JSONOutput()
      old.text.withUnsafeBufferPointer {
        patch.apply(to: JSONRecordText($0), style: JSONStyle(), output: &output)
      }
      record.text = output.bytes[...]
    }
    return record
  }

  private func joined(_ values: [Bytes]) -> Bytes {
    Array(values.joined(separator: syntax.delimited?.delimiter.map { [$0] } ?? []))[...]
  }

  /// The parts of the text of one side: what is before the records, each of them, and what follows.
  private func chunks(of parts: [Part], _ side: KeyPath<Part, Record?>) -> [Bytes] {
    let isJSON = form == .json
    var head = ours.head
    if let header = ours.header {
      let names = columns.map { header[$0] ?? theirs.header?[$0] ?? [] }
      head += header.lead + (columns == ours.columns ? header.text : joined(names)) + header.end
    }
    // New records stand between what the others stand between.
    let model = !isJSON ? [] : ours.records.isEmpty ? theirs.records : ours.records
    let (lead, end) = (model.last?.lead ?? [], model.first?.end ?? ours.lineBreak)
    let last = parts.lastIndex { $0[keyPath: side] != nil }
    return [head]
      + parts.enumerated().map { number, part in
        guard let record = part[keyPath: side] else { return isJSON ? [] : part.place?.lead ?? [] }
        let comma: Bytes = isJSON && number != last ? [UInt8(ascii: ",")] : []
        return (part.place?.lead ?? lead) + record.text + comma + (part.place?.end ?? end)
      } + [ours.tail]
  }

  /// The text of ours with markers around what differs in theirs.
  private func marked(_ ours: [Bytes], _ theirs: [Bytes]) -> [UInt8] {
    let own = self.ours
    var text: [UInt8] = []
    func put(_ marker: String) {
      if let last = text.last, last != syntax.lineEnd { text += own.lineBreak }
      text += marker.utf8 + own.lineBreak
    }
    var rest = zip(ours, theirs).map { ($0, $1) }[...]
    while let chunk = rest.first {
      let disputed = rest.prefix { $0.0 != $0.1 }
      rest = rest.dropFirst(max(1, disputed.count))
      if disputed.isEmpty {
        text += chunk.0
      } else {
        put("<<<<<<< ours")
        for chunk in disputed { text += chunk.0 }
        put("=======")
        for chunk in disputed { text += chunk.1 }
        put(">>>>>>> theirs")
      }
    }
    if own.isUnended, text.suffix(own.lineBreak.count) == own.lineBreak {
      text.removeLast(own.lineBreak.count)
    }
    return text
  }

  /// Refuses a text that does not have the records that are meant.
  private mutating func require(_ records: [Record], in chunks: [Bytes]) throws {
    let read = try Self.read(Array(chunks.joined()), "the merged file", form, &names)
    guard read.syntax.isLike(syntax), read.columns == columns || syntax.delimited == nil,
      read.records.count == records.count, zip(read.records, records).allSatisfy(isSame)
    else { throw MergeRefusal("the merged records cannot be written in the form of OURS") }
  }
}
