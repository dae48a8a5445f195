import Foundation
import OpenSwiftData
import Testing

@testable import Stores

/// The fields by which the records of a save were known, in its frame of a history.
@Suite struct HistoryKeysTests {
  private static let keys = HistoryKeys(parts: [
    .init(entity: "a", fields: KeyFields(["sku"], .identifier), numbers: [3, 700]),
    .init(entity: "a", fields: KeyFields(["name", "size"], .name)),
    .init(entity: "b", fields: KeyFields([], .guess)),
  ])

  private static let id = UUID()

  private func frame(_ keys: HistoryKeys?) -> HistoryFrame {
    var frame = HistoryFrame(
      token: 7,
      id: Self.id,
      microsecondsSince1970: 5,
      run: 1,
      store: "s",
      schema: [1]
    )
    frame.changes = [1, 2]
    frame.keys = keys
    return frame
  }

  private func bytes(_ frame: HistoryFrame) -> [UInt8] {
    var payload = PayloadWriter()
    frame.encode(after: nil, to: &payload)
    return payload.withContent { Array($0) }
  }

  private func read(_ bytes: [UInt8]) throws -> HistoryFrame {
    try bytes.withUnsafeBytes { bytes in
      var reader = PayloadReader(bytes)
      return try HistoryFrame(after: nil, from: &reader)
    }
  }

  @Test func theFieldsAreReadAsTheyWereWritten() throws {
    let read = try read(bytes(frame(Self.keys)))
    #expect(read.keys == Self.keys)
    #expect(read.changes == [1, 2] && read.formerValues.isEmpty)
  }

  @Test func theNumbersOfEqualRecordsAreReadAsTheyWereWritten() throws {
    var keys = Self.keys
    (keys.reading, keys.copies) = ("", ["a": [3: 2, 700: 3], "b": [1: 2]])
    #expect(try read(bytes(frame(keys))).keys == keys)
  }

  @Test func aFrameWithoutThemIsAsItWas() throws {
    let bytes = bytes(frame(nil))
    #expect(try read(bytes).keys == nil)
    // Earlier versions read a frame up to the former values and ignore what follows.
    let new = self.bytes(frame(Self.keys))
    #expect(new.starts(with: bytes))
    let rest = Array(new.dropFirst(bytes.count))
    #expect(rest.prefix(4) == [0, 0, 0, 0], "no columns, no texts, no former values")
  }

  @Test func aNamedRecordHasItsOwnFields() {
    let scope = IdentifierScope(store: "s", entity: "a")
    #expect(Self.keys.fields(of: scope.identifier(number: 3)).names == ["sku"])
    #expect(Self.keys.fields(of: scope.identifier(number: 4)).names == ["name", "size"])
    let other = IdentifierScope(store: "s", entity: "c").identifier(number: 3)
    #expect(Self.keys.fields(of: other).sure.isEmpty)
  }
}
