import OpenSwiftData

/// A version of a file, divided into records as they are written.
struct MergeText {
  typealias Bytes = ArraySlice<UInt8>

  /// The names of the columns and members of all versions, each with a number.
  struct Names {
    private(set) var all: [[UInt8]] = []
    private var numbers: [[UInt8]: Int] = [:]
    /// In the name of a column without one of its own; no text has this byte.
    static let unnamed: UInt8 = 0xFE

    mutating func number(of name: [UInt8]) -> Int {
      if let known = numbers[name] { return known }
      numbers[name] = all.count
      all.append(name)
      return all.count - 1
    }

    /// The number of a name; nil if no version has it.
    func number(of name: String) -> Int? { numbers[Array(name.utf8)] }

    func text(of number: Int) -> String {
      String(decoding: all[number].prefix { $0 != Self.unnamed }, as: UTF8.self)
    }
  }

  struct Record {
    /// What stands before it: blanks, blank lines, comments.
    var lead: Bytes = []
    var text: Bytes = []
    /// What ends it, without a comma.
    var end: Bytes = []
    /// As written, by the numbers of their names.
    var values: [Bytes?] = []

    subscript(_ name: Int) -> Bytes? {
      get { name < values.count ? values[name] : nil }
      set {
        while values.count <= name { values.append(nil) }
        values[name] = newValue
      }
    }
  }

  let syntax: MergeSyntax
  /// The byte order mark, if there is one.
  let mark: Bytes
  let lineBreak: Bytes
  /// What stands before the header and the records.
  private(set) var head: Bytes = []
  /// The line with the names of the columns, if there is one.
  private(set) var header: Record?
  /// The columns of separated values, in order.
  private(set) var columns: [Int] = []
  private(set) var records: [Record] = []
  private(set) var tail: Bytes = []
  /// True if the last line has no end; here it has one all the same.
  private(set) var isUnended = false

  /// Divides a text.
  ///
  /// - Throws: `MergeRefusal`, and the errors of a text that cannot be read.
  /// - Complexity: O(n).
  init(_ whole: [UInt8], _ form: MergeForm, _ names: inout Names) throws {
    let bytes = TextEncoding.withoutMark(whole)
    mark = whole[..<(whole.count - bytes.count)]
    var delimited: DelimitedText?
    if case .separated(let options, let promised) = form {
      delimited = try DelimitedText(reading: whole, promised: promised, options: options)
    }
    guard String(validating: bytes, as: UTF8.self) != nil, delimited?.bytes ?? bytes == bytes else {
      throw MergeRefusal("the text is not UTF-8")
    }
    syntax = MergeSyntax(delimited?.syntax)
    let feed = bytes.firstIndex(of: syntax.lineEnd) ?? 0
    let isPair = feed > 0 && bytes[feed - 1] == 0x0D
    lineBreak = isPair ? [0x0D, syntax.lineEnd] : [syntax.lineEnd]
    if let delimited {
      try divide(delimited, &names)
    } else if form == .lines {
      try divideLines(bytes, &names)
    } else {
      try divideJSON(bytes, &names)
    }
  }

  /// The ancestor of a file that both sides have added.
  init(noneLike other: MergeText) {
    (syntax, mark, lineBreak) = (other.syntax, [], other.lineBreak)
  }

  // MARK: Forms

  private mutating func divide(_ text: DelimitedText, _ names: inout Names) throws {
    guard !text.syntax.joinsDelimiters, !text.hasTrailingDelimiter else {
      throw MergeRefusal("values are divided by several blanks, or lines end with a delimiter")
    }
    let (bytes, lines) = (text.bytes, try Self.lines(text.bytes, text.syntax, from: text.start))
    let cells = lines.first?.fields.map { text.hasHeader ? syntax.exact(bytes[$0]) : [] } ?? []
    columns = cells.enumerated().map { place, cell in
      let isPlain = cell.contains { $0 > 0x20 && $0 != MergeSyntax.emptyText }
      let isOnly = cells.count { $0 == cell } == 1
      return names.number(
        of: isPlain && isOnly ? cell : cell + [Names.unnamed, UInt8(place % 100)]
      )
    }
    divide(bytes, lines.map(\.range), text.start..<bytes.count)
    for (place, line) in lines.enumerated() {
      guard line.fields.count == columns.count else {
        throw MergeRefusal(
          "row \(place + 1) has \(line.fields.count) values, row 1 \(columns.count)"
        )
      }
      for (column, field) in zip(columns, line.fields) { records[place][column] = bytes[field] }
    }
    if text.hasHeader { header = records.removeFirst() }
  }

