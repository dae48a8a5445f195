/// How much two versions of a record with the same key agree in their other values.
///
/// The rule by which a key that may be on another record now is checked, in files without identifiers and in tables
/// whose keys are numbers. Numbers are expected to change; a different word tells more.
package struct RecordLikeness {
  /// The number of fields in which one of the versions has a value.
  private var sharedCount = 0
  private var equalCount = 0
  /// True if other values than numbers differ.
  private var hasWord = false

  /// Likens nothing yet.
  package init() {}

  /// Likens two versions of a record by the values in some fields.
  package init(_ one: [Value], _ other: [Value], in slots: [Int]) {
    for slot in slots {
      if one[slot] == other[slot] {
        if !one[slot].isNull { add(isEqual: true) }
        continue
      }
      let texts = (one[slot].spelledAlike, other[slot].spelledAlike)
      if texts == ("", "") { continue }
      func isWord(_ text: String) -> Bool { !text.isEmpty && SpelledNumber(text.utf8) == nil }
      add(isEqual: texts.0 == texts.1, isWord: isWord(texts.0) || isWord(texts.1))
    }
  }

  /// Adds a field in which one of the versions has a value.
  ///
  /// - Parameters:
  ///   - isEqual: True if both have the same.
  ///   - isWord: True if one of them has something else than a number.
  package mutating func add(isEqual: Bool, isWord: @autoclosure () -> Bool = false) {
    sharedCount += 1
    if isEqual { equalCount += 1 } else if !hasWord { hasWord = isWord() }
  }

  /// True if less than half of the values agree.
  package var isLittle: Bool { 2 * equalCount < sharedCount }

  /// True if hardly anything but the key agrees, so that even an identifier is on another record.
  package var contradictsIdentifiers: Bool { sharedCount > 1 && equalCount == 0 && hasWord }

  /// True if that is so for a key that others may get, such as a number that counts.
  package var contradictsNames: Bool {
    contradictsIdentifiers || (isLittle && hasWord && sharedCount - equalCount > 1)
  }
}
