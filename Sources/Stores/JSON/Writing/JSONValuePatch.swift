import OpenSwiftData

/// Writes the new JSON of a member over the old one: parts with the same content keep their spelling and layout.
///
/// Members and elements are compared by their place and their names. Where the order of members differs, the new
/// text is written as it is.
enum JSONValuePatch {
  private typealias Text = UnsafeBufferPointer<UInt8>

  /// Appends the new value.
  ///
  /// - Parameters:
  ///   - new: Valid JSON without white space between its tokens.
  ///   - old: The text in the file, which is valid JSON.
  ///   - indent: The indentation of a value that is new or has no layout of its own; nil for one line.
  ///   - output: What it is appended to.
  static func put(
    _ new: UnsafeBufferPointer<UInt8>,
    over old: UnsafeBufferPointer<UInt8>,
    _ indent: JSONIndent?,
    to output: inout JSONOutput
  ) {
    if hasContent(old, of: new) { return output.put(old) }
    switch (old.first, new.first) {
    case (UInt8(ascii: "{"), UInt8(ascii: "{")): putObject(new, over: old, indent, to: &output)
    case (UInt8(ascii: "["), UInt8(ascii: "[")): putArray(new, over: old, indent, to: &output)
    default: output.put(new, indent)
    }
  }

  /// True if the text is the compact one with white space between its tokens.
  private static func hasContent(_ text: Text, of compact: Text) -> Bool {
    var place = 0
    var isInString = false
    var isEscaped = false
    for byte in text {
      if !isInString, byte <= 0x20 { continue }
      guard place < compact.count, compact[place] == byte else { return false }
      place += 1
      if isEscaped {
        isEscaped = false
      } else if byte == UInt8(ascii: "\\") {
        isEscaped = true
      } else if byte == UInt8(ascii: "\"") {
        isInString.toggle()
      }
    }
    return place == compact.count
  }

  // MARK: Objects

  private static func putObject(
    _ new: Text,
    over old: Text,
    _ indent: JSONIndent?,
    to output: inout JSONOutput
  ) {
    let (former, later) = (JSONRecordText(old), JSONRecordText(new))
    guard let style = JSONStyle(former), !later.members.isEmpty,
      let places = places(of: later, in: former)
    else { return output.put(new, former.members.isEmpty || old.hasLines ? indent : nil) }
    output.put("{")
    output.put(style.open)
    var previous: Int?
    for (number, member) in later.members.enumerated() {
      let place = places[number]
      if number > 0 {
        if let place, let previous, place == previous + 1 {
          output.put(
            old[former.members[previous].value.upperBound..<former.members[place].key.lowerBound]
          )
        } else {
          output.put(style.comma)
        }
      }
      previous = place
      output.put(new[member.key])
      guard let place else {
        output.put(style.colon)
        output.put(Text(rebasing: new[member.value]), style.indent)
        continue
      }
      let known = former.members[place]
      output.put(old[known.key.upperBound..<known.value.lowerBound])
      let value = Text(rebasing: new[member.value])
      put(value, over: Text(rebasing: old[known.value]), style.indent, to: &output)
    }
    output.put(style.close)
    output.put("}")
  }

  /// The place of each member in the former object, nil for a new one; nil if the members have another order.
  private static func places(of later: JSONRecordText, in former: JSONRecordText) -> [Int?]? {
    var known: [[UInt8]: Int] = [:]
    for (place, member) in former.members.enumerated() {
      known[Array(former.text[member.key])] = place
    }
    let places = later.members.map { known[Array(later.text[$0.key])] }
    let kept = places.compactMap { $0 }
    return zip(kept, kept.dropFirst()).allSatisfy(<) ? places : nil
  }

  // MARK: Arrays

