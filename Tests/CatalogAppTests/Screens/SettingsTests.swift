import CatalogApp
import OpenSwiftData
import Testing

/// `theme`, `settings`, and `set` with the name of a setting.
@Suite struct SettingsTests {
  @Test(arguments: [
    (": \"theme light\" Enter", "theme=light", TerminalRequest.use(.theme(.light))),
    (": \"theme auto\" Enter", "theme=auto", .use(.theme(nil))),
    (": \"set theme=none\" Enter", "theme=none", .use(.theme(Theme.none))),
    (": \"set theme=high-contrast\" Enter", "theme=high-contrast", .use(.theme(.highContrast))),
    (": \"settings nomouse\" Enter", "mouse=off", .use(.mouse(false))),
    (": \"set nomouse\" Enter : \"set mouse\" Enter", "mouse=on", .use(.mouse(true))),
    (": \"set color=off\" Enter", "color=off", .use(.color(false))),
  ])
  func settingsTakeEffectAtOnce(keys: String, message: String, request: TerminalRequest) throws {
    let fixture = try ScreenFixture.films()
    try fixture.press(keys)
    #expect(fixture.message == message)
    #expect(fixture.runner.takeRequests().last == request)
    #expect(fixture.runner.failure == nil && !fixture.script.session.context.hasChanges)
  }

  @Test func severalSettingsCanBeChangedInOneLine() throws {
    let fixture = try ScreenFixture.films(isReadOnly: true)
    try fixture.press(": \"set nocolor remember-views=off theme\" Enter")
    #expect(fixture.message == "color=off remember-views=off theme=auto")
    let settings = fixture.runner.state.settings
    #expect(!settings.usesColor && !settings.remembersViews && settings.theme == nil)
  }

  @Test func setWithoutArgumentsListsTheSettings() throws {
    let fixture = try ScreenFixture.films()
    try fixture.press(": \"set theme=light\" Enter : \"set\" Enter")
    for line in ["theme=light", "color=on", "mouse=on", "remember-lines=on"] {
      #expect(fixture.text.contains(line))
    }
  }

  @Test func theListNamesTheConfiguration() throws {
    let fixture = try ScriptFixture.withFilms()
    var settings = Settings()
    settings.configurationPath = "/home/ada/.config/catalog/config"
    let runner = AppRunner(
      session: fixture.session,
      size: Size(columns: 80, rows: 24),
      settings: settings
    )
    for event in try KeyFile.parse(": set Enter") { runner.handle(event) }
    let line = "to keep changes, write them into /home/ada/.config/catalog/config"
    #expect(runner.canvas.plainText().contains(line))
  }

  @Test(arguments: [
    (
      "theme drak", "unknown theme \"drak\"; did you mean \"dark\"?"
    ),
    ("set theme=drak", "unknown theme \"drak\"; did you mean \"dark\"?"),
    ("set theme=", "theme: expected a value after \"=\", found nothing"),
    ("set mouse=maybe", "mouse: expected on or off, found \"maybe\""),
    ("set mouse color=1", "color: expected on or off, found \"1\""),
    ("settings moose=on", "unknown setting \"moose\"; did you mean \"mouse\"?"),
    ("settings notheme", "unknown setting \"notheme\"; did you mean \"theme\"?"),
  ])
  func aWrongSettingIsOneLine(line: String, message: String) throws {
    let fixture = try ScreenFixture.films()
    try fixture.press(": \"\(line)\" Enter")
    #expect(fixture.message == message)
    #expect(fixture.runner.takeRequests().isEmpty)
  }

  @Test func aFieldWithTheNameOfASettingIsTheField() throws {
    let entity = Schema.Entity("Room", attributes: [Schema.Attribute("color", .text)])
    let script = try ScriptFixture(Schema(entity))
    try script.run("insert color=red\nsave")
    let fixture = ScreenFixture(script)
    try fixture.press(": \"set color=blue\" Enter")
    #expect(try script.run("list fields color").output == "color\nblue\n")
    try fixture.press(": \"set nocolor\" Enter")
    #expect(fixture.message == "color=off")
  }

  @Test func scriptsHaveNoSettings() throws {
    let result = try ScriptFixture.withFilms().run("theme light")
    #expect(result.errors == "1: \"theme\" works only on the screen: only the screen has colors\n")
  }

  @Test(arguments: [
    ("theme", "1:6: theme: expected a name"),
    ("\nmouse maybe", "2:7: mouse: expected on or off, found \"maybe\""),
    ("color", "1:6: color: expected on or off"),
    ("color on off", "1:10: color: expected on or off"),
    ("  themes light", "1:3: unknown setting \"themes\"; did you mean \"theme\"?"),
    ("history x # all", "1:9: history: expected all, none or a number of saves"),
    ("remember-history", "1:17: remember-history: expected on or off"),
    ("unbind Hyper", "1:8: unknown key \"Hyper\"; examples: s, C-s, F2, S-Tab"),
    ("bind", "1:1: bind: expected KEY = \"COMMAND\" … or KEY ACTION, found nothing"),
    ("bind X", "1:7: bind X: expected = \"COMMAND\" or an action, found nothing"),
    ("bind X page down", "1:13: bind: expected KEY = \"COMMAND\" … or KEY ACTION"),
    ("bind X = \"set a", "1:10: unclosed \""),
  ])
  func aWrongLineOfTheConfigurationIsNamed(text: String, message: String) {
    let error = #expect(throws: PlacedError.self) { try Configuration(parsing: text) }
    #expect(error?.description == message)
  }
}
