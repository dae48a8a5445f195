/// Merges texts line by line, with the markers that git writes around what is in conflict.
package struct LineMerge {
  /// The result.
  package private(set) var text: [UInt8] = []
  /// The number of conflicts.
  package private(set) var conflictCount = 0
  private let lineEnd: [UInt8]

  /// Puts markers around the lines in which two versions differ.
  ///
  /// - Complexity: O(n log n) in the number of lines, and O(n²) between two lines that occur once.
  package init(ours: [UInt8], theirs: [UInt8]) {
    lineEnd = Self.lineEnd(of: ours)
    let (own, other) = (Self.lines(of: ours), Self.lines(of: theirs))
    var (start, place) = (0, 0)
    for (next, match) in LineMatching(own, other).pairs + [(own.count, other.count)] {
      addConflict(own[start..<next], other[place..<match])
      if next < own.count { text += own[next] }
      (start, place) = (next + 1, match + 1)
    }
  }

  /// Merges the changes of lines, as git does.
  ///
  /// - Complexity: O(n log n) in the number of lines, and O(n²) between two lines that occur once.
  package init(base: [UInt8], ours: [UInt8], theirs: [UInt8]) {
    lineEnd = Self.lineEnd(of: ours)
    let (former, own, other) = (Self.lines(of: base), Self.lines(of: ours), Self.lines(of: theirs))
    let inOurs = Dictionary(uniqueKeysWithValues: LineMatching(former, own).pairs)
    let inTheirs = Dictionary(uniqueKeysWithValues: LineMatching(former, other).pairs)
    var (start, ourStart, theirStart) = (0, 0, 0)
    for line in 0...former.count {
      let isEnd = line == former.count
      guard let next = isEnd ? own.count : inOurs[line],
        let match = isEnd ? other.count : inTheirs[line]
      else { continue }
      add(former[start..<line], own[ourStart..<next], other[theirStart..<match])
      if !isEnd { text += own[next] }
      (start, ourStart, theirStart) = (line + 1, next + 1, match + 1)
    }
  }

  /// True if a text has the markers of conflicts.
  package static func hasMarkers(_ text: [UInt8]) -> Bool {
    let beginnings = Set(lines(of: text).map { $0.prefix(8) })
    return ["<<<<<<< ", ">>>>>>> "].allSatisfy { beginnings.contains(ArraySlice($0.utf8)) }
  }

  private mutating func add(
    _ base: ArraySlice<[UInt8]>,
    _ ours: ArraySlice<[UInt8]>,
    _ theirs: ArraySlice<[UInt8]>
  ) {
    if ours.elementsEqual(base) {
      for line in theirs { text += line }
    } else if theirs.elementsEqual(base) || ours.elementsEqual(theirs) {
      for line in ours { text += line }
    } else {
      addConflict(ours, theirs)
    }
  }

  private mutating func addConflict(_ ours: ArraySlice<[UInt8]>, _ theirs: ArraySlice<[UInt8]>) {
    if ours.isEmpty, theirs.isEmpty { return }
    conflictCount += 1
    addLine("<<<<<<< ours")
    for line in ours { text += line }
    addLine("=======")
    for line in theirs { text += line }
    addLine(">>>>>>> theirs")
  }

  private mutating func addLine(_ marker: String) {
    if let last = text.last, last != 0x0A, last != 0x0D { text += lineEnd }
    text += Array(marker.utf8) + lineEnd
  }

  /// The lines with their ends.
  private static func lines(of text: [UInt8]) -> [[UInt8]] {
    var lines: [[UInt8]] = []
    var start = 0
    for (place, byte) in text.enumerated() where byte == 0x0A {
      lines.append(Array(text[start...place]))
      start = place + 1
    }
    if start < text.count { lines.append(Array(text[start...])) }
    return lines
  }

  private static func lineEnd(of text: [UInt8]) -> [UInt8] {
    guard let end = text.firstIndex(of: 0x0A) else { return [0x0A] }
    return end > 0 && text[end - 1] == 0x0D ? [0x0D, 0x0A] : [0x0A]
  }
}

/// The lines that two texts have in common, in the same order.
struct LineMatching {
  /// The places in both texts.
  private(set) var pairs: [(Int, Int)] = []

  init(_ one: [[UInt8]], _ other: [[UInt8]]) {
    add(one[...], other[...])
  }

  /// Cuts off what is equal at both ends, and divides the rest at lines that occur once in both.
  private mutating func add(_ one: ArraySlice<[UInt8]>, _ other: ArraySlice<[UInt8]>) {
    var (one, other) = (one, other)
    while let left = one.first, left == other.first {
      pairs.append((one.startIndex, other.startIndex))
      one.removeFirst()
      other.removeFirst()
    }
    var end: [(Int, Int)] = []
    while let left = one.last, left == other.last {
      end.append((one.endIndex - 1, other.endIndex - 1))
      one.removeLast()
      other.removeLast()
    }
    addMiddle(one, other)
    pairs += end.reversed()
  }

  private mutating func addMiddle(_ one: ArraySlice<[UInt8]>, _ other: ArraySlice<[UInt8]>) {
    if one.isEmpty || other.isEmpty { return }
    let anchors = Self.anchors(one, other)
    if anchors.isEmpty { return }
    var (start, place) = (one.startIndex, other.startIndex)
    for (next, match) in anchors + [(one.endIndex, other.endIndex)] {
      add(one[start..<next], other[place..<match])
      if next < one.endIndex { pairs.append((next, match)) }
      (start, place) = (next + 1, match + 1)
    }
  }

  /// The longest row of lines, each of which occurs once in both texts, in the order of both.
  private static func anchors(_ one: ArraySlice<[UInt8]>, _ other: ArraySlice<[UInt8]>) -> [(
    Int, Int
  )] {
    func places(_ lines: ArraySlice<[UInt8]>) -> [[UInt8]: Int?] {
      Dictionary(
        zip(lines, lines.indices).map { ($0, Optional($1)) },
        uniquingKeysWith: { _, _ in nil }
      )
    }
    let present = places(other)
    let unique = places(one).compactMap { line, place -> (Int, Int)? in
      guard let place, let match = present[line] ?? nil else { return nil }
      return (place, match)
    }.sorted { $0.0 < $1.0 }
    // The last pair of the best row of each length, and the one before each pair.
    var (ends, former): ([Int], [Int?]) = ([], [])
    for (index, pair) in unique.enumerated() {
      var (low, high) = (0, ends.count)
      while low < high {
        let middle = (low + high) / 2
        if unique[ends[middle]].1 < pair.1 { low = middle + 1 } else { high = middle }
      }
      former.append(low > 0 ? ends[low - 1] : nil)
      if low < ends.count { ends[low] = index } else { ends.append(index) }
    }
    var found: [(Int, Int)] = []
    var last = ends.last
    while let index = last {
      found.append(unique[index])
      last = former[index]
    }
    return found.reversed()
  }
}