  private static func putArray(
    _ new: Text,
    over old: Text,
    _ indent: JSONIndent?,
    to output: inout JSONOutput
  ) {
    let (former, later) = (JSONElements(old), JSONElements(new))
    guard let first = former.ranges.first, let last = former.ranges.last, !later.ranges.isEmpty
    else { return output.put(new, later.ranges.isEmpty ? nil : indent) }
    let places = places(of: later, in: former)
    let open = old[1..<first.lowerBound]
    let inner = JSONIndent(
      open: open,
      close: old[last.upperBound..<(old.count - 1)],
      colon: indent?.colon ?? Array(": ".utf8),
      values: former.ranges.lazy.map { old[$0] }
    )
    let comma =
      former.ranges.count > 1
      ? Array(old[first.upperBound..<former.ranges[1].lowerBound]) : [UInt8(ascii: ",")] + open
    output.put("[")
    output.put(open)
    var previous: Int?
    for (number, range) in later.ranges.enumerated() {
      let place = places[number]
      if number > 0 {
        if let place, let previous, place == previous + 1 {
          output.put(old[former.ranges[previous].upperBound..<former.ranges[place].lowerBound])
        } else {
          output.put(comma)
        }
      }
      previous = place
      let element = Text(rebasing: new[range])
      if let place {
        put(element, over: Text(rebasing: old[former.ranges[place]]), inner, to: &output)
      } else {
        output.put(element, inner)
      }
    }
    output.put(old[last.upperBound...])
  }

  /// The place of each element in the former array: those at both ends that are the same, and those between in order.
  private static func places(of later: JSONElements, in former: JSONElements) -> [Int?] {
    let (count, formerCount) = (later.ranges.count, former.ranges.count)
    func isSame(_ place: Int, _ formerPlace: Int) -> Bool {
      hasContent(
        Text(rebasing: former.text[former.ranges[formerPlace]]),
        of: Text(rebasing: later.text[later.ranges[place]])
      )
    }
    let shorter = min(count, formerCount)
    let start = (0..<shorter).first { !isSame($0, $0) } ?? shorter
    let rest = shorter - start
    let end = (0..<rest).first { !isSame(count - 1 - $0, formerCount - 1 - $0) } ?? rest
    return (0..<count).map { place in
      if place >= count - end { return place - count + formerCount }
      return place < formerCount - end ? place : nil
    }
  }
}

/// The elements of an array as written; the text is known to be a JSON array.
private struct JSONElements {
  let text: UnsafeBufferPointer<UInt8>
  private(set) var ranges: [Range<Int>] = []

  init(_ text: UnsafeBufferPointer<UInt8>) {
    self.text = text
    var position = 1
    while true {
      while text[position] <= 0x20 || text[position] == UInt8(ascii: ",") { position += 1 }
      if text[position] == UInt8(ascii: "]") { return }
      let end = text.endOfJSONValue(from: position)
      ranges.append(position..<end)
      position = end
    }
  }
}

extension UnsafeBufferPointer<UInt8> {
  /// True if the text goes on over several lines.
  fileprivate var hasLines: Bool { contains(UInt8(ascii: "\n")) }

  /// The end of the JSON string that begins at the place.
  func endOfJSONString(from start: Int) -> Int {
    var position = start + 1
    while self[position] != UInt8(ascii: "\"") {
      position += self[position] == UInt8(ascii: "\\") ? 2 : 1
    }
    return position + 1
  }

  /// The end of the JSON value that begins at the place, inside an object or array.
  func endOfJSONValue(from start: Int) -> Int {
    var position = start
    var depth = 0
    while true {
      switch self[position] {
      case UInt8(ascii: "\""):
        position = endOfJSONString(from: position) - 1
        if depth == 0 { return position + 1 }
      case UInt8(ascii: "{"), UInt8(ascii: "["): depth += 1
      case UInt8(ascii: "}"), UInt8(ascii: "]"):
        if depth == 0 { return position }
        depth -= 1
        if depth == 0 { return position + 1 }
      case UInt8(ascii: ","), 0...0x20:
        if depth == 0 { return position }
      default: break
      }
      position += 1
    }
  }
}
