import Foundation
import OpenSwiftData

// The values of a section.
extension LogColumnEncoder {
  /// Appends the values of rows, with zeros for those without a value.
  func append(
    _ column: Column,
    _ rows: Range<Int>,
    _ header: inout LogSectionHeader
  ) throws {
    header.encoding = column.layout.encoding.rawValue
    switch column.layout {
    case .whole:
      header.width = column.words[rows].withUnsafeBytes {
        section.append(shortest: $0.bindMemory(to: Int64.self))
      }
    case .float:
      header.width = 8
      column.words[rows].withUnsafeBytes { section.append(raw: $0) }
    case .days:
      header.width = column.days[rows].withUnsafeBufferPointer { section.append(shortest: $0) }
    case .bytes: header.width = appendTexts(of: column, rows)
    case .decimal: appendDecimals(of: column, rows)
    case .flag: section.append(bits: column.flags, rows)
    case .pair:
      column.words[2 * rows.lowerBound..<2 * rows.upperBound].withUnsafeBytes {
        section.append(raw: $0)
      }
    case .link:
      let present = rows.lazy.map { column.nulls[$0] ? nil : column.identifiers[$0] }
      header.width = try append(links: present)
    case .links:
      let spans = column.words[rows].map { Span(packed: $0) }
      for span in spans { section.append(fixed: UInt32(span.count)) }
      section.pad()
      let links = spans.lazy.flatMap { column.identifiers[$0.range] }.map { Optional($0) }
      header.width = try append(links: Array(links))
    }
  }

  /// Appends the sizes of texts, then the texts; returns the bytes of a size.
  private func appendTexts(of column: Column, _ rows: Range<Int>) -> UInt8 {
    let spans = column.words[rows].map { Span(packed: $0) }
    let longest = spans.reduce(0) { max($0, $1.count) }
    let width: UInt8 = longest <= UInt8.max ? 1 : longest <= UInt16.max ? 2 : 4
    for span in spans {
      switch width {
      case 1: section.append(byte: UInt8(span.count))
      case 2: section.append(fixed: UInt16(span.count))
      default: section.append(fixed: UInt32(span.count))
      }
    }
    section.pad()
    column.bytes.withUnsafeBytes { bytes in
      // Texts that follow each other are copied together.
      var run = 0..<0
      for span in spans where span.count > 0 {
        if span.start == run.upperBound {
          run = run.lowerBound..<span.range.upperBound
        } else {
          section.append(raw: UnsafeRawBufferPointer(rebasing: bytes[run]))
          run = span.range
        }
      }
      section.append(raw: UnsafeRawBufferPointer(rebasing: bytes[run]))
    }
    return width
  }

  /// Appends mantissas, exponents, and the texts of the decimals that do not fit into them.
  private func appendDecimals(of column: Column, _ rows: Range<Int>) {
    var large: [Int] = []
    for row in rows {
      let isLarge = column.exponents[row] == CompactDecimal.largeMark
      if isLarge { large.append(row) }
      section.append(fixed: isLarge ? 0 : column.words[row])
    }
    column.exponents[rows].withUnsafeBytes { section.append(raw: $0) }
    section.pad()
    for row in large {
      section.append(text: column.decimals[Int(column.words[row])].description)
    }
  }

  /// Appends links; returns the kind of their keys, or 0 if the keys or entities differ.
  private func append(links: some Sequence<PersistentIdentifier?>) throws -> UInt8 {
    let items = LogItemEncoder(schema)
    guard let first = links.first(where: { $0 != nil }) ?? nil, !first.isTemporary,
      LogKeyCodec.kind(of: first) != LogKeyKind.text,
      let entity = schema.index(of: first.entityName)
    else {
      for case let link? in links { try items.append(link: link, &section) }
      return 0
    }
    let kind = LogKeyCodec.kind(of: first)
    let isUniform = links.allSatisfy { link in
      guard let link else { return true }
      return link.identifierScope == first.identifierScope && link.keyKind == first.keyKind
    }
    guard isUniform else {
      for case let link? in links { try items.append(link: link, &section) }
      return 0
    }
    section.append(fixed: UInt64(entity))
    for link in links {
      let words = link?.words ?? (high: 0, low: 0)
      if kind != LogKeyKind.number { section.append(fixed: words.high) }
      section.append(fixed: words.low)
    }
    return kind
  }
}

extension ValueKind.Layout {
  /// How columns with the layout are written.
  var encoding: LogEncoding {
    switch self {
    case .whole, .float, .days: .words
    case .bytes: .texts
    case .decimal: .decimals
    case .flag: .flags
    case .pair: .pairs
    case .link: .links
    case .links: .linkLists
    }
  }
}
