import Foundation
import OpenSwiftData

// Every `put` appends if the row is the next one, and replaces the value otherwise.

extension Column {
  mutating func putNull(at row: Int) {
    if isWide {
      // A row without an index has no value; between other rows it needs one.
      guard place(of: row) != nil else { return }
      makeDense()
    }
    forget(row)
    if row < count, !nulls[row] {
      nulls[row] = true
      clear(row)
    } else if row == count {
      appendNull()
    }
  }

  /// Puts the bits of an integer, a floating-point number or a date and time.
  @inline(__always)
  mutating func put(word: UInt64, at row: Int) {
    store(word: word, at: placeToPut(row))
  }

  @inline(__always)
  private mutating func store(word: UInt64, at row: Int) {
    if row == count { words.append(word) } else { words[row] = word }
    putPresent(row)
  }

  mutating func put(boolean: Bool, at row: Int) {
    let row = placeToPut(row)
    if row == count { flags.append(boolean) } else { flags[row] = boolean }
    putPresent(row)
  }

  mutating func put(days value: Int32, at row: Int) {
    let row = placeToPut(row)
    if row == count { days.append(value) } else { days[row] = value }
    putPresent(row)
  }

  mutating func put(uuid: UUID, at row: Int) {
    let row = placeToPut(row)
    let (high, low) = uuid.words
    if row == count {
      words.append(high)
      words.append(low)
    } else {
      words[2 * row] = high
      words[2 * row + 1] = low
    }
    putPresent(row)
  }

  mutating func put(link: PersistentIdentifier, at row: Int) {
    let row = placeToPut(row)
    if row == count { identifiers.append(link) } else { identifiers[row] = link }
    putPresent(row)
  }

  /// Puts a text; the bytes must be valid UTF-8.
  mutating func put(utf8 text: UnsafeBufferPointer<UInt8>, at row: Int) {
    let row = placeToPut(row)
    forget(row)
    if row < count { movedRows.append(Int32(row)) }
    let span = Span(start: bytes.count, count: text.count)
    bytes.append(contentsOf: text)
    store(word: span.packed, at: row)
  }

  mutating func put(links: [PersistentIdentifier], at row: Int) {
    let row = placeToPut(row)
    forget(row)
    let span = Span(start: identifiers.count, count: links.count)
    identifiers += links
    store(word: span.packed, at: row)
  }

  mutating func put(decimal: Decimal, at row: Int) {
    let row = placeToPut(row)
    forget(row)
    if let compact = CompactDecimal(decimal) {
      store(compact, at: row)
    } else {
      decimals.append(decimal)
      let mark = CompactDecimal.largeMark
      store(CompactDecimal(mantissa: Int64(decimals.count - 1), exponent: mark), at: row)
    }
  }

  /// Puts a decimal in its shortest form.
  @inline(__always)
  mutating func put(compact: CompactDecimal, at row: Int) {
    let row = placeToPut(row)
    forget(row)
    store(compact, at: row)
  }

  /// Puts a value of the column's kind, or null.
  ///
  /// - Precondition: `RecordTable.validate(_:)` accepts the value.
  mutating func put(_ value: Value, at row: Int) {
    if value.isNull { return putNull(at: row) }
    precondition(value.kind == kind, "a value of another kind than its column: validate first")
    switch value {
    case .text(var text), .json(var text): text.withUTF8 { put(utf8: $0, at: row) }
    case .decimal(let value): put(decimal: value, at: row)
    case .uuid(let value): put(uuid: value, at: row)
    case .links(let values): put(links: values, at: row)
    case .boolean(let value): put(boolean: value, at: row)
    case .date(let value): put(days: value.daysSince1970, at: row)
    case .link(let value): put(link: value, at: row)
    default: put(word: value.bits, at: row)
    }
  }

  /// Removes the value of the row, which is the last row of the table.
  mutating func remove(lastRow row: Int) {
    if let last = placedRows?.last {
      guard last == row else { return }
      placedRows?.removeLast()
      removeLast()
    } else {
      while count > row { removeLast() }
    }
  }

