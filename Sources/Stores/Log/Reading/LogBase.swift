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
  /// - Throws: What the output throws.
  func writeBase(_ content: LogContent, last: LogContent, header: LogHeader) throws {
    let schema = content.schema
    try write(schema.schema)
    let count = try writeColumns(.baseColumns, of: content.table, schema)
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

  /// Writes all records of a table in columns.
  ///
  /// - Returns: The number of records.
  func writeColumns(
    _ kind: LogFormat.FrameKind,
    of table: RecordTable,
    _ schema: LogSchema
  ) throws -> Int {
    let count = try columnEncoder(kind, continues: false, schema).encode(table)
    if payloadBytes > 0 { try finish(kind) }
    return count
  }
}

extension LogContent {
  /// A digest of all records in their order, to compare two contents.
  ///
  /// - Complexity: O(size of the records).
  func digest() throws -> ContentDigest {
    let digest = DigestOutput()
    _ = try LogColumnEncoder(schema, title: "comparing") { digest.builder.add($0) }
      .encode(table)
    return digest.builder.digest()
  }

  private final class DigestOutput {
    var builder = ContentDigest.Builder()
  }
}
