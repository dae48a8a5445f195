import OpenSwiftData

extension LogFrameWriter {
  /// Writes the start of a compacted log: the schema, all records, the horizon, the schema again.
  ///
  /// - Complexity: O(size of the records).
  ///
  /// - Parameters:
  ///   - content: The records of the base.
  ///   - last: The content of the complete log, which tells the greatest key ever assigned.
  ///   - header: The header of the new file.
  /// - Throws: What the output throws; `PersistenceError` for a record that is too large.
  func writeBase(_ content: LogContent, last: LogContent, header: LogHeader) throws {
    let schema = content.schema
    try write(schema.schema)
    var items = LogItemEncoder(schema)
    var count = 0
    for entity in schema.entities {
      let table = content.table.reader(entity: entity.name)
      try table.forEachRow { row in
        if payloadBytes >= LogFormat.partBytes {
          try finish(.baseChunk)
          items.beginFrame()
        }
        try append { try items.append(row: row, of: entity, in: table, to: &$0) }
        count += 1
      }
    }
    if payloadBytes > 0 { try finish(.baseChunk) }
    let end = LogBaseEnd(
      horizon: content.lastToken,
      recordCount: count,
      highestKey: last.highestKey,
      greatestNumbers: schema.entities.map { last.table.greatestNumber(of: $0.name) }
    )
    append { end.encode(to: &$0) }
    try finish(.baseEnd)
    try write(copyOf: schema.schema, since: 1, header: header)
  }
}

extension LogContent {
  /// A digest of all records in their order, to compare two contents.
  ///
  /// - Complexity: O(size of the records).
  func digest() throws -> ContentDigest {
    var digest = ContentDigest.Builder()
    var payload = PayloadWriter(capacity: LogFormat.partBytes)
    var items = LogItemEncoder(schema)
    for entity in schema.entities {
      let table = table.reader(entity: entity.name)
      try table.forEachRow { row in
        try items.append(row: row, of: entity, in: table, to: &payload)
        guard payload.count >= LogFormat.partBytes else { return }
        payload.withContent { digest.add($0) }
        payload.shorten(to: 0)
      }
    }
    payload.withContent { digest.add($0) }
    return digest.digest()
  }
}

extension LogItemEncoder {
  /// Appends a record from its row in a table.
  mutating func append(
    row: Int,
    of entity: LogEntity,
    in table: RowReader,
    to payload: inout PayloadWriter
  ) throws {
    _ = try begin(LogItem.insert, table.identifier(row: row), &payload)
    let bitmap = payload.count
    payload.appendZeros(entity.bitmapBytes)
    for (slot, kind) in entity.kinds.enumerated() where !table.isNull(row: row, slot: slot) {
      payload.setBits(1 << UInt8(slot & 7), at: bitmap + slot >> 3)
      if kind == .text || kind == .json {
        table.withText(row: row, slot: slot) {
          payload.append(sized: UnsafeRawBufferPointer($0))
        }
      } else {
        try append(table.value(row: row, slot: slot), kind, &payload)
      }
    }
  }
}
