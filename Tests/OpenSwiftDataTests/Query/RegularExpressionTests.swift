import DataStoreTesting
import Foundation
import Testing

@testable import OpenSwiftData

/// `matches`, whose time must not depend on the form of the expression.
@Suite struct RegularExpressionTests {
  @Test(arguments: ["(a+)+$", "(a|a)*$", "(a|aa)+$", "(.*)*b", "(a?){30}a{30}c", "(.+)+x"])
  func anyExpressionEndsSoonOnALongText(pattern: String) throws {
    let matcher = try TextMatcher(TextMatch(.matches, pattern))
    // A backtracking matcher would practically never finish.
    #expect(!matcher.matches(String(repeating: "a", count: 50_000) + "!"))
  }

  static let meanings: [(String, TextMatch.Options, String, Bool)] = [
    // All of the text.
    ("a", [], "ba", false), ("a", [], "ab", false), ("a|ab", [], "ab", true), ("", [], "", true),
    // Letters, digits and white space of all scripts.
    (#"\w+"#, [], "Amélie", true), (#"\w+"#, [], "北京", true), (#"\w+"#, [], "a b", false),
    (#"[\w-]+"#, [], "é-a", true), (#"\W"#, [], "é", false), (#"\W"#, [], "-", true),
    (#"\d+"#, [], "٣4", true), (#"[\d.]+"#, [], "3.4", true), (#"\D"#, [], "٣", false),
    (#"a\sb"#, [], "a\u{A0}b", true), (#"a[\s]b"#, [], "a\tb", true), (#"\S"#, [], "\u{A0}", false),
    (#"[^\w]"#, [], "é", false), (#"\p{Greek}+"#, [], "οδος", true),
    // A period is any Unicode character except a line feed.
    (".", [], "é", true), (".", [], "😀", true), (".", [], "\n", false), ("(?s).", [], "\n", true),
    (".", [], "e\u{301}", false), ("..", [], "e\u{301}", true),
    // Lines.
    ("a$", [], "a\n", false), ("(?m)a$\nb", [], "a\nb", true),
    // Options.
    ("ÉTÉ", .caseInsensitive, "été", true), ("é", [], "É", false),
    ("été", .diacriticInsensitive, "ete", true), ("ete", .diacriticInsensitive, "été", true),
    ("é", .caseInsensitive, "E\u{301}", true), ("é", [], "e\u{301}", false),
    ("(?i)UP", [], "up", true),
    // Parts that must not be rewritten.
    (#"[]\w]+"#, [], "]a", true), (#"\Qa.b\E+"#, [], "a.bb", true), (#"\Q\w\E"#, [], "a", false),
    (#"[[:alpha:]\d]+"#, [], "a1", true), (#"\\w"#, [], #"\w"#, true), (#"[\]]"#, [], "]", true),
    ("(?<year>[0-9]{4})", [], "2009", true), ("a\u{0}b", [], "a\u{0}b", true),
  ]

  @Test(arguments: meanings)
  func expressionsMeanWhatTheManualSays(
    pattern: String,
    options: TextMatch.Options,
    text: String,
    fits: Bool
  ) throws {
    let matcher = try TextMatcher(TextMatch(.matches, pattern, options: options))
    #expect(matcher.matches(text) == fits)
  }

  static let entity = Schema.Entity("Film", attributes: [Schema.Attribute("title", .text)])

  static let problems: [(String, Int, String)] = [
    (#"title matches "(a)\\1""#, 15, #"backreferences are not supported: \1"#),
    ("title matches '(a)\\1'", 19, #"backreferences are not supported: \1"#),
    ("title matches 'x(?=a)'", 17, "lookahead and lookbehind are not supported: (?=…)"),
    ("title matches 'é(?<!a)'", 17, "lookahead and lookbehind are not supported: (?<!…)"),
    ("title matches '(?>a)'", 16, "atomic groups are not supported: (?>…)"),
    ("title matches 'a++'", 17, "invalid repetition ++"),
    ("title matches '*a'", 16, "nothing to repeat before *"),
    ("title matches '(a'", 16, "missing ) or unknown group"),
    ("title matches 'a)'", 16, "unexpected )"),
    ("title matches '[a'", 16, "missing ]"),
    ("title matches '[z-a]'", 17, "invalid range z-a"),
    ("title matches 'a{2000}'", 17, "repetition {2000} exceeds the limit of 1000"),
    ("title matches 'ab\\y'", 18, #"unknown escape \y"#),
    ("title matches '[\\W]'", 17, #"\W is not supported between [ and ]; use [^\w]"#),
  ]

  @Test(arguments: problems)
  func invalidPatternsNameTheirColumn(text: String, column: Int, words: String) throws {
    let error = #expect(throws: FilterSyntaxError.self) {
      try FilterParser.parse(text, for: Self.entity)
    }
    #expect(error?.message.contains(words) == true, "\(String(describing: error))")
    #expect(error?.message.contains("\n") == false)
    // A pattern with an escape is shown from its beginning, other patterns from the invalid part.
    #expect(error.map { abs($0.column - column) <= 1 } == true, "\(String(describing: error))")
  }

  @Test(arguments: [
    String(repeating: "a", count: 1 << 20), "(((a{1000}){1000}){1000}){1000}",
    String(repeating: #"\w{200}"#, count: 8000), #"(\pL{900}|\pN{900}){900}"#,
  ])
  func expressionsThatAreTooLargeAreRefusedAtOnce(pattern: String) throws {
    let error = #expect(throws: PersistenceError.self) {
      try TextMatcher(TextMatch(.matches, pattern))
    }
    #expect(error?.code == .invalidFilter)
    #expect((error?.message.utf8.count ?? 0) < 300)
  }

  @Test func stringsOfManyWordsAreAnExpression() throws {
    let pattern = (0..<3000).map { "word\($0)" }.joined(separator: "|")
    let matcher = try TextMatcher(TextMatch(.matches, pattern))
    #expect(matcher.matches("word2999"))
    #expect(!matcher.matches("word3000"))
  }

  // MARK: like and contains

  @Test func patternsOfManyStarsAndLongTextsEndSoon() throws {
    let text = String(repeating: "a", count: 1 << 20)
    for pattern in [String(repeating: "*a", count: 2000) + "*b", "*\(text.prefix(5000))b*"] {
      #expect(!(try TextMatcher(TextMatch(.like, pattern))).matches(text))
    }
    let part = String(text.prefix(1 << 19)) + "b"
    #expect(!(try TextMatcher(TextMatch(.contains, part))).matches(text))
    #expect(throws: PersistenceError.self) {
      try TextMatcher(TextMatch(.like, String(repeating: "?a", count: 5000)))
    }
  }

  @Test func likeMeansTheSameAsAnExpression() throws {
    let seed = SeededGenerator.testSeed
    var random = SeededGenerator(seed: seed)
    let letters = ["a", "b", "é", "😀"]
    for _ in 0..<3000 {
      let pattern = (0..<Int.random(in: 0...6, using: &random)).map { _ in
        (letters + ["*", "?", "*"]).randomElement(using: &random) ?? ""
      }.joined()
      let text = (0..<Int.random(in: 0...6, using: &random)).map { _ in
        letters.randomElement(using: &random) ?? ""
      }.joined()
      let expression = "(?s)" + pattern.replacing("*", with: ".*").replacing("?", with: ".")
      let like = try TextMatcher(TextMatch(.like, pattern)).matches(text)
      let expected = try TextMatcher(TextMatch(.matches, expression)).matches(text)
      #expect(like == expected, "seed \(seed): \(text) like \(pattern)")
    }
  }
}
