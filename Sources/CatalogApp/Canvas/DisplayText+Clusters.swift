extension DisplayText {
  /// The clusters from left to right; clipping and drawing never split one.
  package var clusters: [Cluster] {
    var result: [Cluster] = []
    result.reserveCapacity(width)
    forEachCluster { _, range, cells in
      result.append(Cluster(text: String(plain[range]), width: cells))
      return true
    }
    return result
  }

  /// Calls `body` with each cluster until it returns false: its scalar if it has only one, its range in
  /// `plain`, and its cells.
  ///
  /// Clusters follow terminals, not Unicode: a scalar with a width begins a new one.
  /// - Complexity: O(n) in the scalars visited.
  func forEachCluster(_ body: (Unicode.Scalar?, Range<String.Index>, Int) -> Bool) {
    let scalars = plain.unicodeScalars
    var start = scalars.startIndex
    var single: Unicode.Scalar?
    var cells = 0
    var flagHalves = 0
    var index = start
    while index < scalars.endIndex {
      let scalar = scalars[index]
      let kind = TextWidth.classify(scalar)
      if cells > 0, begins(kind, flagHalves: flagHalves) {
        guard body(single, start..<index, cells) else { return }
        start = index
        cells = 0
        flagHalves = 0
      }
      if kind == .regionalIndicator { flagHalves += 1 }
      single = start == index ? scalar : nil
      cells += TextWidth.width(of: kind)
      scalars.formIndex(after: &index)
    }
    if cells > 0 { _ = body(single, start..<index, cells) }
  }

  private func begins(_ kind: ScalarClass, flagHalves: Int) -> Bool {
    switch kind {
    case .spacing: true
    case .regionalIndicator: flagHalves != 1
    case .mark, .spacingMark, .jamoPart, .joiner, .skinTone, .variationSelector, .hidden: false
    }
  }
}

extension DisplayText {
  /// Returns the text as lines of at most `limit` cells, broken at spaces where there are any.
  package func wrapped(to limit: Int) -> [DisplayText] {
    guard limit > 0, width > limit else { return [self] }
    var lines: [DisplayText] = []
    var line: [Cluster] = []
    var used = 0
    for cluster in clusters {
      if used + cluster.width > limit, !line.isEmpty {
        let rest = cluster.text == " " ? [] : Self.tail(of: &line)
        lines.append(Self.joined(line))
        line = rest
        used = rest.reduce(0) { $0 + $1.width }
        if cluster.text == " " { continue }
      }
      line.append(cluster)
      used += cluster.width
    }
    lines.append(Self.joined(line))
    return lines
  }

  /// Removes and returns the unfinished word at the end of `line`; empty if the line is one word.
  private static func tail(of line: inout [Cluster]) -> [Cluster] {
    guard let space = line.lastIndex(where: { $0.text == " " }) else { return [] }
    let rest = Array(line[(space + 1)...])
    line.removeSubrange(space...)
    return rest
  }

  private static func joined(_ clusters: [Cluster]) -> DisplayText {
    DisplayText(
      plain: clusters.map(\.text).joined(),
      width: clusters.reduce(0) { $0 + $1.width }
    )
  }
}

extension DisplayText {
  /// Returns the text without its first `count` cells; half of a wide cluster leaves spaces.
  package func dropping(_ count: Int) -> DisplayText {
    guard count > 0 else { return self }
    guard count < width else { return .empty }
    if isASCII { return DisplayText(String(plain.utf8.dropFirst(count)) ?? "") }
    var skipped = 0
    var start = plain.startIndex
    forEachCluster { _, range, cells in
      guard skipped < count else { return false }
      skipped += cells
      start = range.upperBound
      return true
    }
    let rest = String(plain[start...])
    return DisplayText.spaces(skipped - count)
      + DisplayText(plain: rest, width: width - skipped)
  }

  /// Returns the text in at most `limit` cells; of a longer one, the middle is left out.
  package func shortened(to limit: Int) -> DisplayText {
    guard width > limit, limit >= 16 else { return clipped(to: limit) }
    return clipped(to: limit - limit / 2) + dropping(width - limit / 2)
  }
}
