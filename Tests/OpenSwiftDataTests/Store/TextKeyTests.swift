import DataStoreTesting
import Foundation
import Testing

@testable import OpenSwiftData

/// Text keys: up to 15 bytes inside the identifier, longer ones in the table of the process.
@Suite struct TextKeyTests {
  private let scope = IdentifierScope(store: "text keys", entity: "Film")

  /// Keys on both sides of the boundary, in the order of their bytes.
  private let ascending = [
    "\0", "\0\0", "\0a", "A", "a", "a\0", "a\0\0", "a\0b", "aa", "e\u{301}", "fourteen bytes",
    "fourteen bytes\0", "fourteen bytes\0\0", "fourteen bytes\0a", "fourteen bytes5",
    "fourteen bytes5\0", "fourteen bytes56", "zzzzzzzzzzzzzzz", "zzzzzzzzzzzzzzzz", "é",
    "éééééééx", "éééééééé", "é\u{301}", "日本語日本", "日本語日本語", "🐟🐟🐟", "🐟🐟🐟🐟",
  ]

  @Test func theLengthInBytesDecidesWhereAKeyIsKept() {
    for text in ascending {
      let isShort = scope.identifier(text: text).kind == .shortText
      #expect(isShort == (text.utf8.count <= 15), "\(text.utf8.count) bytes")
      #expect(scope.identifier(text: text).keyKind == "text")
    }
    #expect(Set(ascending.map(\.utf8.count)).isSuperset(of: [14, 15, 16]))
  }

  @Test func anIdentifierStaysSmall() {
    #expect(MemoryLayout<PersistentIdentifier>.size == 21)
    #expect(MemoryLayout<PersistentIdentifier>.stride == 24)
    #expect(MemoryLayout<PersistentIdentifier?>.stride == 24)
  }

  @Test func aKeyIsItsBytes() {
    for text in ascending {
      let identifier = scope.identifier(text: text)
      #expect(Array(identifier.description.utf8) == Array(text.utf8))
      #expect(identifier.withText { Array($0) } == Array(text.utf8))
      #expect(identifier.hasPrefix(text))
    }
  }

  @Test func theOrderIsThatOfTheBytes() {
    let made = ascending.map { scope.identifier(text: $0) }
    for (place, left) in made.enumerated() {
      for (otherPlace, right) in made.enumerated() {
        #expect((left < right) == (place < otherPlace), "\(left) and \(right)")
        #expect((left == right) == (place == otherPlace))
      }
    }
    #expect(made.shuffled().sorted() == made)
    #expect(Set(made + made).count == made.count)
  }

  /// `é` in two encodings, which Swift's strings consider equal: as short keys, and as long ones.
  @Test(arguments: ["", "a key with many letters "])
  func theEncodingsOfALetterAreDifferentKeys(_ beginning: String) {
    let composed = scope.identifier(text: beginning + "\u{E9}")
    let decomposed = scope.identifier(text: beginning + "e\u{301}")
    #expect(composed != decomposed)
    #expect(Set([composed, decomposed]).count == 2)
    #expect(decomposed < composed)
    #expect(decomposed.description.unicodeScalars.count == beginning.count + 2)
  }

  @Test(arguments: [1, 2, 3] as [UInt64])
  func randomKeysAreEqualAndOrderedAsTheirBytes(seed: UInt64) throws {
    var random = SeededGenerator(seed: seed)
    let letters = ["a", "b", "\0", "\u{7F}", "é", "e\u{301}", "日", "🐟", "/", "%"]
    func text() -> String {
      (0...random.below(20)).map { _ in letters[random.below(letters.count)] }.joined()
    }
    for _ in 0..<3000 {
      let (left, right) = (text(), random.below(4) == 0 ? nil : text())
      let other = right ?? left
      let (one, two) = (scope.identifier(text: left), scope.identifier(text: other))
      let isSame = Array(left.utf8) == Array(other.utf8)
      #expect((one == two) == isSame, "seed \(seed): \(left.debugDescription)")
      #expect(
        (one < two) == left.utf8.lexicographicallyPrecedes(other.utf8),
        "seed \(seed): \(left.debugDescription), \(other.debugDescription)"
      )
      if isSame { #expect(one.hashValue == two.hashValue, "seed \(seed)") }
    }
  }

  /// The form is the one of earlier versions, and names nothing that only one process knows.
  @Test(arguments: ["tt1049413", "fifteen letters", "sixteen letters!", "a\0b", "e\u{301}"])
  func theCodedFormIsThatOfAnyProcess(_ text: String) throws {
    let identifier = scope.identifier(text: text)
    let encoder = JSONEncoder()
    encoder.outputFormatting = .sortedKeys
    let key = String(decoding: try encoder.encode(text), as: UTF8.self)
    let form =
      #"{"entityName":"Film","kind":4,"primaryKey":\#(key),"storeIdentifier":"text keys"}"#
    #expect(String(decoding: try encoder.encode(identifier), as: UTF8.self) == form)
    let read = try JSONDecoder().decode(PersistentIdentifier.self, from: Data(form.utf8))
    #expect(read == identifier)
  }

  @Test func anEmptyKeyIsRefused() throws {
    for make in [
      { try PersistentIdentifier.identifier(for: "s", entityName: "Film", primaryKey: "") },
      { try PersistentIdentifier.identifier(for: "s", entityName: "Film", keyText: "") },
    ] {
      let error = #expect(throws: PersistenceError.self) { try make() }
      #expect(error?.code == .invalidIdentifier)
    }
    let form = Data(#"{"entityName":"Film","kind":4,"primaryKey":""}"#.utf8)
    #expect(throws: DecodingError.self) {
      try JSONDecoder().decode(PersistentIdentifier.self, from: form)
    }
  }

  /// Bytes that are not UTF-8 never become a key: the text has replacement characters instead.
  @Test func invalidBytesBecomeReplacementCharacters() {
    let text = String(decoding: [0x61, 0xFF, 0xC3] as [UInt8], as: UTF8.self)
    let identifier = scope.identifier(text: text)
    #expect(identifier.description == "a\u{FFFD}\u{FFFD}")
    #expect(scope.identifier(parsing: identifier.description) == identifier)
  }

  @Test func shortKeysStayOutOfTheTable() {
    // Other tests may add to the table at the same time; the keys of this one are not among them.
    for number in 0..<1000 { _ = scope.identifier(text: "short \(number)") }
    _ = scope.identifier(text: "a long key of this test")
    let kept = IdentifierNames.texts
    #expect(!kept.contains { $0.utf8.count <= 15 })
    #expect(kept.contains("a long key of this test"))
  }
}
