import DataStoreTesting
import Foundation
import OpenSwiftData
import Testing

@testable import SQL

@Suite struct FormTests {
  static let values: [SQLValue] = [
    .integer(5), .real(1.5), .real(2), .real(.infinity), .text("5"), .text("abc"), .text("'"),
    .text("''"), .text("x'00'"), .text("1.5"), .text("9e999"), .text(""), .bytes([]),
    .bytes([0, 255]), .damagedText([0xFF, 0x41]), .text("CAST(x'ff' AS TEXT)"), .text("x'0'"),
    .text("it's"), .text("'quoted'"), .text("2.0"), .text("+5"), .text("05"),
  ]

  @Test(arguments: values) func everyValueHasATextOfItsOwn(_ value: SQLValue) {
    let text = MixedText.text(of: value, convertsText: false)
    #expect(MixedText.value(of: text, convertsText: false) == value)
    for other in Self.values where other != value {
      #expect(MixedText.text(of: other, convertsText: false) != text)
    }
  }

  @Test(arguments: [
    ("5", true), ("1.5", true), ("1.50", true), ("-3", true), ("1e+20", true), ("n/a", true),
    ("", true),
    ("9223372036854775807", true), ("02139", false), ("+5", false), ("-0", false), (" 5", false),
    ("9223372036854775808", false), ("12345678901234567890.12", false), ("1e400", false),
    ("'5'", false),
    ("'n/a'", true), ("9e999", true), ("5e-324", true), ("1e+300", true),
    ("1.2345678901234567e+19", true),
  ]) func aNumericColumnKeepsOnlyNumbersThatItDoesNotChange(_ text: String, _ isKept: Bool) {
    let form = ColumnForm.mixed(convertsText: true, convertsNumbers: true)
    #expect((form.stored(.text(text)) != nil) == isKept)
  }

  @Test(arguments: [
    ("9007199254740992", true), ("9007199254740993", false), ("-9007199254740993", false),
    ("9007199254740994", true), ("9223372036854775807", false), ("5", true), ("1.5", true),
  ]) func aColumnOfRealNumbersKeepsOnlyWholeNumbersThatItDoesNotRound(
    _ text: String,
    _ isKept: Bool
  ) {
    let form = ColumnForm.mixed(convertsText: true, convertsNumbers: true, isReal: true)
    #expect((form.stored(.text(text)) != nil) == isKept)
  }

  @Test(arguments: [
    ("8.0", "8", "8.0"), ("1e3", "1000", "1000.0"), ("5", "5", "5.0"), ("1.50", "1.5", "1.5"),
    (".5", "0.5", "0.5"), ("abc", "abc", "abc"), ("007", "007", "007"), ("0x10", "0x10", "0x10"),
    ("inf", "inf", "inf"), ("", "", ""), ("'5'", "'5'", "'5'"), ("9e999", "9e999", "9e999"),
    ("12345678901234567890.12", "12345678901234567890.12", "12345678901234567890.12"),
  ]) func aTextOfANumberIsWhatTheColumnMakesOfIt(text: String, numeric: String, real: String) {
    for (settled, isReal) in [(numeric, false), (real, true)] {
      let form = ColumnForm.mixed(convertsText: true, convertsNumbers: true, isReal: isReal)
      #expect(form.settled(.text(text)) == .text(settled))
    }
    let plain = ColumnForm.mixed(convertsText: true)
    #expect(plain.settled(.text(text)) == .text(text))
  }

  /// Text that spells bytes is of another form: it would be written back as the bytes.
  @Test func aBlobColumnGivesBackWhatItShows() {
    for form in [ColumnForm.blob(), .blob(keepsTexts: true)] {
      #expect(form.value(of: .text("QUJD")) == nil)
      for value in Self.values + [.bytes([65, 66, 67])] {
        guard let shown = form.value(of: value) else { continue }
        #expect(form.stored(shown) == value)
      }
    }
    #expect(ColumnForm.blob().value(of: .text("no bytes")) == nil)
    #expect(ColumnForm.blob().stored(.text("no bytes")) == nil)
    #expect(ColumnForm.blob(keepsTexts: true).value(of: .text("no bytes")) == .text("no bytes"))
  }

