import CatalogApp
import OpenSwiftData
import Testing

/// Keys that run commands of the user.
@Suite struct BoundKeyTests {
  @Test func aKeyRunsItsCommandOnTheRecordUnderTheCursor() throws {
    let fixture = try ScreenFixture.numbered(3)
    try fixture.press(": \"bind X = 'set name=done'\" Enter j X")
    #expect(try fixture.names == ["item 1", "done", "item 3"])
    try fixture.press("u")
    #expect(try fixture.names == ["item 1", "item 2", "item 3"])
  }

  @Test func aKeyRunsItsCommandOnTheMarkedRecords() throws {
    let fixture = try ScreenFixture.numbered(3)
    try fixture.press(": \"bind X = 'set name=done'\" Enter Space j j Space X")
    #expect(try fixture.names == ["done", "item 2", "done"])
  }

  @Test func furtherCommandsFollowUntilOneFails() throws {
    let fixture = try ScreenFixture.numbered(3)
    try fixture.press(": \"bind F5 = 'set name=a' save\" Enter F5")
    #expect(fixture.message == "saved: 0 inserted, 1 updated, 0 deleted")
    try fixture.press(": \"bind F5 = 'set nosuch=a' 'set name=b'\" Enter F5")
    #expect(fixture.message.contains("Item has no field \"nosuch\""))
    #expect(try fixture.names == ["a", "item 2", "item 3"])
  }

  @Test func aQuestionEndsTheCommands() throws {
    let fixture = try ScreenFixture.numbered(3)
    try fixture.press(": \"bind X = delete 'set name=b'\" Enter * X")
    #expect(fixture.text.contains("delete 3 marked records?"))
    #expect(fixture.message == "stopped: not run: set name=b")
    try fixture.press("Escape")
    #expect(!fixture.script.session.context.hasChanges)
  }

  /// Fast typing and slow lines turn Esc and a letter into Alt with the letter.
  @Test func altWithALetterIsEscAndTheLetterUnlessItHasAUse() throws {
    var keys = KeyMap.standard
    let alt = InputEvent.key(.alt("x"))
    #expect(keys.parts(of: alt) == [.key(.escape), .key(.character("x"))])
    #expect(keys.parts(of: .key(.alt("b"))) == [.key(.alt("b"))], "a word to the left in a prompt")
    #expect(keys.parts(of: .key(.character("x"))) == [.key(.character("x"))])
    try keys.bind(.alt("x"), to: .lines(["count"], replacesAction: false))
    #expect(keys.parts(of: alt) == [alt])
    keys.remove(.alt("x"))
    try keys.add(.alt("x"), to: "delete")
    #expect(keys.parts(of: alt) == [alt])
  }

  @Test(arguments: [
    (
      "bind s = save",
      "bind: s is the key of \"sort\"; use another key, or \"bind! s = …\" to replace it"
    ),
    ("bind 3 = save", "bind: 3 begins a number before a key and cannot be bound"),
    ("bind C-c = save", "bind: ^C stops running work and cannot be bound"),
    ("bind X = sav", "bind: unknown command \"sav\"; did you mean \"save\"?"),
    ("bind X = 'press X'", "bind: press: a command of a key cannot press another key"),
    ("bind X = save 'press K'", "bind: press: a command of a key cannot press another key"),
    ("bind X = set name=a", "bind: unknown command \"name=a\""),
    ("bind X = ", "bind X: expected a command in quotes after \"=\", found nothing"),
    ("bind X = ''", "bind X: empty command"),
    ("bind Hyper = save", "unknown key \"Hyper\"; examples: s, C-s, F2, S-Tab"),
    ("bind X delte", "bind: unknown key command \"delte\"; did you mean \"delete\"?"),
    ("bind X", "X is not bound"),
    ("bind s", "bind s sort"),
    ("bind", "no key has commands; see :help bind"),
    ("press X", "X has no commands; see :help bind"),
    ("bind! s = save", "bind s = save"),
    ("bind X=save", "bind X = save"),
    ("bind X delete", "bind X delete"),
    ("unbind d", "d is not bound"),
  ])
  func bindTellsWhatAKeyDoesOrWhyNot(line: String, message: String) throws {
    let fixture = try ScreenFixture.numbered(1)
    try fixture.press(": \"\(line)\" Enter")
    #expect(fixture.message.hasPrefix(message), "\(fixture.message)")
  }

  @Test func aReplacedKeyDoesWhatItIsBoundTo() throws {
    let fixture = try ScreenFixture.numbered(2)
    try fixture.press(": \"bind! d = 'set name=b'\" Enter d")
    #expect(try fixture.names == ["b", "item 2"])
    try fixture.press(": \"unbind d\" Enter d")
    #expect(fixture.message == "d is not bound here; press ? for the keys")
  }

  @Test func helpHintsPaletteAndTheListShowTheKeys() throws {
    let fixture = try ScreenFixture.numbered(2)
    try fixture.press(": \"bind X = 'set name=b' save\" Enter Escape")
    #expect(fixture.text.contains("X set name=b; save"))
    try fixture.press(": bind Enter")
    #expect(fixture.message == "bind X = \"set name=b\" save")
    try fixture.press(
      "? / yourkeys BSpace BSpace BSpace BSpace BSpace BSpace BSpace BSpace \"name=b\" Enter"
    )
    #expect(fixture.text.contains("  X               set name=b; save"))
    try fixture.press("q C-p name=b Enter")
    #expect(try fixture.names == ["b", "item 2"])
  }

  @Test func recordedKeysRunTheCommandsOfAKey() throws {
    let fixture = try ScreenFixture.numbered(3)
    try fixture.press(": \"bind X = 'set name=b' save\" Enter Q X j Q @")
    #expect(fixture.message.hasPrefix("played 2 keys"), "\(fixture.message)")
    #expect(try fixture.names == ["b", "b", "item 3"])
  }

  @Test func scriptsRunTheCommandsOfAKey() throws {
    let script = try ScriptFixture.withFilms()
    let result = try script.run("bind X = 'count where releaseYear>2005' count\nbind\npress X")
    #expect(result.output == "bind X = \"count where releaseYear>2005\" count\n2\n3\n")
    let failed = try script.run("bind X = 'show nosuch' count\npress X")
    #expect(failed.status == 1 && failed.output.isEmpty)
    let circle = try script.run("bind X = 'press X'\npress X")
    #expect(circle.errors == "1: press: a command of a key cannot press another key\n")
  }

  @Test(arguments: [
    ("bind X = \"set a=1\" save", nil as String?),
    ("bind! s = save", nil),
    ("unbind s\nbind s = save", nil),
    (
      "\n bind s = save",
      "2:7: bind: s is the key of \"sort\"; use another key, or \"bind! s = …\" to replace it"
    ),
    ("bind X = sav", "1:10: bind X: unknown command \"sav\"; did you mean \"save\"?"),
    (
      "bind X = 'press K'\nbind K = 'press X'",
      "1:10: bind X: press: a command of a key cannot press another key"
    ),
    ("bind X delte", "1:8: bind X: unknown key command \"delte\"; did you mean \"delete\"?"),
    ("bind 5 = save", "1:6: bind: 5 begins a number before a key and cannot be bound"),
  ])
  func theConfigurationBindsKeys(text: String, message: String?) throws {
    do {
      let keys = try KeyMap(Configuration(parsing: text))
      #expect(message == nil && keys.lines.keys.count == 1)
    } catch {
      let found = "\(error)"
      #expect(found.hasPrefix(message ?? "no error"), "\(found)")
    }
  }
}
