/// The visible content of a store.
struct LockstepContents {
  let names: [String]
  let lists: [String: [LockstepJSON]]
  let schemas: [String: [LockstepJSON]]

  /// The first difference from the model; nil if there is none.
  func difference(from model: LockstepModel) -> String? {
    guard Set(names) == Set(model.entities.map(\.name)), names.count == model.entities.count else {
      return "the entities are \(names.sorted()), not \(model.entities.map(\.name).sorted())"
    }
    let tags = Dictionary(
      lists.values.joined().compactMap { row -> (String, Int)? in
        guard let id = row["id"]?.string, let tag = Self.tag(of: row) else { return nil }
        return (id, tag)
      }
    ) { first, _ in first }
    for entity in model.entities {
      if let text = difference(from: entity, tags) { return "\(entity.name): \(text)" }
      if let text = schemaDifference(from: entity) { return "\(entity.name): \(text)" }
    }
    return nil
  }

  private func difference(from entity: LockstepEntity, _ tags: [String: Int]) -> String? {
    let rows = lists[entity.name] ?? []
    let found = rows.compactMap(Self.tag)
    let wanted = entity.records.map(\.tag)
    guard found.sorted() == wanted.sorted() else { return "the tags are \(found), not \(wanted)" }
    for row in rows {
      let tag = Self.tag(of: row)
      guard let record = entity.records.first(where: { $0.tag == tag }) else { continue }
      for field in entity.fields {
        let shown = row[field.name]
        switch record[field.name] {
        case .missing where shown == .null || shown == .array([]): continue
        case .value(let value) where shown == value: continue
        case .links(let links) where Self.tags(shown, tags) == links: continue
        case let cell:
          return "\(field.name) of \(record.tag) is \(shown?.written ?? "absent"), not \(cell)"
        }
      }
    }
    return nil
  }

  /// A record as the list of its entity shows it.
  func row(of name: String, _ tag: Int) -> LockstepJSON? {
    lists[name]?.first { Self.tag(of: $0) == tag }
  }

  static func tag(of row: LockstepJSON) -> Int? {
    row["tag"].flatMap { Int($0.written) }
  }

  private static func tags(_ value: LockstepJSON?, _ tags: [String: Int]) -> [Int]? {
    switch value {
    case .array(let items)?: items.map { $0.string.flatMap { tags[$0] } ?? -1 }
    case .text?: [value?.string.flatMap { tags[$0] } ?? -1]
    default: nil
    }
  }

  private func schemaDifference(from entity: LockstepEntity) -> String? {
    // Import takes identifiers of unsaved records for values, and adds a field for them.
    let rows = (schemas[entity.name] ?? []).filter { !["tag", "id"].contains($0["field"]?.string) }
    guard rows.compactMap({ $0["field"]?.string }) == entity.fields.map(\.name) else {
      return
        "the fields are \(rows.compactMap { $0["field"]?.string }), not \(entity.fields.map(\.name))"
    }
    for (row, field) in zip(rows, entity.fields)
    where (field.type != nil || field.destination != nil) && !field.isInferred {
      let wanted = field.definition.dropFirst(LockstepLine.quoted(field.name).count + 1)
      let type = row["type"]?.string ?? "?"
      guard wanted.hasPrefix(type), row["required"] == .literal("\(field.isRequired)"),
        row["default"] == field.defaultValue ?? .null
      else { return "the field \(field.name) is \(row.written), not \(wanted)" }
    }
    return nil
  }
}
