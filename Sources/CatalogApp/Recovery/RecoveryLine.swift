import OpenSwiftData

/// Writes the record lines of a recovery file, which `RecoveryEdit` reads.
///
/// A command may change a million records, and `JSONEncoder` is fifty times slower.
struct RecoveryLine {
  /// The change of a record to write down.
  enum Edit {
    case insert(DefaultSnapshot)
    case update(RecordUpdate)
    case delete(DefaultSnapshot)
    /// The record is unchanged.
    case none(PersistentIdentifier)
  }

  /// By what the records of changes are known.
  static func keys(of edits: [Edit], in context: ModelContext) -> KnownKeys {
    context.knownKeys(of: edits.compactMap(\.recordByPlace))
  }

  /// The line for a change.
  static func text(_ edit: Edit, _ keys: KnownKeys, _ grounds: ChangeGrounds) -> String {
    var line = RecoveryLine()
    switch edit {
    case .insert(let snapshot):
      line.begin(.insert)
      for (slot, name) in fields(snapshot) where !snapshot.orderedValues[slot].isNull {
        line.append(name, before: .null, after: snapshot.orderedValues[slot])
      }
      line.end(snapshot.persistentIdentifier) { $0.appendRead(nil, snapshot, grounds) }
    case .update(let update): line.append(update, keys, grounds)
    case .delete(let snapshot):
      line.begin(.delete)
      for (slot, name) in fields(snapshot) where !snapshot.orderedValues[slot].isNull {
        line.append(name, before: snapshot.orderedValues[slot], after: .null)
      }
      line.end(snapshot.persistentIdentifier, keys)
    case .none(let identifier):
      line.begin(.none)
      line.end(identifier)
    }
    return line.text
  }

  /// The fields by name, so that equal changes have equal lines whatever the layout.
  private static func fields(_ snapshot: DefaultSnapshot) -> [(offset: Int, element: String)] {
    snapshot.layout.names.enumerated().sorted { $0.element < $1.element }
  }

  private var text = ""
  private var isFirst = true

  private mutating func append(
    _ update: RecordUpdate,
    _ keys: KnownKeys,
    _ grounds: ChangeGrounds
  ) {
    let (before, after) = (update.before, update.after)
    // A number may be only a position in the file: then the other values show whether it still holds
    // the same record.
    let isNumbered = update.persistentIdentifier.numberKey != nil
    begin(.update)
    for (slot, name) in Self.fields(after)
    where isNumbered || before.orderedValues[slot] != after.orderedValues[slot] {
      append(
        name,
        before: before.orderedValues[slot],
        after: after.orderedValues[slot]
      )
    }
    end(update.persistentIdentifier, keys) { $0.appendRead(before, after, grounds) }
  }

  /// Appends what a change rests on.
  private mutating func appendRead(
    _ before: DefaultSnapshot?,
    _ after: DefaultSnapshot,
    _ grounds: ChangeGrounds
  ) {
    let identifier = after.persistentIdentifier
    var isFirst = true
    func begin(_ line: inout RecoveryLine) {
      line.text += isFirst ? ",\"read\":[{" : ",{"
      isFirst = false
    }
    for read in grounds.fields where read.records.contains(identifier) {
      guard let before else { continue }
      begin(&self)
      if let computed = read.dependents {
        let names = computed.sorted().map { JSONText.quoted($0) }
        text += "\"computed\":[" + names.joined(separator: ",") + "],"
      }
      appendFields(read.fields.sorted(), of: before)
      text += "}"
    }
    for (slot, value) in after.orderedValues.enumerated()
    where value.isLink && before?.orderedValues[slot] != value {
      for target in value.linkedIdentifiers {
        guard let linked = grounds.linked[identifier, target] else { continue }
        begin(&self)
        appendFields(linked.layout.names.sorted(), of: linked)
        text += ",\"record\":"
        append(target)
        text += "}"
      }
    }
    if !isFirst { text += "]" }
  }

  /// Appends values that were read.
  private mutating func appendFields(_ names: [String], of record: DefaultSnapshot) {
    text += "\"fields\":{"
    isFirst = true
    for name in names { append(name, before: record[name] ?? .null, after: .null) }
    text += "}"
  }

  private mutating func begin(_ change: RecoveryEdit.Change) {
    text = "{\"change\":\"\(change.rawValue)\",\"fields\":{"
  }

  private mutating func append(_ name: String, before: Value, after: Value) {
    if !isFirst { text += "," }
    isFirst = false
    text += JSONText.quoted(name)
    text += ":{"
    if !after.isNull {
      text += "\"after\":"
      append(after)
    }
    if !before.isNull {
      text += after.isNull ? "\"before\":" : ",\"before\":"
      append(before)
    }
    text += "}"
  }

  private mutating func append(_ value: Value) {
    switch value {
    case .link(let link): append([link])
    case .links(let links): append(links)
    default: text += JSONText.quoted(value.text)
    }
  }

  private mutating func append(_ links: [PersistentIdentifier]) {
    text += "["
    for (place, link) in links.enumerated() {
      if place > 0 { text += "," }
      append(link)
    }
    text += "]"
  }

  private mutating func append(_ identifier: PersistentIdentifier) {
    text += "{\"entity\":"
    text += JSONText.quoted(identifier.entityName)
    if identifier.isTemporary { text += ",\"isNew\":true" }
    text += ",\"key\":"
    text += JSONText.quoted(identifier.description)
    text += "}"
  }

  private mutating func end(
    _ identifier: PersistentIdentifier,
    _ keys: KnownKeys? = nil,
    read: (inout RecoveryLine) -> Void = { _ in }
  ) {
    text += "}"
    if let copies = keys?.copies[identifier] { text += ",\"copies\":\(copies)" }
    if let key = keys?[identifier], identifier.numberKey != nil {
      text += ",\"key\":[" + key.map { JSONText.quoted($0) }.joined(separator: ",") + "]"
    }
    read(&self)
    text += ",\"record\":"
    append(identifier)
    text += "}"
  }
}

extension RecoveryLine.Edit {
  /// A saved record that may be known only by its position.
  fileprivate var recordByPlace: PersistentIdentifier? {
    let identifier: PersistentIdentifier
    switch self {
    case .update(let update): identifier = update.persistentIdentifier
    case .delete(let snapshot): identifier = snapshot.persistentIdentifier
    case .insert, .none: return nil
    }
    return identifier.numberKey == nil ? nil : identifier
  }
}
