import Foundation
import OpenSwiftData
import Testing

@testable import Stores

/// A written file is read back before it is renamed: new text is parsed completely, copied text
/// only by its brackets.
@Suite struct JSONVerificationTests {
  /// The number of records in a text if only those that begin at the offsets are read.
  private func count(of text: String, reading offsets: [Int]?) throws -> Int {
    var count = 0
    let pass = JSONPass(
      source: JSONSource(Array(text.utf8)),
      format: .json(.array),
      records: offsets
    )
    try pass.run { _, batch, _, _ in
      // The brackets of the array are items too.
      count += batch.items.count
      return true
    }
    return count - 2
  }

  private func offset(of part: String, in text: String) throws -> Int {
    let range = try #require(text.range(of: part))
    return text[..<range.lowerBound].utf8.count
  }

  @Test(arguments: [
    #"[{"a":1},{"a":tru},{"a":3}]"#,
    #"[{"a":1},{"a":tru,"b":[{"c":"]}"}]},{"a":3}]"#,
    #"[{"a":1},{"a":tru"b"},{"a":3}]"#,
  ])
  func aRecordIsReadIfItIsNamedOnly(text: String) throws {
    #expect(try count(of: text, reading: []) == 3)
    #expect(try count(of: text, reading: [offset(of: #"{"a":1"#, in: text)]) == 3)
    let wrong = try offset(of: #"{"a":tru"#, in: text)
    #expect(throws: JSONDamage.self) { try count(of: text, reading: [1, wrong]) }
    #expect(throws: JSONDamage.self) { try count(of: text, reading: nil) }
  }

  @Test(arguments: [
    #"[{"a":1}{"a":2}]"#, #"[{"a":1},{"a":[2}]"#, #"[{"a":1},{"a":2]]"#, #"[{"a":1},,{"a":2}]"#,
    #"[{"a":1},{"a":"2}]"#, #"[{"a":1},{"a":2}"#, #"[{"a":1},{"a":2}]]"#,
  ])
  func bracketsAndCommasAreAlwaysRead(text: String) {
    #expect(throws: JSONDamage.self) { try count(of: text, reading: []) }
  }

  @Test func recordsAreNamedByTheirPlaceInTheTextNotInAWindow() throws {
    let records = (0..<20_000).map { #"{"number": \#($0), "title": "film number \#($0)"}"# }
    let text = "\u{FEFF}[" + records.joined(separator: ",\n") + "]"
    #expect(text.utf8.count > 1 << 19)
    let broken = text.replacingOccurrences(of: #""number": 19990,"#, with: #""number": 1999.,"#)
    #expect(try count(of: broken, reading: []) == 20_000)
    let place = try offset(of: #"{"number": 1999."#, in: broken)
    #expect(throws: JSONDamage.self) { try count(of: broken, reading: [4, place]) }
    #expect(try count(of: broken, reading: [4, place + 1]) == 20_000)
  }

  @Test(arguments: [
    ("title", "\""), ("Alien", "\""), ("}, {", " "), ("[", "{"), ("]", "}"), ("25", "x"),
    ("25", "0"),
  ])
  func aFileThatDoesNotHoldWhatWasWrittenGetsNoName(part: String, byte: Unicode.Scalar) throws {
    let text = #"[{"title": "Alien", "rank": 1}, {"title": "Ran", "rank": 2}]"#
    let fixture = try JSONFixture(text)
    let files = FaultyFileSystem()
    let store = try JSONStore(JSONStoreConfiguration(path: fixture.path, fileSystem: files))
    let after = text.replacingOccurrences(of: "2}", with: "25}")
    files.spoilWrites(at: try offset(of: part, in: after), with: UInt8(byte.value))
    let error = #expect(throws: PersistenceError.self) {
      try store.commit([.set(1, "rank", .integer(25))])
    }
    #expect(error?.code == .storeViolation)
    #expect(try fixture.text == text)
    #expect(try fixture.folder.names().filter { $0.contains("tmp") } == [])
    files.spoilWrites(at: -1, with: 0)
    try store.commit([.set(1, "rank", .integer(25))])
    #expect(try fixture.text == after)
  }
}
