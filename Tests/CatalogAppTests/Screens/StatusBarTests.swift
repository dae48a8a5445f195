import OpenSwiftData
import Testing

@testable import CatalogApp

/// The three lines at the bottom on narrow screens.
@Suite struct StatusBarTests {
  /// The screen of a file with one entity and an unsaved change.
  private func canvas(
    store: String,
    entity: String,
    columns: Int = 80,
    _ body: (inout TableHost) -> Void = { _ in }
  ) -> [String] {
    let film = Schema.Entity(entity, attributes: [Schema.Attribute("title", .text)])
    var status = StoreStatus(storeName: store, location: nil, entities: [film])
    status.changes.updated = 1
    status.traits.entityNotes = [entity: "dates read as dmy"]
    let size = Size(columns: columns, rows: 10)
    var host = TableHost(status: status, size: size)
    body(&host)
    var canvas = Canvas(size: size)
    StatusBar.draw(on: &canvas, host.screen, for: TableScreen())
    return canvas.plainLines()
  }

  @Test func theNameOfTheEntityDoesNotRepeatTheFile() {
    let lines = canvas(store: "seattle-weather.csv", entity: "seattle-weather")
    #expect(lines[7].hasPrefix(" seattle-weather.csv · 0 of 0 · unsaved: 1 changed"), "\(lines)")
    #expect(canvas(store: "films.json", entity: "film")[7].hasPrefix(" films.json · film · 0 of"))
    #expect(canvas(store: "data/a.csv", entity: "a")[7].hasPrefix(" data/a.csv · 0 of 0"))
  }

  @Test(arguments: [40, 50, 60, 80]) func longNamesLeaveRoomForChanges(columns: Int) {
    let name = String(repeating: "very-long-", count: 8)
    let lines = canvas(store: name + ".csv", entity: "another-" + name, columns: columns)
    let isWide = columns >= 60
    #expect(lines[7].contains(isWide ? "unsaved: 1 changed" : "unsaved"), "\(lines[7])")
  }

  @Test func aLongMessageIsShownInFull() {
    let words = (1...28).map { "word\($0)" }
    let text = words.joined(separator: " ")
    let lines = canvas(store: "a.csv", entity: "a") { $0.warn(text) }
    let message = lines.suffix(3).joined(separator: " ")
    for word in words { #expect(message.contains(word), "\(lines)") }
  }

  /// An earlier text must not show through behind a shorter one.
  @Test func aMessageClearsItsLine() {
    let layout = ScreenLayout(size: Size(columns: 80, rows: 10), wantsDetails: nil)
    var canvas = Canvas(size: layout.size)
    let work = "saving: waiting for another program, at most 5 s · ^C stop"
    StatusBar.draw(Notice(kind: .information, text: work), on: &canvas, layout)
    StatusBar.draw(Notice(kind: .information, text: "AlbumId: link"), on: &canvas, layout)
    #expect(canvas.plainLines()[9] == "AlbumId: link")
  }

  @Test func theProgressOfWorkStaysWhileACellIsEdited() throws {
    let fixture = try ScriptFixture.withFilms()
    let status = EffectPerformer.status(of: fixture.session)
    var host = TableHost(status: status, size: Size(columns: 80, rows: 24))
    host.messages.work = "saving · ^C stop"
    var canvas = Canvas(size: host.size)
    StatusBar.draw(on: &canvas, host.screen, for: TableScreen())
    #expect(canvas.plainLines().last == "saving · ^C stop")
  }

  @Test func theCalendarShowsTheYear() throws {
    let entity = Schema.Entity("Film", attributes: [Schema.Attribute("releaseDate", .date)])
    let fixture = try ScriptFixture(Schema(entity))
    try fixture.run("insert releaseDate=2009-11-29\nsave")
    let screen = ScreenFixture(fixture)
    try screen.press("e C-t")
    #expect(screen.text.contains("releaseDate · November 2009"), "\(screen.text)")
    let hints = screen.lines[screen.lines.count - 2]
    for word in ["PgUp -month", "PgDn +month", "Home -year", "End +year", "Esc cancel"] {
      #expect(hints.contains(word), "\(hints)")
    }
  }
}
