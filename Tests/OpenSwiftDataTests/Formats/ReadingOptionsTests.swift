import OpenSwiftData
import Testing

/// How a file is to be read, as text.
@Suite struct ReadingOptionsTests {
  @Test(arguments: [
    ("header=no", "header=no"),
    ("header=rownames  delimiter=;", "header=rownames delimiter=;"),
    ("delimiter=\\t", "delimiter=tab"),
    ("delimiter=\"\\t\"", "delimiter=tab"),
    ("delimiter=\" \"", "delimiter=space"),
    ("sep=| skiprows=3 na=NA", "delimiter=| skip=3 missing=NA"),
    ("delim=, nullstr=-", "delimiter=, missing=-"),
    ("quote=\" escape=\\", "quote=\" escape=\\"),
    ("escape=\\ header=no", "header=no escape=\\"),
    ("quote=' escape=tsv", "quote=' escape=tsv"),
    (
      "quote=none escape=none comment=none delimiter=none",
      "delimiter=none quote=none escape=none comment=none"
    ),
    ("comment=\"# \"", "comment=\"# \""),
    ("comment=\\\\N", "comment=\"\\\\N\""),
    ("missing=NA,-,\"x", "missing=NA,-,\"x"),
    ("missing=\"not known,-\" missing.age=NA", "missing=\"not known,-\" missing.age=NA"),
    ("missing.\"unit price\"=. missing.b=none", "missing.b=none missing.\"unit price\"=."),
    ("missing=\"\\\"\"", "missing=\"\\\"\""),
    ("missing=NA,NA,-", "missing=NA,-"),
    ("encoding=Windows-1252 lines=crlf", "lines=crlf encoding=latin1"),
    ("encoding=utf8", "encoding=utf-8"),
    ("decimal=, thousands=.", "decimal=comma thousands=."),
    ("thousands=' dates=dmy blanks=trim", "thousands=' dates=dmy blanks=trim"),
    ("thousands=\" \"", "thousands=space"),
    ("header=auto skip=auto missing=none decimal=point dates=iso", ""),
    ("skip=0", "skip=0"),
    ("auto", ""),
    ("", ""),
  ])
  func printsWhatIsNotAutomatic(_ text: String, _ expected: String) throws {
    let options = try ReadingOptions(text)
    #expect(options.text == expected)
    #expect(try ReadingOptions(options.text) == options)
    #expect(options.isAutomatic == expected.isEmpty)
  }

  @Test(arguments: [
    (
      "heder=no",
      """
      unknown reading option "heder"; available: header, delimiter, quote, escape, skip, comment, \
      lines, encoding, missing, decimal, thousands, dates, blanks
      """
    ),
    ("header=maybe", "header: unknown value \"maybe\"; available: auto, yes, no, rownames"),
    ("header", "header: a value is required, such as header=…"),
    (
      "delimiter=::",
      """
      delimiter: unknown value "::"; available: auto, tab, space, blanks, none, one ASCII character
      """
    ),
    ("quote=x", "quote: unknown value \"x\"; available: auto, \", ', none"),
    ("skip=-1", "skip: unknown value \"-1\"; available: auto, 0, a number of lines"),
    (
      "missing=NA,",
      "missing: unknown value \"NA,\"; available: none, words with a comma between them"
    ),
    ("header=no header=yes", "header: duplicate"),
    ("sep=; delimiter=,", "delimiter: duplicate"),
    ("header.a=no", "header.a: only missing can name a column"),
    ("missing=\"NA", "unclosed quote before \"NA\""),
    ("decimal=comma thousands=,", "decimal=comma: thousands=, would be the same character"),
    ("thousands=.", "thousands=.: decimal=comma is required"),
    ("quote=' delimiter='", "delimiter and quote: the same character"),
  ])
  func refusesWhatItDoesNotKnow(_ text: String, _ message: String) {
    #expect(throws: ReadingOptions.Fault.self) { try ReadingOptions(text) }
    do throws(ReadingOptions.Fault) {
      _ = try ReadingOptions(text)
    } catch {
      #expect(error.message == message)
    }
  }

  @Test func aColumnsOwnWordsReplaceThoseOfAll() throws {
    let words = try ReadingOptions("missing=NA,- missing.note=none missing.age=.").missing
    #expect(words.words(of: "size") == ["NA", "-"])
    #expect(words.words(of: "note") == [])
    #expect(words.words(of: "age") == ["."])
  }
}
