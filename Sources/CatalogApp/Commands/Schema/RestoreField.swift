import OpenSwiftData

/// Sets one field of a record to a value that it had before a change in its history.
struct RestoreField: Instruction {
  let identifier: PersistentIdentifier
  let field: String
  let value: Value
  /// The number of the transaction before which it had the value.
  let token: Int64

  static let command = Revert.command

  func perform(in session: Session) throws -> Outcome {
    let value = try heldValue(in: session)
    let entity = try session.context.schema.entity(named: identifier.entityName)
    guard let slot = entity.layout.slot(of: field) else {
      throw CommandError("\(field): the field no longer exists")
    }
    guard let record = try session.context.records(for: [identifier]).first else {
      throw CommandError("record \(identifier) no longer exists; restore one of its states")
    }
    let attribute = entity.fields[slot]
    guard !attribute.isReadOnly else { throw CommandError("\(field): read-only field") }
    guard let value else {
      throw CommandError("\(field): the value has another type than the field has now")
    }
    let links = value.linkedIdentifiers
    let present = try session.context.existing(links)
    if let lost = links.first(where: {
      !present.contains($0) || session.context.pendingKind(of: $0) == .deleted
    }) {
      throw CommandError("\(field): record \(lost) no longer exists")
    }
    guard record.persistentState.orderedValues[slot] != value else {
      return .note("\(field) has this value; nothing differs")
    }
    record.persistentState.set(value, at: slot)
    let snapshot = try session.context.snapshots(for: [identifier])[identifier]
    session.nameStep("restore \(field) of", [identifier], snapshot)
    let shown = value.isNull ? "null" : Value.shortened(attribute.shownText(of: value))
    return .done("restored \(field) as before save \(token): \(shown)")
  }

  /// The value as the field holds it, which gets the type for that if the types follow from the values; nil if it cannot.
  private func heldValue(in session: Session) throws -> Value? {
    func held() throws -> Value? {
      let entity = try session.context.schema.entity(named: identifier.entityName)
      guard let attribute = entity.fieldsByName[field] else { return value }
      if value.isNull || attribute.accepts(value) { return value }
      let isNumber = attribute.type.isNumeric && value.kind?.isNumeric == true
      let isText = attribute.type == .text && session.context.hasOnlyTexts
      return isNumber || isText ? value.converted(to: attribute.type) : nil
    }
    if let value = try held() { return value }
    guard let type = value.kind.flatMap({ AttributeType($0) }) else { return nil }
    _ = try session.context.widenTypes(toHold: [identifier.entityName: [field: type]])
    return try held()
  }
}
