import OpenSwiftData

extension TableScreen {
  /// The maximum number of records to return to.
  private static let longestTrail = 100

  /// Goes to a record that another one refers to, and notes the way back.
  mutating func follow(_ identifier: PersistentIdentifier, _ host: inout TableHost) {
    guard let here = host.table.currentRow?.identifier else { return }
    guard go(to: identifier, &host) else { return }
    trail.append(here)
    trail.removeFirst(max(0, trail.count - Self.longestTrail))
  }

  /// Follows the link under the cursor; of several links, the first.
  mutating func followCell(_ host: inout TableHost) {
    guard let link = host.table.currentValue?.linkedRecords.first else {
      let name = host.table.currentAttribute?.name ?? "this column"
      return host.warn("follow: \(name) has no link here")
    }
    follow(link, &host)
  }

  /// Returns to the record from which the last link was followed.
  mutating func goBack(_ host: inout TableHost) {
    guard let former = trail.popLast() else {
      return host.warn("nothing to go back to; follow a link first")
    }
    _ = go(to: former, &host)
  }

  private mutating func go(to identifier: PersistentIdentifier, _ host: inout TableHost) -> Bool {
    guard let entity = host.status.entities.first(where: { $0.name == identifier.entityName })
    else {
      host.warn("unknown entity \(Value.quoted(identifier.entityName))")
      return false
    }
    if host.table.entity?.name != entity.name { show(entity, &host) }
    host.request(.locate(identifier))
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
    } else if host.table.filter.isActive {
      host.screen.filter(by: FilterInput())
      host.request(.locate(identifier))
      host.say("cleared the filter, which hid the record")
    } else {
      host.warn("record \(identifier) not found")
    }
  }
}
