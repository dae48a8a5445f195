import Foundation
import OpenSwiftData
import Testing

@Suite struct ValueTextTests {
  @Test(arguments: [
    ("text", "", ""), ("text", "a b\n", "a b\n"), ("text", "  ", "  "),
    ("integer", "0", "0"), ("integer", "-0", "0"), ("integer", "007", "7"),
    ("integer", "9223372036854775807", "9223372036854775807"),
    ("integer", "-9223372036854775808", "-9223372036854775808"),
    ("number", "1", "1"), ("number", "1.50", "1.5"), ("number", "-.5", "-0.5"),
    ("number", "5e-324", "5e-324"), ("number", "1.7976931348623157e308", "1.7976931348623157e+308"),
    ("number", "-0", "-0"), ("number", "0.1", "0.1"), ("number", "1E3", "1000"),
    ("decimal", "0.10", "0.1"), ("decimal", "-12.5", "-12.5"), ("decimal", "1e3", "1000"),
    ("decimal", "12345678901234567890123456789012345678", "12345678901234567890123456789012345678"),
    (
      "decimal", "0.00000000000000000000000000000000000001",
      "0.00000000000000000000000000000000000001"
    ),
    ("decimal", "00012.500000", "12.5"),
    ("boolean", "Yes", "true"), ("boolean", "0", "false"), ("boolean", "N", "false"),
    ("date", "0000-01-01", "0000-01-01"), ("date", "9999-12-31", "9999-12-31"),
    ("datetime", "2009-05-29T18:30:00Z", "2009-05-29T18:30:00Z"),
    ("datetime", "2009-05-29 18:30", "2009-05-29T18:30:00Z"),
    ("datetime", "2009-05-29T18:30:00+02:00", "2009-05-29T16:30:00Z"),
    ("datetime", "2009-05-29", "2009-05-29T00:00:00Z"),
    ("datetime", "2009-05-29T18:30:00.120Z", "2009-05-29T18:30:00.120Z"),
    ("uuid", "0123ABCD-0000-4000-8000-00000000000F", "0123abcd-0000-4000-8000-00000000000f"),
    ("json", " [1, { \"a\" : null } ] ", "[1,{\"a\":null}]"),
  ])
  func textIsReadAndWritten(_ type: String, _ text: String, _ expected: String) throws {
    let type = try #require(AttributeType(type))
    let value = try Value(parsing: text, as: type)
    #expect(value.text == expected)
    #expect(try Value(parsing: value.text, as: type) == value)
  }

  @Test(arguments: [
    ("integer", "abc", "\"abc\" is not a whole number"),
    ("integer", "", "\"\" is not a whole number"),
    ("integer", "+", "\"+\" is not a whole number"),
    ("number", "+-5", "\"+-5\" is not a number"),
    ("integer", "1.0", "\"1.0\" is not a whole number"),
    (
      "integer", "9223372036854775808",
      "\"9223372036854775808\" exceeds 64-bit integers; use a decimal"
    ),
    ("integer", "1e30", "\"1e30\" exceeds 64-bit integers; use a decimal"),
    (
      "integer", "-9223372036854775809.0",
      "\"-9223372036854775809.0\" exceeds 64-bit integers; use a decimal"
    ),
    ("integer", "-9223372036854775808.0", "\"-9223372036854775808.0\" is not a whole number"),
    ("integer", "1e-30", "\"1e-30\" is not a whole number"),
    (
      "integer", "9223372036854775808.5",
      "\"9223372036854775808.5\" is not a whole number"
    ),
    ("number", "nan", "\"nan\" is not a number"),
    ("number", "1e400", "\"1e400\" is too large for a number field"),
    ("number", "0x10", "\"0x10\" is not a number"), ("number", "1.", "\"1.\" is not a number"),
    ("number", "1,5", "\"1,5\" is not a number"), ("number", " 1", "\" 1\" is not a number"),
    ("decimal", "1.2.3", "\"1.2.3\" is not a decimal number"),
    (
      "decimal", "123456789012345678901234567890123456789",
      "\"123456789012345678901234567890123456789\" has more than the 38 digits a decimal can hold"
    ),
    ("decimal", "1e200", "\"1e200\" is out of range for a decimal"),
    ("decimal", "1e-200", "\"1e-200\" is out of range for a decimal"),
    ("boolean", "maybe", "\"maybe\" is neither true nor false"),
    ("date", "2009-02-29", "\"2009-02-29\" is not a date: February 2009 has 28 days"),
    ("date", "29.05.2009", "\"29.05.2009\" is not a date; write it as 2009-05-29"),
    ("datetime", "now", "\"now\" is not a date with time; write it as 2009-05-29T18:30:00Z"),
    (
      "datetime", "2009-05-29T25:00:00Z",
      "\"2009-05-29T25:00:00Z\" is not a date with time: hour 25 does not exist; hours are 00 to 23"
    ),
    ("uuid", "123", "\"123\" is not a UUID"),
    ("json", "[1,", "invalid JSON at byte 4: expected a value"),
    ("link:Film", "t1", "\"t1\" is not a record identifier"),
  ])
  func invalidValuesAreRejectedWithAReason(_ type: String, _ text: String, _ message: String) throws
  {
    let type = try #require(AttributeType(type))
    let error = #expect(throws: ValueError.self) { try Value(parsing: text, as: type) }
    #expect(error?.description == message)
  }

