import Foundation
import OpenSwiftData
import Testing

@testable import Stores

/// Every rule of RFC 8259 for a value, with texts that follow it and texts that break it.
///
/// The cases follow those of Nicolas Seriot's "Parsing JSON is a Minefield"; each is the value of a
/// member of a record.
///
/// Covers G05, G13, G16.
@Suite struct JSONValueSuiteTests {
  static let accepted: [String] = [
    // Numbers.
    "0", "-0", "1", "-1", "123", "1.5", "-1.5", "0.5", "1e5", "1E5", "1e+5", "1E-5", "0e1", "0e+1",
    "1.5e3",
    "-0.0", "123.456e7", "1e-400", "9007199254740993", "9223372036854775807",
    "-9223372036854775808",
    "18446744073709551615", "0.30000000000000004", "5e-324", "1.7976931348623157e308", "1e400",
    "-1e400",
    // Texts.
    #""""#, #""a""#, #""é""#, #""\u00e9""#, #""\"\\\/\b\f\n\r\t""#, #""\ud83d\ude00""#,
    #""\u0000""#, #""😀""#,
    #""\uD834\udd1e""#, "\"\u{7F}\"", "\"\u{2028}\"", #""\u2029""#, #""\ufffe""#, #""\uFFFF""#,
    #""/* x */""#,
    #""new\u000Aline""#, #""\u200B""#, #""\u0060\u012a""#, "\"\u{FEFF}\"",
    // Literals, arrays and objects.
    "true", "false", "null", "[]", "{}", "[[]]", "[null]", "[1,2]", "[1, null , \"x\"]",
    "[\"a\",{}]", "[ ]", "[1\n]",
    "[ true]", "{\"\":0}", "{\"a\":[]}", "{ \"x\" : 1 , \"y\" : 2 }", "{\"\\u0000\":1}",
    "{\"a\":\"b\",\"c\":{\"d\":1}}",
    String(repeating: "[", count: 60) + String(repeating: "]", count: 60),
  ]

  static let broken: [String] = [
    // Numbers.
    "-", "+1", "01", "-01", "1.", ".5", "-.5", "1.e3", "1e", "1e+", "1E-", "0x1", "1_0", "1,0,",
    "+Infinity", "infinity", "nan", "inf", "1a", "1 2", "--1", "-+1", "0.1.2", "1eE2", "2.e+3", "１",
    "0b1", "1e1.5",
    "- 1", "0e", "-NaN",
    "1/2", "9.e+", "0.e1",
    // Texts.
    #"""#, #""a"#, #"'a'"#, #""\"#, #""\a""#, #""\x41""#, #""\u""#, #""\u00""#, #""\u00G0""#,
    #""\U0041""#,
    #""\ud800""#, #""\udc00""#, #""\ud800\ud800""#, #""\ud800x""#, #""\ud83d\u0041""#, "\"\u{1}\"",
    "\"\n\"", "\"\t\"",
    #""\'""#, #""a"b"#, #""\ ""#, #""\0""#, #"`a`"#, #"a"#, #""\u{41}""#, #""\ud834\""#,
    // Literals, arrays and objects.
    "tru", "True", "TRUE", "nul", "nulll", "fals", "truefalse", "undefined", "", "[", "]", "[1",
    "[1,", "[1,]", "[,1]",
    "[,]", "[1 2]", "[1,,2]", "[1}", "{", "}", "{1:2}", "{a:1}", "{'a':1}", "{\"a\"}", "{\"a\" 1}",
    "{\"a\":}", "{\"a\":1,}",
    "{,}", "{\"a\":1 \"b\":2}", "{\"a\":1]", "{\"a\":1,\"a\":2}", "{:1}", "[1]]", "{}}",
    "[\"a\":1]", "// x\n1", "1 // x",
    "/* x */ 1", "1 /* x */", "#1", "<a>", "[\u{C}]", "[\u{A0}1]", "\u{FEFF}1", "(1)", "1;", "*",
    "[...]", "[\u{2060}]",
    String(repeating: "[", count: 65) + String(repeating: "]", count: 65),
  ]

  @Test(arguments: accepted) func whatIsRightIsReadAndKept(value: String) throws {
    let text = "[{\"a\":\(value),\"n\":1}]"
    let fixture = try JSONFixture(text)
    let store = try fixture.open()
    #expect(try store.records().count == 1)
    // The value stays byte for byte when something else of the record is edited.
    try store.commit([.set(0, "n", .integer(2))])
    #expect(try fixture.text == "[{\"a\":\(value),\"n\":2}]")
    #expect(try fixture.open().check().isEmpty)
  }

  @Test(arguments: broken) func brokenValuesAreRejectedWithTheirPosition(value: String) throws {
    let text = "[{\"a\":\(value),\"n\":1}]"
    let fixture = try JSONFixture(text)
    let error = #expect(throws: PersistenceError.self) { _ = try fixture.open() }
    #expect(error?.code == .damaged)
    #expect(error?.message.contains(#/line \d+, column \d+: /#) == true, "\(error?.message ?? "")")
    #expect(try fixture.text == text)
  }

  static let documents: [String] = [
    "[{}] [{}]", "[{}],", "[{}]x", "{} {}", "[{}", "{\"a\":[{}]", "[{},]", "[{} {}]",
    "{\"a\":[{}],}", "{\"a\":[{}] \"b\":[]}",
    "{\"a\" [{}]}", "]", "}", ",", ":", "\"", "\"text\"", "3", "null", "true", "//", "[{}]//",
    "{a:[]}", "[{}]\u{0}", "\u{0}[{}]",
    "{\"a\":[{}],\"a\":3}", "[{\"a\":1}{\"a\":2}]", "\u{FEFF}\u{FEFF}[{}]",
  ]

  @Test(arguments: documents) func aBrokenDocumentIsRefused(text: String) throws {
    let fixture = try JSONFixture(text)
    let error = #expect(throws: PersistenceError.self) { _ = try fixture.open() }
    #expect([.damaged, .notAStore].contains(error?.code), "\(error?.message ?? "")")
    #expect(try fixture.text == text)
  }

  // Covers G11.
  @Test func otherEncodingsAreRefusedAndAMarkIsRead() throws {
    for encoding in [String.Encoding.utf16LittleEndian, .utf16BigEndian, .utf32LittleEndian] {
      let fixture = try JSONFixture()
      let bytes = try #require("[{\"a\":1}]".data(using: encoding))
      try fixture.folder.put(fixture.name, Array(bytes))
      #expect(throws: PersistenceError.self) { _ = try fixture.open() }
    }
    let marked = try JSONFixture("\u{FEFF}[{\"a\":1}]")
    #expect(try marked.open().records().count == 1)
  }
}
