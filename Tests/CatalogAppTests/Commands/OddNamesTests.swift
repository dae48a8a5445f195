import CatalogApp
import OpenSwiftData
import Testing

/// Fields with names that need quotes, in every command that accepts a field name.
@Suite struct OddNamesTests {
  static let names = [
    "it's", "a:b", "true", "two words", "a,b", "-x", "say \"so\"", "a`b", "where", "a=b", "#1",
  ]

  /// The name in backticks, and in double quotes with escapes.
  static func spellings(_ name: String) -> [String] {
    [
      "`\(name.replacing("`", with: "``"))`",
      "\"\(name.replacing("\\", with: "\\\\").replacing("\"", with: "\\\""))\"",
    ]
  }

  @Test(arguments: names)
  func everyCommandTakesBothSpellings(name: String) throws {
    for spelled in Self.spellings(name) {
      let fixture = try ScriptFixture(Schema())
      let result = try fixture.run(
        """
        entity create E \(spelled):integer plain:text
        insert \(spelled)=2 plain=b
        insert \(spelled)=1 plain=a
        set where \(spelled) = 2 plain=c
        set t2 \(spelled)=5
        list where \(spelled) > 1 and (\(spelled)=5) sort -\(spelled) fields id,\(spelled),plain
        list sort \(spelled) fields id,plain
        count where \(spelled) is not null
        export x.csv where \(spelled) = 2 sort \(spelled) fields \(spelled)
        save
        field add E other:text
        field rename E \(spelled) plainer
        field rename E plainer \(spelled)
        field drop E \(spelled)
        """
      )
      let lines = result.output.split(separator: "\n").map(String.init)
      #expect(result.status == 0, "\(spelled): \(result)")
      #expect(lines.contains { $0.hasSuffix("\t5\ta") }, "\(spelled): \(result.output)")
      #expect(lines.contains("2"), "\(spelled)")
    }
  }

  @Test(arguments: names)
  func figuresTakeBothSpellings(name: String) throws {
    for spelled in Self.spellings(name) {
      let fixture = try ScriptFixture(Schema())
      let result = try fixture.run(
        """
        entity create E \(spelled):integer
        insert \(spelled)=2
        stats \(spelled) where \(spelled) = 2
        freq \(spelled)
        """
      )
      #expect(result.status == 0, "\(spelled): \(result)")
      #expect(result.output.contains("sum\t2"), "\(spelled): \(result.output)")
    }
  }

  @Test(arguments: names)
  func theScreenTakesAndWritesThem(name: String) throws {
    let fixture = try ScriptFixture(Schema())
    try fixture.run(
      "entity create E \(Self.spellings(name)[0]):integer\ninsert \(Self.spellings(name)[0])=1\n"
        + "insert \(Self.spellings(name)[0])=2\nsave\n"
    )
    let screen = ScreenFixture(fixture)
    func type(_ text: String) {
      for character in text { screen.runner.handle(.key(Key(.character(character)))) }
      screen.runner.handle(.key(.enter))
    }
    type(":sort -" + Self.spellings(name)[0])
    type(":filter " + Self.spellings(name)[0] + " = 2")
    #expect(screen.status.contains("1 of 2"), "\(screen.text)")
    type(":set " + Self.spellings(name)[1] + "=7")
    #expect(try fixture.run("list fields \(Self.spellings(name)[0])\n").output.contains("7"))
  }

  @Test(arguments: ["sort title, releaseYear", "sort title releaseYear", "sort -title,releaseYear"])
  func theScreenSortsByFieldsBetweenCommasOrSpaces(line: String) throws {
    let screen = try ScreenFixture.films()
    for character in ":" + line { screen.runner.handle(.key(Key(.character(character)))) }
    screen.runner.handle(.key(.enter))
    #expect(!screen.message.contains("no field") && !screen.message.contains("list"))
  }

  @Test func backticksInValuesStayWhatTheyAre() throws {
    let fixture = try ScriptFixture(Schema())
    let result = try fixture.run(
      """
      entity create E name:text other:text
      insert name=a`b other=it`s
      insert name=`code` other=`x
      insert name="`a b`" other=1
      list fields id,name,other
      """
    )
    #expect(
      ["\ta`b\tit`s\n", "\t`code`\t`x\n", "\t`a b`\t1\n"].allSatisfy(result.output.contains),
      "\(result)"
    )
  }
}

extension OddNamesTests {
  @Test func aChosenValueIsAddedToAllOfTheFilter() throws {
    let screen = try ScreenFixture.numbered(4, size: Size(columns: 120, rows: 24))
    try screen.press("f \"number = 1 or number = 2\" Enter l F Enter f")
    #expect(screen.message.contains("(number = 1 or number = 2) and "), "\(screen.message)")
  }
}
