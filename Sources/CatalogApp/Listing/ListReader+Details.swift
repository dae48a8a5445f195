import OpenSwiftData

extension ListReader {
  /// Reads what the details pane shows of other records.
  ///
  /// - Complexity: O(n) in the records that may refer to the record if those are wanted, else O(1).
  func details(for request: DetailsRequest) throws -> RecordDetails {
    let linked = try records(request.links)
    let titles = Dictionary(linked.map { ($0.identifier, $0.title) }) { first, _ in first }
    let referrers = request.includesReferrers ? try referrers(to: request.identifier) : nil
    return RecordDetails(request: request, titles: titles, referrers: referrers)
  }

  /// The given records that exist, with their titles, in order.
  private func records(_ identifiers: [PersistentIdentifier]) throws -> [RecordDetails.Record] {
    guard !identifiers.isEmpty else { return [] }
    let snapshots = try session.context.snapshots(for: identifiers)
    return identifiers.compactMap { identifier in
      guard let snapshot = snapshots[identifier],
        let entity = session.context.schema.entitiesByName[identifier.entityName]
      else { return nil }
      let title = RecordTitle.text(of: snapshot.orderedValues, in: entity)
      return RecordDetails.Record(identifier: identifier, title: title)
    }
  }

  /// The maximum number of records whose titles are compared with a text, and of records to offer.
  private static let mostTitles = 5000
  private static let mostOffered = 200

  /// The records of an entity whose titles match a text, best first.
  ///
  /// The letters of the text are looked for in the first records, and the whole text in all others. Without a text
  /// the current record is among them.
  func records(
    of entityName: String,
    matching text: String,
    current: PersistentIdentifier?
  ) throws -> ListChoices.Reply {
    let total = try session.context.fetchCount(matching: Query(entityName))
    let first = try session.context.fetchIdentifiers(
      matching: Query(entityName, limit: Self.mostTitles)
    )
    var candidates = try records(text.isEmpty ? Array(first.prefix(Self.mostOffered)) : first)
    if text.isEmpty, let current, !candidates.contains(where: { $0.identifier == current }) {
      candidates = try records([current]) + candidates.dropLast()
    }
    if total > first.count, !text.isEmpty {
      let known = Set(first)
      let match = TextMatch(.contains, text, options: [.caseInsensitive, .diacriticInsensitive])
      let others = try session.context.fetchIdentifiers(
        matching: Query(entityName, filter: .anyText(match), limit: Self.mostOffered)
      )
      candidates += try records(others.filter { !known.contains($0) })
    }
    let best = Fuzzy.places(text, among: candidates.count) {
      (candidates[$0].title, candidates[$0].identifier.description)
    }.prefix(Self.mostOffered).map { candidates[$0] }
    let choices = best.map { record in
      let name = record.identifier.description
      return ListChoices.Choice(
        answer: name,
        text: record.title.isEmpty ? name : record.title,
        identifier: RowText.identifier(record.identifier).plain
      )
    }
    return ListChoices.Reply(choices: choices, total: total)
  }

  private func referrers(to identifier: PersistentIdentifier) throws -> [RecordDetails.Referrer] {
    try session.context.referrers(
      to: identifier,
      limit: RecordDetails.most,
      mostLists: Self.mostLists
    )
    .map { found in
      RecordDetails.Referrer(
        entityName: found.entity.name,
        field: found.field.name,
        records: try records(found.records),
        continues: found.continues
      )
    }
  }

  /// The maximum number of records whose lists of links are read.
  private static let mostLists = 20_000
}