  @Test func longTextIsShortenedInMessages() {
    #expect(Value.quoted(String(repeating: "x", count: 41)).count == 42)
    #expect(Value.quoted(String(repeating: "x", count: 40)).count == 42)
  }

  @Test(arguments: AttributeType.spellings)
  func typesAreSpelledAsTheyAreRead(_ spelling: String) {
    #expect(AttributeType(spelling)?.description == spelling)
  }

  @Test(arguments: ["", "Text", "link:", "links:", "int", "link"])
  func whatIsNoTypeIsNone(_ spelling: String) {
    #expect(AttributeType(spelling) == nil)
  }

  @Test(arguments: [
    ("yaer", "did you mean \"year\"?"), ("YEAR", "did you mean \"year\"?"),
    ("titel", "did you mean \"title\"?"), ("zzz", "available: title, year"),
  ])
  func misspelledNamesAreGuessed(_ word: String, _ clause: String) {
    #expect(Suggestion.text(for: word, among: ["title", "year"]) == clause)
  }
}

@Suite struct JSONTextTests {
  @Test(arguments: [
    ("null", "null"), (" true ", "true"), ("[ ]", "[]"), ("{ }", "{}"), ("-0.0e+10", "-0.0e+10"),
    ("\"\\u00e9 \\n\"", "\"\\u00e9 \\n\""), ("[1 , [2,{\"a\":[]}] ]", "[1,[2,{\"a\":[]}]]"),
    ("{\"a\" : 1 , \"b\":2}", "{\"a\":1,\"b\":2}"), ("\"a  b\"", "\"a  b\""),
  ])
  func whiteSpaceBetweenTokensGoes(_ text: String, _ expected: String) throws {
    #expect(try JSONText.compact(text) == expected)
  }

  @Test(arguments: [
    ("", "invalid JSON at byte 1: expected a value"),
    ("nul", "invalid JSON at byte 1: expected a value"),
    ("01", "invalid JSON at byte 2: expected the end"),
    ("1.", "invalid JSON at byte 3: expected a digit"),
    ("[1 2]", "invalid JSON at byte 4: expected a comma or the end of the container"),
    ("[1,]", "invalid JSON at byte 4: expected a value"),
    ("[", "invalid JSON at byte 2: expected a value"),
    ("[1", "invalid JSON at byte 3: expected the end of the container"),
    ("{a:1}", "invalid JSON at byte 2: expected a key in double quotes"),
    ("{\"a\" 1}", "invalid JSON at byte 6: expected a colon"),
    ("{\"a\":1,}", "invalid JSON at byte 8: expected a key in double quotes"),
    ("\"a", "invalid JSON at byte 3: expected the closing quote"),
    ("\"\\x\"", "invalid JSON at byte 3: expected an escape"),
    ("\"\\u12g4\"", "invalid JSON at byte 6: expected four hexadecimal digits"),
    ("\"\u{1}\"", "invalid JSON at byte 2: expected an escaped control character"),
    ("[1]]", "invalid JSON at byte 4: expected the end"),
    ("{]", "invalid JSON at byte 2: expected a key in double quotes"),
    ("nan", "invalid JSON at byte 1: expected a value"),
  ])
  func invalidJSONIsRejectedWithItsPosition(_ text: String, _ message: String) {
    let error = #expect(throws: ValueError.self) { try JSONText.compact(text) }
    #expect(error?.description == message)
  }

  @Test func nestingHasALimit() throws {
    let limit = JSONText.depthLimit
    let deep = String(repeating: "[", count: limit) + String(repeating: "]", count: limit)
    #expect(try JSONText.compact(deep) == deep)
    #expect(throws: ValueError.self) { try JSONText.compact("[" + deep + "]") }
  }

  @Test func quotingEscapesWhatIsInvisible() {
    #expect(
      JSONText.quoted("a\"\\\n\t\u{1B}\u{202E}é👍\u{E0041}")
        == "\"a\\\"\\\\\\n\\t\\u001b\\u202eé👍\\udb40\\udc41\""
    )
  }
}
