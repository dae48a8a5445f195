import Foundation
import OpenSwiftData

/// The first line of a recovery file, which identifies its store and program.
struct RecoveryHeader: Codable, Hashable {
  static let currentFormat = 1

  /// The version of the line format.
  let recovery: Int
  /// The store's identifier for itself.
  let store: String
  /// The version of the store's file when the changes began; nil if there was none.
  let version: String?
  /// The entities, if the store has no file that contains them.
  let schema: Schema?
  /// The unsaved schema changes that the other changes depend on; nil if there are none.
  var steps: [SchemaStep]?
  /// The program that writes the file; nil if unknown.
  var process: RecoveryProcess?
}

/// A running program that keeps unsaved changes.
package struct RecoveryProcess: Codable, Hashable, Sendable {
  /// The number of the process.
  package let id: Int32
  /// The number of its guard process; nil for one without a guard.
  package let watcher: Int32?

  package init(id: Int32, watcher: Int32?) { (self.id, self.watcher) = (id, watcher) }

  /// Reads the program from the first line of a file; nil if the line does not name it.
  package init?(header line: String) {
    // A line that cannot be parsed names no program.
    guard let header = try? JSONDecoder().decode(RecoveryHeader.self, from: Data(line.utf8)),
      let process = header.process
    else { return nil }
    self = process
  }
}

/// A line of a recovery file: the effect of the next save on one record.
///
/// A later line about the same record replaces an earlier one.
struct RecoveryEdit: Codable, Hashable {
  enum Change: String, Codable {
    case insert, update, delete
    /// The record matches the store: its change was undone or saved.
    case none
  }

  let change: Change
  let record: RecoveryLink
  /// The values by field name: the changed ones of an update, or all of them for a record that is
  /// identified only by its position.
  var fields: [String: RecoveryField] = [:]
  /// The fields by which a record in a file without identifiers is known, empty if it is known as a whole; nil for other
  /// records, and in files of earlier versions.
  var key: [String]?
  /// What the change rests on; nil for nothing, and in files of earlier versions.
  var read: [RecoveryRead]?
  /// How many records of such a file were equal to it as a whole, with itself; nil for one without equal ones.
  var copies: Int?
}

/// What a command has read before it made a change: fields of the record, or a record to which it links.
struct RecoveryRead: Codable, Hashable {
  /// The values that were read; of another record all.
  let fields: [String: RecoveryField]
  /// The fields whose values were computed from them; nil for all.
  var computed: [String]?
  /// The record of a link; nil for the changed record.
  var record: RecoveryLink?
}

/// One field before and after: the value in the store and the value to save.
struct RecoveryField: Codable, Hashable {
  /// The value in the store; nil if it had none.
  var before: RecoveryValue?
  /// The value to save; nil for none.
  var after: RecoveryValue?
}

/// A record by identifier: new ones have the number from the program that wrote the line.
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

  /// The same for all spellings of a value, by which records are known: in a file whose types follow from its values, that
  /// of a field can have changed.
  var spelledAlike: RecoveryValue {
    if case .text(let text) = self { .text(Value.spelledAlike(text)) } else { self }
  }

  /// The value in readable form.
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
      // Otherwise it is a list; the next call rejects lines of another form.
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
  /// True if the record has all values that the edit would give it, as after a save.
  func isDone(in record: DefaultSnapshot) -> Bool {
    fields.allSatisfy { name, field in
      record[name].map { RecoveryValue($0) == field.after } ?? false
    }
  }

  /// The edit in words: `Film 3: title: "Up" → "Up!"`.
  var description: String { "\(record.entity) \(record.key): \(words)" }

  /// A description of the change: `title: "Up" → "Up!"`.
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