  @Test func keysAreReadAsWritten() throws {
    let scope = IdentifierScope(store: "s", entity: "E")
    var generator = RecordKeyGenerator()
    let keys = (0..<50).map { _ in scope.identifier(key: generator.next()) }
    #expect(keys.map(OwnKey.text).sorted() == keys.map(OwnKey.text))
    let others = [
      scope.identifier(number: -5), scope.identifier(number: 0), scope.identifier(number: 7),
    ]
    #expect(others.map(OwnKey.text).sorted() == others.map(OwnKey.text))
    let all = keys + others + [scope.identifier(uuid: UUID()), scope.identifier(text: "a|b")]
    for key in all { #expect(OwnKey.identifier(OwnKey.text(of: key), in: scope) == key) }
    let form = LinkForm(to: "Other", key: .own, store: "s")
    #expect(form.identifiers(of: try #require(form.stored(all))) == all)
  }

  @Test func compositeKeysAreReadAsWritten() throws {
    let scope = IdentifierScope(store: "s", entity: "E")
    let form = KeyForm.columns(convertsText: [true, true])
    let parts: [SQLValue] = [.text("a/b%2F"), .text("5")]
    let key = try #require(form.identifier(parts, in: scope))
    #expect(key.description == "a%2Fb%252F/5")
    #expect(form.parts(of: key) == parts)
  }

  @Test(arguments: [
    "2009-05-29 18:30:00", "2009-05-29T18:30:00Z", "2009-05-29 18:30:00.120000",
    "2009-05-29T18:30:00.125+00:00",
  ])
  func momentsKeepTheirStyle(_ text: String) throws {
    let style = try #require(MomentStyle(of: [text]))
    let date = try #require(style.date(of: text))
    #expect(style.text(of: date) == text)
  }

  @Test func momentsOfOurOwnSortAsText() {
    var generator = SeededGenerator(seed: SeededGenerator.testSeed)
    let dates =
      (0..<500).map { _ in
        Date(timeIntervalSinceReferenceDate: Double.random(in: -1e9...1e9, using: &generator))
      } + [Date(timeIntervalSinceReferenceDate: 0), Date(timeIntervalSinceReferenceDate: 0.5)]
    let texts = dates.sorted().compactMap { MomentStyle.own.text(of: $0) }
    #expect(texts.count == dates.count)
    #expect(texts.sorted { $0.utf8.lexicographicallyPrecedes($1.utf8) } == texts)
    #expect(texts.compactMap { MomentStyle.own.date(of: $0) } == dates.sorted())
  }

  /// Whole seconds are read and written without a text in between.
  @Test func momentsOfOurOwnAreTheSameAsBytes() throws {
    var generator = SeededGenerator(seed: SeededGenerator.testSeed)
    let seconds =
      [0, -1, 0.5, -63_114_076_800, 252_423_993_599, 252_423_993_600, -63_114_076_801, .nan, 1e300]
      + (0..<500).map { _ in Double.random(in: -63e9...252e9, using: &generator).rounded() }
    for date in seconds.map({ Date(timeIntervalSinceReferenceDate: $0) }) {
      let text = MomentStyle.own.text(of: date)
      var bytes: [UInt8] = []
      let isWhole = MomentStyle.append(own: date, to: &bytes)
      #expect(isWhole == (Timestamp.isInRange(date) && text?.contains(".") == false))
      if isWhole { #expect(String(decoding: bytes, as: UTF8.self) == text) }
    }
    for text in [
      "2009-05-29T18:30:00+00:00", "2009-02-29T18:30:00+00:00", "2009-05-29T24:00:00+00:00",
      "2009-05-29T18:30:00.5+00:00", "2009-05-29 18:30:00+00:00", "2009-05-29T18:30:00+01:00", "",
      "0000-01-01T00:00:00+00:00", "9999-12-31T23:59:59+00:00", "2009-05-29T18:3x:00+00:00",
    ] {
      let date = Array(text.utf8).withUnsafeBufferPointer {
        MomentStyle.ownDate(ofWholeSeconds: $0)
      }
      #expect(date == (text.contains(".") ? nil : MomentStyle.own.date(of: text)), "\(text)")
    }
  }

  @Test func conditionsSayWhatTheyCan() throws {
    let entity = Schema.Entity("T", attributes: [.init("a", .text), .init("n", .integer)])
    let table = try #require(OwnTables(Schema(entity), store: "s").tables["T"])
    let translation = FilterTranslation(table)
    let exact = try translation.translate(
      .not(.and([.compare("n", .greater, .integer(5)), .text("a", TextMatch(.beginsWith, "x"))]))
    )
    #expect(exact.isExact)
    #expect(
      exact.condition.shown
        == #"((("n" > 5 AND ("a" >= 'x' AND "a" < CAST(x'79' AS TEXT)))) IS NOT TRUE)"#
    )
    let folded = Filter.text("a", TextMatch(.contains, "x", options: .caseInsensitive))
    let superset = try translation.translate(.and([folded, .isNull("n")]))
    #expect(!superset.isExact)
    #expect(superset.condition.shown == #"(1 AND "n" IS NULL)"#)
    #expect(try translation.translate(.not(folded)).condition.shown == "1")
  }
}
