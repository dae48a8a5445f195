import CatalogApp
import OpenSwiftData
import Testing

/// Recording keys with `Q`, and playing them with `@`.
@Suite struct MacroTests {
  @Test func recordedKeysAreTypedAgain() throws {
    let fixture = try ScreenFixture.numbered(5)
    try fixture.press("l Q e C-u new Enter j Q")
    #expect(fixture.message == "recorded 7 keys; press @ to play them")
    try fixture.press("@")
    #expect(fixture.message == "played 7 keys; 1 change, u undoes it")
    #expect(try fixture.names == ["new", "new", "item 3", "item 4", "item 5"])
  }

  @Test func aCountPlaysThemSeveralTimesAndEachChangeIsUndoneAlone() throws {
    let fixture = try ScreenFixture.numbered(5)
    try fixture.press("l Q e C-u x Enter j Q 3@")
    #expect(fixture.message == "played 5 keys 3 times; 3 changes, 3u undoes them")
    #expect(try fixture.names == ["x", "x", "x", "x", "item 5"])
    try fixture.press("u")
    #expect(try fixture.names == ["x", "x", "x", "item 4", "item 5"])
    try fixture.press("2u")
    #expect(try fixture.names == ["x", "item 2", "item 3", "item 4", "item 5"])
  }

  @Test func playingStopsAtTheLastRecord() throws {
    let fixture = try ScreenFixture.numbered(4)
    try fixture.press("l Q e C-u x Enter j Q 100@")
    #expect(
      fixture.message == "stopped in round 3 of 100: no further record; 3 changes, 3u undoes them"
    )
    #expect(try fixture.names == ["x", "x", "x", "x"])
  }

  @Test(arguments: [
    // A key that cannot do anything, a value that is refused, a command that fails, a text that is not found.
    ("Q F9 Q @", "stopped: F9 is not bound here; press ? for the keys"),
    ("Q j e C-u abc Enter Escape Q @", "stopped: \"abc\" is not a whole number"),
    (
      "Q : \"set name=a nothing=1\" Enter j Q @",
      "stopped: Item has no field \"nothing\"; available: number, name"
    ),
    ("Q / nosuch Enter Escape Q @", "stopped: no match for \"nosuch\""),
  ])
  func playingStopsAtTheFirstFailure(keys: String, message: String) throws {
    let fixture = try ScreenFixture.numbered(9)
    try fixture.press(keys)
    #expect(fixture.message.hasPrefix(message), "\(fixture.message)")
    #expect(!fixture.script.session.context.hasChanges)
  }

  @Test(arguments: [
    ("@", "play: nothing recorded; press Q first"),
    ("Q Q", "nothing recorded"),
    ("Q j @", "play: recording; press Q to end it first"),
    ("Q j C-c", "recording canceled"),
    ("Q j C-c @", "play: nothing recorded; press Q first"),
    ("Q j Q Q C-c @", "played 1 key"),
    ("Q C-p play Enter Q @", "stopped: play: recorded keys cannot play others"),
    ("Q j C-p record Enter @", "played 1 key"),
  ])
  func recordingEndsWithItsKey(keys: String, message: String) throws {
    let fixture = try ScreenFixture.numbered(9)
    try fixture.press(keys)
    #expect(fixture.message == message)
  }

  @Test func theScreenTellsThatKeysAreRecorded() throws {
    let fixture = try ScreenFixture.numbered(3)
    try fixture.press("Q j")
    #expect(fixture.status.contains("recording 1 key"))
    #expect(fixture.text.contains("Q end recording"))
    try fixture.press("Q")
    #expect(!fixture.text.contains("recording 1 key"))
  }

  @Test func tooManyKeysAreNotRecorded() throws {
    let fixture = try ScreenFixture.numbered(3)
    try fixture.press("Q j Q Q")
    for _ in 0...10_000 { fixture.runner.handle(.key(.character("k"))) }
    #expect(fixture.message == "recording canceled: more than 10000 keys")
    try fixture.press("@")
    #expect(fixture.message == "played 1 key", "the former keys are kept")
  }

  @Test func anEditorIsWaitedFor() throws {
    let fixture = try ScreenFixture.numbered(3)
    try fixture.press("l Q E")
    _ = fixture.runner.takeRequests()
    fixture.runner.finishEditing("one")
    try fixture.press("j Q @")
    #expect(fixture.runner.state.isPlaying)
    _ = fixture.runner.takeRequests()
    fixture.runner.finishEditing("two")
    #expect(!fixture.runner.state.isPlaying)
    #expect(try fixture.names == ["one", "two", "item 3"])
  }
}

extension ScreenFixture {
  /// The names of the numbered records.
  var names: [String] {
    get throws {
      let output = try script.run("list sort number fields name").output
      return output.split(separator: "\n").dropFirst().map(String.init)
    }
  }
}
