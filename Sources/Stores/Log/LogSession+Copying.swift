import OpenSwiftData

extension LogSession {
  /// Writes the kept transactions up to the horizon, as history only.
  ///
  /// - Parameters:
  ///   - content: The log to copy from.
  ///   - tokens: The transactions to keep, in order.
  ///   - file: The file of that log.
  ///   - writer: The writer of the new file.
  /// - Throws: The errors of reading and writing.
  func copyPast(
    of content: LogContent,
    _ tokens: [Int64],
    from file: OpenFile,
    to writer: LogFrameWriter
  ) throws {
    let kept = Set(tokens)
    guard let last = tokens.last else { return }
    var written: UInt64?
    func copy(_ place: LogKeptHistory.Place, _ kind: LogFormat.FrameKind, _ frame: LogFrame) throws
    {
      guard kept.contains(place.token) else { return }
      let schema = place.formerSchema ?? place.schema
      if !kind.isPart, schema.checksum != written {
        try writer.write(past: schema.schema)
        written = schema.checksum
      }
      guard let past = kind.past else { return }
      try copyNote(of: content, kind, frame, to: writer)
      writer.append { $0.append(raw: frame.payload) }
      try writer.finish(past, continues: frame.header.continues)
    }
    try forEachPastFrame(of: content, in: file, copy)
    try forEachFrame(of: content, after: content.horizon, through: last, in: file, copy)
  }

  /// Writes the transactions after a token unchanged.
  func copyHistory(
    of content: LogContent,
    after token: Int64,
    from file: OpenFile,
    to writer: LogFrameWriter
  ) throws {
    try forEachFrame(of: content, after: token, in: file) { _, kind, frame in
      try copyNote(of: content, kind, frame, to: writer)
      writer.append { $0.append(raw: frame.payload) }
      try writer.finish(kind, continues: frame.header.continues)
    }
  }

  /// Writes the note of the transaction that begins with the frame, if it has one.
  private func copyNote(
    of content: LogContent,
    _ kind: LogFormat.FrameKind,
    _ frame: LogFrame,
    to writer: LogFrameWriter
  ) throws {
    guard !kind.isPart, !content.notes.isEmpty else { return }
    var reader = PayloadReader(frame.payload)
    let head = try LogTransactionHead(from: &reader)
    if let note = content.notes[head.id] { try writer.write(note) }
  }

  /// Receives the transaction's place, the kind of the frame, and the frame.
  typealias FrameVisitor = (LogKeptHistory.Place, LogFormat.FrameKind, LogFrame) throws -> Void

  /// Visits the frames of the transactions that are history only.
  func forEachPastFrame(of content: LogContent, in file: OpenFile, _ body: FrameVisitor) throws {
    guard let range = content.past.range else { return }
    var index = -1
    try scan(range, in: file, salt: content.header.salt) { frame in
      guard let kind = LogFormat.FrameKind(rawValue: frame.header.kind)?.present else { return }
      if !kind.isPart { index += 1 }
      guard content.past.places.indices.contains(index) else {
        throw PayloadError(reason: "the history has changed")
      }
      try body(content.past.places[index], kind, frame)
    }
  }

  /// Visits the frames of the transactions after `first`, up to and including `last`.
  func forEachFrame(
    of content: LogContent,
    after first: Int64,
    through last: Int64 = .max,
    in file: OpenFile,
    _ body: FrameVisitor
  ) throws {
    let end = last < content.lastToken ? content.offset(after: last) : content.committedOffset
    let start = content.offset(after: first)
    guard start < end else { return }
    var token = max(first, content.horizon)
    var place: LogKeptHistory.Place?
    try scan(start..<end, in: file, salt: content.header.salt) { frame in
      guard let kind = LogFormat.FrameKind(rawValue: frame.header.kind), kind.isTransaction else {
        return
      }
      if !kind.isPart {
        token += 1
        place = Self.place(of: token, isMigration: kind == .migration, in: content, frame)
      }
      guard let place else { throw PayloadError(reason: "missing start of the transaction") }
      try body(place, kind, frame)
    }
  }

  private static func place(
    of token: Int64,
    isMigration: Bool,
    in content: LogContent,
    _ frame: LogFrame
  ) -> LogKeptHistory.Place {
    LogKeptHistory.Place(
      token: token,
      offset: frame.offset,
      endOffset: frame.endOffset,
      // The changes of a migration are written under its new schema.
      schema: content.schema(at: isMigration ? token + 1 : token),
      formerSchema: isMigration ? content.schema(at: token) : nil
    )
  }

  /// Visits the frames of a range that was read before.
  ///
  /// - Throws: `LogDamage` if they have changed, and for a `PayloadError` of `body`.
  private func scan(
    _ range: Range<Int>,
    in file: OpenFile,
    salt: UInt64,
    _ body: (LogFrame) throws -> Void
  ) throws {
    var scanner = try LogScanner(fileSystem, file, at: range, salt: salt)
    while let frame = try scanner.next() {
      try Interruption.check()
      do {
        try body(frame)
      } catch let error as PayloadError {
        throw LogDamage.nonsense(
          offset: frame.offset,
          sequence: frame.header.sequence,
          reason: error.reason
        )
      }
    }
    guard scanner.end == .clean else {
      throw LogDamage.damagedMiddle(
        offset: scanner.offset,
        afterSequence: scanner.chain.sequence,
        laterOffset: nil
      )
    }
  }
}
