import Foundation
import OpenSwiftData
import Testing

@testable import CatalogApp

/// Lines of a recovery file before and after a save whose outcome was not known to the program.
@Suite struct SavedLinesTests {
  private static let header = #"{"recovery":1,"store":"s","version":"1"}"#
  private static let before = [
    #"{"change":"insert","fields":{"title":{"after":"New"}},"record":{"entity":"Film","isNew":true,"key":"t1"}}"#,
    #"{"change":"update","fields":{"title":{"after":"b","before":"a"}},"record":{"entity":"Film","key":"1"}}"#,
    #"{"change":"delete","fields":{"title":{"before":"x"}},"record":{"entity":"Film","key":"2"}}"#,
  ]
  private static let trace = SaveTrace(transaction: .init(id: UUID(), token: 7))
  private static let after = [
    #"{"change":"update","fields":{"title":{"after":"c","before":"a"}},"record":{"entity":"Film","key":"1"}}"#,
    #"{"change":"insert","fields":{"title":{"after":"Later"}},"record":{"entity":"Film","isNew":true,"key":"t2"}}"#,
  ]

  private static func edits(_ lines: [String]) -> RecoveryFileEdits {
    RecoveryFileEdits(
      RecoveryFileLines(path: "/f", modified: Date(timeIntervalSince1970: 0), lines: lines)
    )
  }

  private static func saving() throws -> String {
    String(
      decoding: try JSONEncoder().encode(RecoveryAttempt(saving: trace)),
      as: UTF8.self
    )
  }

  @Test func onlyLaterChangesAreLeftOfASave() throws {
    var found = Self.edits([Self.header] + Self.before + [try Self.saving()] + Self.after)
    #expect(found.damage == nil && found.count == 4)
    found.leaveOutSaved { $0 == Self.trace }
    #expect(found.isSaved && found.count == 2)
    #expect(
      found.descriptions == [
        #"Film 1: title: "b" → "c""#, #"Film t2: new, title: "Later""#,
      ]
    )
  }

  @Test func nothingIsLeftOutOfASaveThatWasNotMade() throws {
    var found = Self.edits([Self.header] + Self.before + [try Self.saving()])
    found.leaveOutSaved { _ in false }
    #expect(!found.isSaved && !found.mayBeSaved && found.count == 3)
    found.leaveOutSaved { _ in nil }
    #expect(found.mayBeSaved && found.count == 3)
    #expect(
      RecoveryOffer([found], version: "1", store: "s")?.details.contains(RecoveryOffer.mayBeSaved)
        == true
    )
  }

  @Test func aLaterChangeOfANewRecordIsNamed() throws {
    let later =
      #"{"change":"insert","fields":{"title":{"after":"Newer"}},"record":{"entity":"Film","isNew":true,"key":"t1"}}"#
    var found = Self.edits([Self.header] + Self.before + [try Self.saving(), later])
    found.leaveOutSaved { _ in true }
    #expect(found.lost.map(\.description) == [#"Film t1: new, title: "Newer""#])
    #expect(found.edits.isEmpty && found.count == 1)
  }

  /// The last of several saves counts: the ones before it failed, or were made, too.
  @Test func theLastSaveThatWasMadeCounts() throws {
    let lines = [Self.header] + Self.before + [try Self.saving()] + Self.after
    var found = Self.edits(lines + [try Self.saving()])
    found.leaveOutSaved { _ in true }
    #expect(found.isSaved && found.count == 0)
  }

  /// A file of the version before has no line about a save.
  @Test func aFileOfAnEarlierVersionIsRead() {
    var found = Self.edits([Self.header] + Self.before + Self.after)
    found.leaveOutSaved { _ in true }
    #expect(!found.isSaved && found.count == 4 && found.damage == nil)
  }

  @Test func anUnreadableLineAboutASaveIsReported() {
    let found = Self.edits([Self.header] + Self.before + [#"{"saving":7}"#])
    #expect(found.damage == "contains an unreadable line" && found.count == 3)
  }
}