  private mutating func divideLines(_ bytes: [UInt8], _ names: inout Names) throws {
    let lines = try Self.lines(bytes, DelimitedSyntax(delimiter: nil, quote: nil), from: 0)
    divide(bytes, lines.map(\.range), 0..<bytes.count)
    for (place, line) in lines.enumerated() {
      var reader = JSONReader(Array(bytes[line.range]))
      guard reader.isAtObject else {
        throw MergeRefusal("record \(place + 1) is not a JSON object")
      }
      try records[place].takeMembers(&reader, from: line.range.lowerBound, of: bytes, &names)
      guard reader.isAtEnd else { throw MergeRefusal("record \(place + 1): text after the object") }
    }
  }

  private static func lines(_ bytes: [UInt8], _ syntax: DelimitedSyntax, from start: Int) throws
    -> [(range: Range<Int>, fields: [Range<Int>])]
  {
    var scanner = DelimitedScanner(syntax)
    return try bytes.withUnsafeBufferPointer { bytes in
      let found = try scanner.records(in: bytes, from: start, isLast: true)
      return (0..<found.count).map(found.record).map { record in
        (record.range, record.fields.map { found.field($0).range })
      }
    }
  }

  private mutating func divideJSON(_ bytes: [UInt8], _ names: inout Names) throws {
    var reader = JSONReader(bytes)
    var arrays: [(inside: Range<Int>, records: [(Range<Int>, Record)])] = []
    func takeArray(_ reader: inout JSONReader) throws {
      let start = reader.position + 1
      var found: [(Range<Int>, Record)] = []
      var hasOthers = false
      try reader.forEachElement { reader in
        hasOthers = !reader.isAtObject || hasOthers
        if hasOthers { return _ = try reader.skip() }
        let start = reader.position
        var record = Record()
        try record.takeMembers(&reader, from: 0, of: bytes, &names)
        found.append((start..<reader.position, record))
      }
      if !hasOthers { arrays.append((start..<(reader.position - 1), found)) }
    }
    if reader.isAtArray {
      try takeArray(&reader)
    } else if reader.isAtObject {
      try reader.forEachMember { key, reader in
        if key == JSONHeader.key, reader.isAtObject { throw MergeRefusal("the file is a catalog") }
        if reader.isAtArray { try takeArray(&reader) } else { _ = try reader.skip() }
      }
    }
    guard reader.isAtEnd, arrays.count == 1 else {
      throw MergeRefusal("a file of one array of objects is required")
    }
    divide(bytes, arrays[0].records.map(\.0), arrays[0].inside, isJSON: true)
    for (place, found) in arrays[0].records.enumerated() { records[place].values = found.1.values }
  }

  /// Divides what stands between records: a line end belongs to the record before it, the rest to the next one.
  private mutating func divide(
    _ bytes: [UInt8],
    _ ranges: [Range<Int>],
    _ all: Range<Int>,
    isJSON: Bool = false
  ) {
    func cut(_ gap: Range<Int>) -> Int {
      bytes[gap].firstIndex(of: syntax.lineEnd).map { $0 + 1 } ?? gap.lowerBound
    }
    var start = cut(all.lowerBound..<(ranges.first?.lowerBound ?? all.upperBound))
    head = bytes[..<start]
    for (place, range) in ranges.enumerated() {
      let next = place + 1 < ranges.count ? ranges[place + 1].lowerBound : all.upperBound
      let comma = isJSON ? bytes[range.upperBound..<next].firstIndex(of: 0x2C) : nil
      let after = comma.map { $0 + 1 } ?? range.upperBound
      let end = cut(after..<next)
      records.append(
        Record(lead: bytes[start..<range.lowerBound], text: bytes[range], end: bytes[after..<end])
      )
      start = end
    }
    tail = bytes[start...]
    guard !isJSON, let last = records.indices.last, records[last].end.isEmpty else { return }
    records[last].end = lineBreak
    isUnended = true
  }

  /// What stands outside the records, without blank lines and the white space of JSON.
  var surroundings: [[UInt8]] {
    if syntax.delimited == nil { return [syntax.exact(head), syntax.exact(tail)] }
    return ([head] + records.map(\.lead) + [tail]).flatMap { $0.split { $0 == 0x0A || $0 == 0x0D } }
      .filter { $0.contains { $0 > 0x20 } }.map(Array.init)
  }
}

extension MergeText.Record {
  /// Reads the members of an object, whose text begins at an offset.
  fileprivate mutating func takeMembers(
    _ reader: inout JSONReader,
    from start: Int,
    of bytes: [UInt8],
    _ names: inout MergeText.Names
  ) throws {
    try reader.forEachMember { key, reader in
      let value = try reader.skip()
      self[names.number(of: Array(key.utf8))] =
        bytes[(start + value.lowerBound)..<(start + value.upperBound)]
    }
  }
}
