/// A line of text being edited, as a value.
///
/// The text is kept exactly as typed or given; only the displayed text is sanitized.
package struct LineEditor: Hashable, Sendable {
  package private(set) var text: String
  /// The number of characters before the cursor.
  package private(set) var cursor: Int

  /// Starts to edit `text` with the cursor at its end.
  package init(_ text: String = "") {
    self.text = text
    cursor = text.count
  }

  /// Replaces everything and puts the cursor at the end.
  package mutating func replace(with text: String) { self = LineEditor(text) }

  /// Replaces the characters in `range`, as completion does, and puts the cursor after them.
  package mutating func replace(_ range: Range<Int>, with other: String) {
    let bounds = range.clamped(to: 0..<text.count)
    text.replaceSubrange(index(bounds.lowerBound)..<index(bounds.upperBound), with: other)
    moveCursor(
      toByte: text.utf8.distance(from: text.startIndex, to: index(bounds.lowerBound))
        + other.utf8.count
    )
  }

  /// Inserts text at the cursor.
  package mutating func insert(_ other: String) {
    let place = index(cursor)
    let offset = text.utf8.distance(from: text.startIndex, to: place) + other.utf8.count
    text.insert(contentsOf: other, at: place)
    moveCursor(toByte: offset)
  }

  /// Moves the cursor to a character, or to the nearest end.
  package mutating func move(to character: Int) { cursor = min(max(0, character), text.count) }

  /// Handles `event`; false for an event that is not for the editor.
  package mutating func handle(_ event: InputEvent) -> Bool {
    switch event {
    case .paste(let pasted):
      insert(pasted)
      return true
    case .key(let key):
      if let character = key.typed {
        insert(String(character))
        return true
      }
      return handle(key)
    default: return false
    }
  }

  /// Handles `event` for a text that always has one line: pasted text loses the end of its last line, which was copied
  /// with it, and its other ends of lines and tabs become spaces.
  package mutating func handleInOneLine(_ event: InputEvent) -> Bool {
    guard case .paste(let pasted) = event else { return handle(event) }
    var text = pasted[...]
    while text.last?.isNewline == true { text.removeLast() }
    return handle(.paste(String(text.map { $0.isNewline || $0 == "\t" ? " " : $0 })))
  }

  /// True for the key that starts to filter other lists, in one that is filtered by typing.
  package func isNeedlessSlash(_ event: InputEvent) -> Bool {
    text.isEmpty && event == .key(.character("/"))
  }

  private mutating func handle(_ key: Key) -> Bool {
    if let target = destination(of: key) {
      cursor = target
    } else if let range = deletion(by: key) {
      text.removeSubrange(index(range.lowerBound)..<index(range.upperBound))
      cursor = min(range.lowerBound, text.count)
    } else {
      return false
    }
    return true
  }

  /// The letters that have a use together with Alt.
  static let altLetters: Set<Key> = [.alt("b"), .alt("f"), .alt("d")]

  private func destination(of key: Key) -> Int? {
    switch key {
    case .left, .control("b"): max(0, cursor - 1)
    case .right, .control("f"): min(text.count, cursor + 1)
    case .home, .control("a"): 0
    case .end, .control("e"): text.count
    case Key(.left, .control), Key(.left, .alt), .alt("b"): wordStart
    case Key(.right, .control), Key(.right, .alt), .alt("f"): wordEnd
    default: nil
    }
  }

  private func deletion(by key: Key) -> Range<Int>? {
    switch key {
    case .backspace: max(0, cursor - 1)..<cursor
    case .delete, .control("d"): cursor..<min(text.count, cursor + 1)
    case .control("k"): cursor..<text.count
    case .control("u"): 0..<cursor
    case .control("w"), Key(.backspace, .alt), Key(.backspace, .control): wordStart..<cursor
    case .alt("d"), Key(.delete, .control): cursor..<wordEnd
    default: nil
    }
  }

  private var wordStart: Int {
    let before = text.prefix(cursor).reversed()
    let gap = before.prefix { !isWord($0) }.count
    return cursor - gap - before.dropFirst(gap).prefix(while: isWord).count
  }

  private var wordEnd: Int {
    let after = text.dropFirst(cursor)
    let gap = after.prefix { !isWord($0) }.count
    return cursor + gap + after.dropFirst(gap).prefix(while: isWord).count
  }

  private func isWord(_ character: Character) -> Bool {
    character.isLetter || character.isNumber || character == "_"
  }

  private func index(_ character: Int) -> String.Index {
    text.index(text.startIndex, offsetBy: character)
  }

  /// Puts the cursor after the character that holds the byte before `offset`.
  ///
  /// Inserted text may have merged with its neighbors: a mark joins the letter before it.
  private mutating func moveCursor(toByte offset: Int) {
    let place = text.utf8.index(text.startIndex, offsetBy: offset)
    cursor = text[..<place].count
    guard index(cursor) < place else { return }
    cursor = min(cursor + 1, text.count)
  }
}

extension LineEditor {
  /// Returns the text to show in a field of `width` cells, and the column of the cursor in it.
  ///
  /// A longer text scrolls by half the field, so that the text around the cursor is visible; `…` marks
  /// the ends that are cut. The cursor takes a separate cell after the text.
  /// - Complexity: O(n) in the length of the text.
  package func visibleWindow(_ width: Int) -> (text: DisplayText, cursorColumn: Int) {
    guard width > 0 else { return (.empty, 0) }
    let before = Self.display(text.prefix(cursor))
    let shown = before + Self.display(text.dropFirst(cursor))
    if shown.width < width { return (shown, before.width) }
    let half = max(1, (width - 1) / 2)
    let start = before.width < width - 1 ? 0 : max(0, (before.width / half - 1) * half)
    let cut = shown.dropping(start).clipped(to: width)
    let column = before.width - start
    return (start == 0 || column == 0 ? cut : "…" + cut.dropping(1), min(column, width - 1))
  }

  /// Makes each character visible separately, so that the cursor is always between two characters.
  private static func display(_ part: Substring) -> DisplayText {
    let whole = String(part)
    if PrintableASCII.isAll(whole, limit: .max) { return DisplayText(whole) }
    return part.reduce(into: DisplayText.empty) { $0 += DisplayText(String($1)) }
  }
}