  private mutating func removeLast() {
    forget(count - 1)
    count -= 1
    nulls.removeLast()
    switch layout {
    case .whole, .float, .bytes, .links: words.removeLast()
    case .pair: words.removeLast(2)
    case .decimal:
      words.removeLast()
      exponents.removeLast()
    case .flag: flags.removeLast()
    case .days: days.removeLast()
    case .link: identifiers.removeLast()
    }
  }

  /// Appends the rows of another column of the same kind; both are dense.
  ///
  /// - Complexity: O(n), at the speed of copying.
  mutating func append(contentsOf other: Column) {
    precondition(kind == other.kind && !isWide && !other.isWide, "dense columns of one kind")
    let start = count
    let side = UInt64(layout == .links ? identifiers.count : bytes.count) << 28
    other.nulls.words.withUnsafeBufferPointer { nulls.append(words: $0, count: other.count) }
    other.flags.words.withUnsafeBufferPointer { flags.append(words: $0, count: other.flags.count) }
    count += other.count
    movedRows += other.movedRows.map { $0 + Int32(start) }
    wastedCount += other.wastedCount
    switch layout {
    case .bytes, .links:
      // Empty texts and lists refer to nothing.
      words += other.words.lazy.map { Span(packed: $0).count == 0 ? 0 : $0 + side }
    case .decimal:
      words += zip(other.words, other.exponents).lazy.map {
        $1 == CompactDecimal.largeMark ? $0 + UInt64(decimals.count) : $0
      }
    default: words += other.words
    }
    exponents += other.exponents
    decimals += other.decimals
    days += other.days
    bytes += other.bytes
    identifiers += other.identifiers
  }

  /// A column of these rows in this order, without unreferenced elements of the side arrays.
  ///
  /// - Complexity: O(n) in the rows and their bytes.
  func gathering(_ rows: [Int32], isWide: Bool) -> Column {
    var result = Column(kind, isWide: isWide)
    result.reserve(rows.count)
    for (place, source) in rows.enumerated() {
      guard let row = self.place(of: Int(source)), !nulls[row] else {
        result.putNull(at: place)
        continue
      }
      switch layout {
      case .whole, .float: result.put(word: words[row], at: place)
      case .bytes: withText(at: Int(source)) { result.put(utf8: $0, at: place) }
      default: result.put(value(at: Int(source)), at: place)
      }
    }
    return result
  }

  private mutating func store(_ decimal: CompactDecimal, at row: Int) {
    if row == count {
      exponents.append(decimal.exponent)
    } else {
      exponents[row] = decimal.exponent
    }
    store(word: UInt64(bitPattern: decimal.mantissa), at: row)
  }

  @inline(__always)
  private mutating func putPresent(_ row: Int) {
    if row == count {
      nulls.append(false)
      count += 1
    } else {
      assert(row < count, "rows are filled in order")
      nulls[row] = false
    }
  }

  /// Counts the row's elements in a side array as wasted, before the row is changed.
  @inline(__always)
  private mutating func forget(_ row: Int) {
    guard row < count, !nulls[row] else { return }
    switch layout {
    case .bytes, .links: wastedCount += Span(packed: words[row]).count
    case .decimal where exponents[row] == CompactDecimal.largeMark: wastedCount += 1
    default: break
    }
  }

  /// Overwrites the value of the row with zeros.
  private mutating func clear(_ row: Int) {
    switch layout {
    case .whole, .float, .bytes, .links: words[row] = 0
    case .pair:
      words[2 * row] = 0
      words[2 * row + 1] = 0
    case .decimal:
      words[row] = 0
      exponents[row] = 0
    case .flag: flags[row] = false
    case .days: days[row] = 0
    case .link: identifiers[row] = Self.noIdentifier
    }
  }

  /// Assigns the next index to a row without a value.
  mutating func appendNull() {
    appendZeros()
    nulls.append(true)
    count += 1
  }

  mutating func appendZeros() {
    switch layout {
    case .whole, .float, .bytes, .links: words.append(0)
    case .pair: words += [0, 0]
    case .decimal:
      words.append(0)
      exponents.append(0)
    case .flag: flags.append(false)
    case .days: days.append(0)
    case .link: identifiers.append(Self.noIdentifier)
    }
  }
}
