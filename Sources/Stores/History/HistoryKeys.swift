import OpenSwiftData

/// The fields by which the records of a save were known, in a file without identifiers, and how the file was read.
struct HistoryKeys: Hashable, Sendable {
  /// The fields of some records of an entity.
  struct Part: Hashable, Sendable {
    var entity: String
    /// No fields if the records are known as a whole.
    var fields: KeyFields
    /// The numbers of records that a command has named by these fields; empty for all that were not named.
    var numbers: Set<Int> = []
  }

  var parts: [Part] = []
  /// The options by which the file was read, as text; nil if that was not kept.
  var reading: String?
  /// By entity and number, how many records were equal to one of the save as a whole, with itself, if there were others.
  var copies: [String: [Int: Int]] = [:]

  /// The fields of a record.
  func fields(of identifier: PersistentIdentifier) -> KeyFields {
    let own = parts.filter { $0.entity == identifier.entityName }
    let number = identifier.numberKey
    let part =
      own.first { part in number.map { part.numbers.contains($0) } ?? false }
      ?? own.first { $0.numbers.isEmpty }
    return part?.fields ?? KeyFields([], .guess)
  }

  /// Renames the entity of a file without entity names.
  mutating func rename(to entity: String) {
    for place in parts.indices { parts[place].entity = entity }
    copies =
      copies.isEmpty ? [:] : [entity: copies.values.reduce(into: [:]) { $0.merge($1) { $1 } }]
  }
}

extension HistoryKeys {
  /// The keys as bytes.
  var bytes: [UInt8] {
    var payload = PayloadWriter()
    payload.append(unsigned: UInt64(parts.count))
    for part in parts {
      payload.append(text: part.entity)
      payload.append(byte: UInt8(part.fields.strength.rawValue))
      payload.append(unsigned: UInt64(part.fields.names.count))
      for name in part.fields.names { payload.append(text: name) }
      payload.append(unsigned: UInt64(part.numbers.count))
      for number in part.numbers.sorted() { payload.append(unsigned: UInt64(number)) }
    }
    if let reading {
      payload.append(text: reading)
      append(copies, to: &payload)
    }
    return payload.withContent { Array($0) }
  }

  /// Reads keys.
  init(_ bytes: [UInt8]) throws(PayloadError) {
    let result = bytes.withUnsafeBytes { bytes in
      Result { () throws(PayloadError) in
        var reader = PayloadReader(bytes)
        var keys = HistoryKeys()
        keys.parts = try Self.parts(from: &reader)
        if !reader.isAtEnd { keys.reading = try reader.text() }
        if !reader.isAtEnd { keys.copies = try Self.copies(from: &reader) }
        return keys
      }
    }
    self = try result.get()
  }

  private func append(_ copies: [String: [Int: Int]], to payload: inout PayloadWriter) {
    if copies.isEmpty { return }
    payload.append(unsigned: UInt64(copies.count))
    for (entity, counts) in copies.sorted(by: { $0.key < $1.key }) {
      payload.append(text: entity)
      payload.append(unsigned: UInt64(counts.count))
      for (number, count) in counts.sorted(by: { $0.key < $1.key }) {
        payload.append(unsigned: UInt64(number))
        payload.append(unsigned: UInt64(count))
      }
    }
  }

  private static func copies(from reader: inout PayloadReader) throws(PayloadError) -> [String:
    [Int: Int]]
  {
    var copies: [String: [Int: Int]] = [:]
    for _ in 0..<(try reader.count()) {
      let entity = try reader.text()
      for _ in 0..<(try reader.count()) {
        guard let number = Int(exactly: try reader.unsigned()),
          let count = Int(exactly: try reader.unsigned())
        else { throw .badNumber }
        copies[entity, default: [:]][number] = count
      }
    }
    return copies
  }

  private static func parts(from reader: inout PayloadReader) throws(PayloadError) -> [Part] {
    var parts: [Part] = []
    for _ in 0..<(try reader.count()) {
      let entity = try reader.text()
      let strength = MatchingKey.Strength(rawValue: Int(try reader.byte())) ?? .guess
      var names: [String] = []
      for _ in 0..<(try reader.count()) { names.append(try reader.text()) }
      var part = Part(entity: entity, fields: KeyFields(names, strength))
      for _ in 0..<(try reader.count()) {
        guard let number = Int(exactly: try reader.unsigned()) else { throw .badNumber }
        part.numbers.insert(number)
      }
      parts.append(part)
    }
    return parts
  }
}
