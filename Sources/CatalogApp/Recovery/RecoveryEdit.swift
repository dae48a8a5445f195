import Foundation
import OpenSwiftData

/// The first line of a recovery file: whose edits these are.
struct RecoveryHeader: Codable, Hashable {
  static let currentFormat = 1

  /// The number of the form of the lines.
  let recovery: Int
  /// What the store calls itself.
  let store: String
  /// The store's file as it was when the edits began; nil when there was none.
  let version: String?
  /// The entities, where the store has no file that tells them.
  let schema: Schema?
  /// The unsaved changes of the schema, on which the edits are made; nil when there are none.
  var steps: [SchemaStep]?
  /// The program that keeps them; nil where it is not known.
  var process: KeptProcess?
}

/// A running program that keeps edits.
package struct KeptProcess: Codable, Hashable, Sendable {
  /// The number of the process.
  package let id: Int32
  /// The number of the process that watches over it; nil for one that is alone.
  package let watcher: Int32?

  /// Creates a description.
  package init(id: Int32, watcher: Int32?) { (self.id, self.watcher) = (id, watcher) }

  /// Reads who keeps the edits from the first line of a file; nil when it does not say.
  package init?(header line: String) {
    // A line that cannot be understood names nobody.
    guard let header = try? JSONDecoder().decode(RecoveryHeader.self, from: Data(line.utf8)),
      let process = header.process
    else { return nil }
    self = process
  }
}

/// A line of a recovery file: what the next save would do to one record, as it stands.
///
/// A later line about the same record replaces an earlier one.
struct RecoveryEdit: Codable, Hashable {
  enum Change: String, Codable {
    case insert, update, delete
    /// The record is as the store has it: an edit was taken back, or saved.
    case none
  }

  let change: Change
  let record: RecoveryLink
  /// The values by name of the field; of an update those that differ, and for a record that is known by
  /// its place only, all of them.
  var fields: [String: RecoveryField] = [:]
}

/// One field before and after: the values as the store had them and as they shall be.
struct RecoveryField: Codable, Hashable {
  /// The value in the store; nil when there was none.
  var before: RecoveryValue?
  /// The value to be saved; nil for none.
  var after: RecoveryValue?
}

/// A record by name: new ones have the number that they had in the program that wrote the line.
struct RecoveryLink: Codable, Hashable {
  let entity: String
  let key: String
  /// True for a record that was never saved.
  let isNew: Bool?

  init(_ identifier: PersistentIdentifier) {
    entity = identifier.entityName
    key = identifier.description
    isNew = identifier.isTemporary ? true : nil
  }
}

/// A value in its text form, or the records that it refers to.
enum RecoveryValue: Hashable {
  case text(String)
  case links([RecoveryLink])

  /// Nil for no value.
  init?(_ value: Value) {
    switch value {
    case .null: return nil
    case .link(let link): self = .links([RecoveryLink(link)])
    case .links(let links): self = .links(links.map { RecoveryLink($0) })
    default: self = .text(value.text)
    }
  }

  /// The value for people.
  var text: String {
    switch self {
    case .text(let text): text
    case .links(let links): links.map(\.key).joined(separator: " ")
    }
  }
}

extension RecoveryValue: Codable {
  init(from decoder: any Decoder) throws {
    let container = try decoder.singleValueContainer()
    if let text = try? container.decode(String.self) {
      // Else it is a list, or the line is of another form, which the next call says.
      self = .text(text)
    } else {
      self = .links(try container.decode([RecoveryLink].self))
    }
  }

  func encode(to encoder: any Encoder) throws {
    var container = encoder.singleValueContainer()
    switch self {
    case .text(let text): try container.encode(text)
    case .links(let links): try container.encode(links)
    }
  }
}

extension RecoveryEdit {
  /// The insertion of a record.
  static func insert(_ snapshot: DefaultSnapshot) -> RecoveryEdit {
    var edit = RecoveryEdit(change: .insert, record: RecoveryLink(snapshot.persistentIdentifier))
    for (name, value) in zip(snapshot.layout.names, snapshot.orderedValues) where !value.isNull {
      edit.fields[name] = RecoveryField(after: RecoveryValue(value))
    }
    return edit
  }

  /// The change of a record.
  static func update(_ update: RecordUpdate) -> RecoveryEdit {
    let identifier = update.persistentIdentifier
    var edit = RecoveryEdit(change: .update, record: RecoveryLink(identifier))
    // A number may be no more than the place in the file: then the other values tell whether the same
    // record still stands there.
    let slots =
      identifier.numberKey == nil
      ? update.changedSlots : Array(update.after.orderedValues.indices)
    for slot in slots {
      edit.fields[update.after.layout.names[slot]] = RecoveryField(
        before: RecoveryValue(update.before.orderedValues[slot]),
        after: RecoveryValue(update.after.orderedValues[slot])
      )
    }
    return edit
  }

  /// The deletion of a record.
  static func delete(_ snapshot: DefaultSnapshot) -> RecoveryEdit {
    var edit = RecoveryEdit(change: .delete, record: RecoveryLink(snapshot.persistentIdentifier))
    for (name, value) in zip(snapshot.layout.names, snapshot.orderedValues) where !value.isNull {
      edit.fields[name] = RecoveryField(before: RecoveryValue(value))
    }
    return edit
  }

  /// The edit in words: `Film 3: title: "Up" → "Up!"`.
  var description: String { "\(record.entity) \(record.key): \(words)" }

  /// What the edit does: `title: "Up" → "Up!"`.
  var words: String {
    let parts = fields.sorted { $0.key < $1.key }.compactMap { name, field -> String? in
      let after = Self.shown(field.after)
      return switch change {
      case .insert: "\(name): \(after)"
      case .delete: "\(name): \(Self.shown(field.before))"
      case .update:
        field.before == field.after ? nil : "\(name): \(Self.shown(field.before)) → \(after)"
      case .none: nil
      }
    }
    let verb = change == .insert ? "new" : change == .delete ? "deleted" : ""
    return ([verb].filter { !$0.isEmpty } + parts).joined(separator: ", ")
  }

  static func shown(_ value: RecoveryValue?) -> String {
    value.map { Value.quoted($0.text) } ?? "null"
  }
}
