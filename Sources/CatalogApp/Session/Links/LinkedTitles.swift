import Foundation
import OpenSwiftData

/// Tests and orders of links by the titles of their records, which is what people see in a column of links.
extension Session {
  /// The condition, which also tests the titles of linked records if it is a text test of a link, or of any field.
  func includingTitles(_ condition: Filter, _ links: [Schema.Attribute], _ entity: Schema.Entity)
    throws -> Filter
  {
    let tested: (links: [Schema.Attribute], match: TextMatch)
    switch condition {
    case .anyText(let match): tested = (links, match)
    case .text(let name, let match): tested = (links.filter { $0.name == name }, match)
    default: return condition
    }
    guard !tested.links.isEmpty else { return condition }
    return .or([condition] + (try tested.links.map { try titleTest($0, tested.match, entity) }))
  }

  /// The condition that a link refers to a record whose title matches.
  private func titleTest(_ link: Schema.Attribute, _ match: TextMatch, _ entity: Schema.Entity)
    throws -> Filter
  {
    let records = try context.records(titled: match, of: link.type.destination ?? "")
    guard !records.isEmpty else { return .constant(false) }
    if case .link = link.type {
      return .isIn(link.name, records.sorted().map { .link($0) })
    }
    // A list of links is compared as a whole.
    let counts = try context.valueCounts(of: link.name, matching: Query(entity.name))
    let lists = counts.keys.filter { $0.linkedIdentifiers.contains(where: records.contains) }
    return .isIn(link.name, lists.sorted { $0.compare($1) == .orderedAscending })
  }

  /// The only record to which a link can refer that is shown by a title, or by one with this part; nil if none is.
  ///
  /// Case and accents are ignored, unless only they tell titles apart.
  ///
  /// - Throws: `CommandError` if several are.
  func record(titled text: String, for attribute: Schema.Attribute) throws
    -> PersistentIdentifier?
  {
    let part = String((text.last == "…" ? text.dropLast() : text[...]).prefix(39))
    guard !part.isEmpty else { return nil }
    let match = TextMatch(.contains, part, options: [.caseInsensitive, .diacriticInsensitive])
    let candidates = try context.records(titled: match, of: attribute.type.destination ?? "")
      .sorted()
    let titles = try context.titles(of: candidates)
    let wanted = RecordTitle.shortened(text)
    for options in [TextMatch.Options.caseInsensitive, [.caseInsensitive, .diacriticInsensitive]] {
      let folded = TextFolding.foldedBytes(wanted, options)
      let found = candidates.filter { record in
        titles[record].map { TextFolding.foldedBytes($0, options) == folded } ?? false
      }
      if !found.isEmpty {
        return try attribute.only(found, with: "the title \(Value.quoted(text))")
      }
    }
    guard candidates.count > 1 else { return candidates.first }
    let areEqual = Set(candidates.map { titles[$0] }).count == 1
    if areEqual {
      let title = Value.quoted(titles[candidates[0]] ?? text)
      return try attribute.only(candidates, with: "the title \(title)")
    }
    let names = candidates.prefix(Schema.Attribute.shownLinks).map { titles[$0] ?? $0.description }
    throw CommandError(
      "\(attribute.name): \(Value.quoted(text)) is a part of \(candidates.count) titles ("
        + names.joined(separator: ", ") + (candidates.count > names.count ? ", …" : "")
        + "); type more of one",
      code: .ambiguousRecord
    )
  }

  /// The records that a text typed on the screen names by titles or identifiers between commas; nil if it names others.
  func recordsTitled(_ text: String, for attribute: Schema.Attribute) -> [PersistentIdentifier]? {
    guard origin.isOnScreen else { return nil }
    let names = text.split(separator: ",").map { $0.trimmingCharacters(in: .whitespaces) }
    // Identifiers between spaces are read elsewhere, with the reason if one is wrong.
    return try? names.map { try linked($0, from: attribute) }
  }
}

extension ModelContext {
  /// The records of an entity whose titles match.
  fileprivate func records(titled match: TextMatch, of destination: String) throws
    -> Set<PersistentIdentifier>
  {
    let test = try BoundFilter(.text("title", match), layout: SnapshotLayout(["title"]))
    // A title is the text of some field, so that the store finds the candidates.
    let candidates: Filter = match.operation == .contains ? .anyText(match) : .all
    var records: Set<PersistentIdentifier> = []
    for entity in schema.entities
    where schema.accepts(entity.name, for: destination) {
      let found = try fetchIdentifiers(matching: Query(entity.name, filter: candidates))
      for batch in found.batches {
        try Interruption.check()
        for (record, title) in try titles(of: Array(batch)) where test.matches([.text(title)]) {
          records.insert(record)
        }
      }
    }
    return records
  }

  /// The titles of the records that links refer to, as one text for each value; other values stay as they are.
  ///
  /// - Throws: The error of a store that cannot be read.
  func namingLinks(_ values: [Value]) throws -> [Value] {
    let wanted = values.reduce(into: Set()) { $0.formUnion($1.linkedIdentifiers) }
    guard !wanted.isEmpty else { return values }
    let titles = try titles(of: Array(wanted))
    return values.map { value in
      switch value {
      case .link(let record): .text(titles[record] ?? record.description)
      case .links(let records):
        .text(records.map { titles[$0] ?? $0.description }.joined(separator: ", "))
      default: value
      }
    }
  }
}

extension Query {
  /// True if a key of the order is a link.
  func ordersByLink(_ entity: Schema.Entity) -> Bool {
    sort.contains { entity.fieldsByName[$0.attribute]?.type.destination != nil }
  }
}
