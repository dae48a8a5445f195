/// The members and elements of valid JSON without white space between its tokens, which are found without copies.
package struct JSONParts {
  private let bytes: UnsafeBufferPointer<UInt8>

  /// Lends the JSON for as long as this value is used.
  package init(_ bytes: UnsafeBufferPointer<UInt8>) { self.bytes = bytes }

  /// The place of a member or an element of the value in a range; nil if there is none.
  package func range(of step: JSONPath.Step, in range: Range<Int>) -> Range<Int>? {
    var found: Range<Int>?
    switch step {
    case .member(let wanted):
      forEachPart(in: range) { key, part in
        if let key, isKey(key, wanted) { found = part }
        return found == nil
      }
    case .element(let number):
      var place = number < 0 ? -elementCount(in: range) : 0
      forEachPart(in: range) { key, part in
        if key == nil, place == number { found = part }
        place += 1
        return found == nil
      }
    }
    return found
  }

  /// The number of elements of the array in a range; 0 for another value.
  package func elementCount(in range: Range<Int>) -> Int {
    var count = 0
    forEachPart(in: range) { key, _ in
      if key == nil { count += 1 }
      return true
    }
    return count
  }

  /// The name of a member.
  package func text(ofKey key: Range<Int>) -> String {
    // The key of valid JSON can be decoded.
    (try? JSONReader.unescaped(Array(bytes[key])[...])) ?? ""
  }

  /// True if a key is a name; spelled in other code points, it may be the same name.
  private func isKey(_ key: Range<Int>, _ name: String) -> Bool {
    let text = bytes[key]
    if text.count == name.utf8.count, text.elementsEqual(name.utf8) { return true }
    guard text.contains(where: { $0 >= 0x80 || $0 == UInt8(ascii: "\\") }) else { return false }
    return self.text(ofKey: key) == name
  }

  /// Calls the body with the members or elements of the value in a range until it returns false.
  ///
  /// - Parameters:
  ///   - range: The place of the value.
  ///   - body: Gets the place of the key without its quotes, nil in an array, and that of the value.
  package func forEachPart(in range: Range<Int>, _ body: (Range<Int>?, Range<Int>) -> Bool) {
    guard let open = range.first.map({ bytes[$0] }),
      open == UInt8(ascii: "{") || open == UInt8(ascii: "[")
    else { return }
    var place = range.lowerBound + 1
    let end = range.upperBound - 1
    while place < end {
      var key: Range<Int>?
      if open == UInt8(ascii: "{") {
        let stop = endOfString(from: place, before: range.upperBound)
        key = (place + 1)..<max(place + 1, stop - 1)
        place = stop + 1
      }
      let stop = endOfValue(from: place, before: range.upperBound)
      guard body(key, place..<stop) else { return }
      place = stop + 1
    }
  }

  private func endOfString(from start: Int, before end: Int) -> Int {
    var place = start + 1
    while place < end, bytes[place] != UInt8(ascii: "\"") {
      place += bytes[place] == UInt8(ascii: "\\") ? 2 : 1
    }
    return min(place + 1, end)
  }

  private func endOfValue(from start: Int, before end: Int) -> Int {
    var place = start
    var depth = 0
    while place < end {
      switch bytes[place] {
      case UInt8(ascii: "\""):
        place = endOfString(from: place, before: end)
        if depth == 0 { return place }
        continue
      case UInt8(ascii: "{"), UInt8(ascii: "["): depth += 1
      case UInt8(ascii: "}"), UInt8(ascii: "]"):
        if depth == 0 { return place }
        depth -= 1
        if depth == 0 { return place + 1 }
      case UInt8(ascii: ","): if depth == 0 { return place }
      default: break
      }
      place += 1
    }
    return end
  }
}
