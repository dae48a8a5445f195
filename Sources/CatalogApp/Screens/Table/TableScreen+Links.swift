import OpenSwiftData

extension TableScreen {
  /// The maximum number of records to return to.
  private static let longestTrail = 100

  /// Goes to a record that another one refers to, and notes the way back.
  mutating func follow(_ identifier: PersistentIdentifier, _ host: inout TableHost) {
    let here = host.table.currentRow?.identifier
    guard go(to: identifier, &host), let here, here != identifier else { return }
    note(WayBack(record: here))
  }

  /// Follows the link under the cursor; of several links, the first.
  mutating func followCell(_ host: inout TableHost) {
    guard let link = host.table.currentValue?.linkedIdentifiers.first else {
      let name = host.table.currentAttribute?.name ?? "this column"
      return host.warn("follow: \(name) has no link here")
    }
    follow(link, &host)
  }

  /// Shows the records that refer to a record by one field, and notes the way back.
  mutating func show(
    _ referrer: RecordDetails.Referrer,
    referringTo identifier: PersistentIdentifier,
    _ host: inout TableHost
  ) {
    guard let entity = host.status.entities.first(where: { $0.name == referrer.entityName }),
      let field = entity.fieldsByName[referrer.field]
    else { return host.warn("unknown field \(referrer.name)") }
    let here = host.table.currentRow?.identifier ?? identifier
    let name = title(of: identifier, host) ?? identifier.description
    if host.table.entity?.name != entity.name { show(entity, &host) }
    note(WayBack(record: here, table: host.table))
    // A list of links is compared by its text, which has their identifiers.
    let filter: Filter =
      if case .link = field.type {
        .compare(field.name, .equal, .link(identifier))
      } else {
        .text(field.name, TextMatch(.contains, identifier.description))
      }
    let input = FilterInput(filter, text: filter.description)
    host.table.referrerFilter = ReferrerFilter(shown: input, former: host.table.lastingFilter)
    host.screen.filter(by: input, isList: true)
    host.say("\(referrer.name): \(name); press \(host.screen.name(of: .back)) to go back")
  }

  /// The title of the record under the cursor, if it is the given one; nil if it has none.
  private func title(of identifier: PersistentIdentifier, _ host: TableHost) -> String? {
    guard let row = host.table.currentRow, row.identifier == identifier,
      let entity = host.table.entity, row.values.count == entity.fields.count
    else { return nil }
    let title = RecordTitle.text(of: row.values, in: entity)
    return title.isEmpty ? nil : title
  }

  private mutating func note(_ wayBack: WayBack) {
    trail.append(wayBack)
    trail.removeFirst(max(0, trail.count - Self.longestTrail))
  }

  /// Returns to the record from which the last link was followed, and the table of its referrers to what it showed.
  mutating func goBack(_ host: inout TableHost) {
    guard let former = trail.popLast() else {
      return host.warn("nothing to go back to; follow a link first")
    }
    guard let table = former.table, let name = table.entity?.name else {
      _ = go(to: former.record, &host)
      return
    }
    if host.table.entity?.name == name {
      host.table.restore(table)
      if name == former.record.entityName { host.requery(keepingRecord: false) }
    } else {
      views[name]?.restore(table)
    }
    _ = go(to: former.record, &host)
  }

  /// Goes to a record and a field, and notes the way back.
  mutating func go(to identifier: PersistentIdentifier, field: String?, _ host: inout TableHost) {
    follow(identifier, &host)
    guard host.table.entity?.name == identifier.entityName,
      let column = host.table.columns.firstIndex(where: { $0.name == field })
    else { return }
    host.table.move(toColumn: column)
  }

  private mutating func go(to identifier: PersistentIdentifier, _ host: inout TableHost) -> Bool {
    guard let entity = host.status.entities.first(where: { $0.name == identifier.entityName })
    else {
      host.warn("unknown entity \(Value.quoted(identifier.entityName))")
      return false
    }
    if host.table.entity?.name != entity.name { show(entity, &host) }
    host.ask(Locate(record: identifier))
    return true
  }

  /// Moves to a record that was looked for; a filter that hides it is cleared.
  func take(
    located identifier: PersistentIdentifier,
    _ row: Int?,
    _ extent: ListExtent,
    _ host: inout TableHost
  ) {
    guard host.table.entity?.name == identifier.entityName else { return }
    if let row {
      host.table.extent = extent
      host.table.move(toRow: row)
    } else if host.table.folds != nil {
      host.table.folds = nil
      host.requery()
      host.ask(Locate(record: identifier))
    } else if host.table.filter.isActive {
      host.screen.filter(by: FilterInput())
      host.ask(Locate(record: identifier))
      host.say("cleared the filter, which hid the record")
    } else {
      host.warn("record \(identifier) not found")
    }
  }
}

/// A record from which a link was followed.
struct WayBack: Sendable {
  var record: PersistentIdentifier
  /// The table before it showed the records that refer to this one; nil if no filter was set.
  var table: TableState?
}

extension TableState {
  /// Returns to filter, order and place of an earlier state, unless the entity has other fields now.
  mutating func restore(_ former: TableState) {
    guard entity == former.entity else { return filter = FilterInput() }
    (filter, referrerFilter, sort) = (former.filter, former.referrerFilter, former.sort)
    (group, folds) = (former.group, former.folds)
    (row, top) = (former.row, former.top)
  }
}
