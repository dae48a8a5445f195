import Foundation
import Testing

/// Names and values as people type them: quotes, backticks, completion, links in filters.
@Suite struct TypedNamesTests {
  private let folder: TemporaryFolder

  init() throws { folder = try TemporaryFolder() }

  /// Two entities, one with a space in its name, and three records with links.
  private func books() throws -> (store: String, ada: String) {
    let script = """
      entity create Author name:text
      entity create "Old Book" "the title":text by:link:Author next:link:`Old Book`
      insert Author name=Ada
      insert Author name=Bob
      insert "Old Book" "the title"=One by=t1
      insert "Old Book" "the title"=Two by=t2
      save

      """
    let run = try folder.run(["b.json"], input: script)
    #expect(run.status == 0, "\(run)")
    let line = run.output.split(separator: "\n").first { $0.hasPrefix("t1 -> ") }
    return ("b.json", String(try #require(line).dropFirst(6)))
  }

  private func press(_ store: String, _ keys: String) throws -> ProgramRun {
    try folder.run([store, "--entity", "Old Book", "--keys", "-"], input: keys)
  }

  @Test func aLinkIsFilteredOnTheScreenAsInScripts() throws {
    let (store, ada) = try books()
    for text in [ada, String(ada.prefix(5))] {
      let found = try press(store, "f \"by = \\\"\(text)\\\"\" Enter")
      #expect(found.output.contains("1 of 2") && found.output.contains("One"), "\(found)")
      #expect(found.status == 0, "\(found)")
      let line = try press(
        store,
        ": \"filter by != \\\"\(text)\\\" and `the title` = \\\"Two\\\"\" Enter"
      )
      #expect(line.output.contains("1 of 2") && line.output.contains("Two"), "\(line)")
    }
    let inserted = try press(
      store,
      #"":insert Author name=Cy" Enter ":insert 'the title'=Three by=t1" Enter "#
        + #"f "by = \"t1\"" Enter w"#
    )
    #expect(inserted.output.contains("1 of 3") && inserted.output.contains("Three"), "\(inserted)")
  }

  @Test func aLinkThatNamesNoRecordSaysSo() throws {
    let (store, _) = try books()
    let unknown = try press(store, #"f "by = \"zzzzzz\"""#)
    #expect(unknown.output.contains("record \"zzzzzz\" not found"), "\(unknown)")
    #expect(unknown.output.contains("2 of 2"), "\(unknown)")
    let short = try press(store, #"":filter by = \"~\"" Enter"#)
    #expect(short.output.contains("record \"~\" not found"), "\(short)")
    let goneOn = try press(store, #"f "by = \"zzzzzz\"" C-u "by is null" Enter"#)
    #expect(goneOn.output.contains("0 of 2"), "\(goneOn)")
  }

  @Test func countsOfALinkBecomeAFilterThatCanBeEdited() throws {
    let (store, _) = try books()
    let run = try press(store, #"l F Enter f " and `the title` like \"*\"" Enter"#)
    #expect(run.output.contains("1 of 2"), "\(run)")
  }

  @Test(arguments: [
    #"entity create T next:link:`it's E`"#, "count where `it's` = \"a\"",
    "list where (`it's`=\"a\") sort -`it's` fields k,`it's`", "count where not`it's` = \"b\"",
    "set where k is null and `it's` = \"a\" `it's`=b", "stats `it's` where `it's` = 'a'",
  ])
  func aNameInBackticksMayHoldAQuote(line: String) throws {
    let run = try folder.run(
      ["--store", "memory", "-e", #"entity create "it's E" "it's":text k:text"#]
        + ["-e", "insert `it's`=a", "-e", "save", "-e", line, "-e", "save"]
    )
    #expect(run.status == 0, "\(run)")
  }

  @Test(arguments: [
    ("f \"`it's` = \\\"a\\\"\" Enter", "1 of 2"),
    (": \"filter `a``b's` = \\\"x\\\"\" Enter", "1 of 2"),
    ("f \"`a``b's` = \\\"x\\\"\" Enter", "1 of 2"), (": \"sort -`it's`\" Enter", "sort -it's"),
    ("f \"`a``b\" Tab \" = \" Tab Enter", "1 of 2"),
    (": \"count where `it's` = 'a'\" Enter", "1"),
  ])
  func aNameInBackticksMayHoldAQuoteOnTheScreen(keys: String, shows: String) throws {
    let script = """
      entity create E "it's":text "a`b's":text
      insert `it's`=a `a``b's`=x
      insert `it's`=b
      save

      """
    #expect(try folder.run(["q.json"], input: script).status == 0)
    let run = try folder.run(["q.json", "--keys", "-"], input: keys)
    #expect(run.output.contains(shows) && run.status == 0, "\(run)")
  }

  @Test(arguments: [
    (#"":list Old" Tab"#, #":list "Old Book""#), (#"":list \"Old" Tab"#, #":list "Old Book""#),
    (#"":stats the" Tab"#, ":stats `the title`"), (#"":stats `the" Tab"#, ":stats `the title`"),
    (#"":set the" Tab"#, #":set the\ title="#), (#"":count where the" Tab"#, "`the title`"),
    (#"":entity Old" Tab"#, #":entity "Old Book""#), (#"":list 'Old B" Tab"#, #":list "Old Book""#),
  ])
  func namesWithSpacesAreCompletedWithTheirQuotes(keys: String, shows: String) throws {
    let (store, _) = try books()
    let run = try press(store, keys)
    #expect(run.output.contains(shows), "\(run)")
  }

  @Test(arguments: ["''", "\"\"", "json:", "' '"])
  func anEmptyLocationIsRefusedAsOne(location: String) throws {
    let run = try folder.run(["--store", "memory", "--sample", "-e", "saveas \(location)"])
    #expect(run.status == 1, "\(run)")
    #expect(run.errors.contains("missing") || run.errors.contains("empty"), "\(run)")
  }

  @Test(arguments: [
    "set where title=\"Up\" \"title=A b c\"", "set \"title=A b c\"", "insert \"title=A b c\"",
    "insert 'title=A b c' releaseYear=1",
  ])
  func aQuotedAssignmentSaysHowToQuote(line: String) throws {
    let run = try folder.run(["--store", "memory", "--sample", "-e", line])
    #expect(run.status == 1, "\(run)")
    #expect(run.errors.contains("quote the value only: title=\"A b c\""), "\(run)")
  }

  @Test func anUnquotedTextSaysHowToQuote() throws {
    let run = try folder.run(["--store", "memory", "--sample", "-e", "count where title = jaws"])
    #expect(run.errors.contains("write text in quotes: \"jaws\""), "\(run)")
  }

  @Test func anExactComparisonThatFindsNothingSaysThatItMindsCase() throws {
    let keys = #"f "title = \"up\"""#
    let run = try folder.run(["--store", "memory", "--sample", "--keys", "-"], input: keys)
    #expect(run.output.contains("0 of 31 · predicate, = is case-sensitive"), "\(run)")
    let found = try folder.run(
      ["--store", "memory", "--sample", "--keys", "-"],
      input: #"f "title =[c] \"up\"" Enter"#
    )
    #expect(found.output.contains("1 of 31"), "\(found)")
  }

  @Test func aDroppedFieldClearsWhatUsesItOnly() throws {
    let base = ["--store", "memory", "--sample", "--size", "160x24", "--keys", "-"]
    let marked = #"f "releaseYear > 2000" Enter s Space "#
    let kept = try folder.run(base, input: marked + #"":field drop favourite" Enter y"#)
    #expect(kept.output.contains("filter releaseYear > 2000"), "\(kept)")
    #expect(kept.output.contains("sort title") && kept.output.contains("1 marked"), "\(kept)")
    let filtered = try folder.run(base, input: marked + #"":field drop releaseYear" Enter y"#)
    #expect(!filtered.output.contains("filter releaseYear"), "\(filtered)")
    #expect(filtered.output.contains("sort title"), "\(filtered)")
    let sorted = try folder.run(base, input: marked + #"":field rename title name" Enter"#)
    #expect(sorted.output.contains("filter releaseYear"), "\(sorted)")
    #expect(
      !sorted.output.contains("sort title") && sorted.output.contains("1 marked"),
      "\(sorted)"
    )
  }
}
