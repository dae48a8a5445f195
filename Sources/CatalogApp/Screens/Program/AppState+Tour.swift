import OpenSwiftData

/// The tour, which runs below the program on a store of its own.
extension AppState {
  /// Begins the tour on the store that is open, or begins it again.
  mutating func beginTour() {
    tour = Tour()
    layOut()
  }

  /// Puts the open store aside, until the tour has ended, and begins the tour on another one.
  mutating func beginTour(_ status: StoreStatus) {
    let other = AppState(status: status, size: terminal, keys: keys, settings: settings)
    beforeTour = [self]
    (tableScreen, screens, host) = (other.tableScreen, other.screens, other.host)
    beginTour()
    host.requery(keepingRecord: false)
  }

  /// Ends the tour; the store that was put aside is shown again as it was.
  mutating func endTour() {
    guard let former = returnFromTour() else {
      tour = nil
      layOut()
      return host.say(
        "the tour has ended; the films stay until you press \(shared.name(of: .quit))"
      )
    }
    self = former
    host.request(.endTour)
    host.requery()
    host.say("the tour has ended; this is \(status.storeName) as you left it")
  }

  /// The state before the tour, with the size and the settings of now; nil if nothing was put aside.
  func returnFromTour() -> AppState? {
    guard var former = beforeTour.first else { return nil }
    former.terminal = terminal
    former.host.settings = settings
    former.layOut()
    return former
  }

  /// Gives the tour its lines, and the rest of the terminal to the program.
  mutating func layOut() {
    let rows = tour == nil ? 0 : Tour.rowCount(terminal.columns, keys)
    host.size = Size(columns: terminal.columns, rows: terminal.rows - rows)
  }

  /// What the program shows, for the tour.
  private var moment: Tour.Moment {
    Tour.Moment(
      host: shared,
      place: screens.last?.place ?? tableScreen.place,
      isCounting: tableScreen.isCounting
    )
  }

  /// Goes on with the tour if its step was done.
  mutating func followTour() {
    guard tour != nil else { return }
    let moment = moment
    tour?.follow(moment)
  }

  /// Takes the keys of the tour, which mean nothing else in its table: the next table, and clearing when nothing is
  /// left to clear.
  ///
  /// - Returns: True if the event was for the tour.
  mutating func handleTour(_ event: InputEvent) -> Bool {
    // A number that is typed belongs to the next key of the table.
    guard tour != nil, !tableScreen.isCounting, let action = action(of: event) else { return false }
    let moment = moment
    switch action {
    case .nextEntity: tour?.skip(moment)
    case .clear where shared.table.nextToClear == nil: endTour()
    default: return false
    }
    return true
  }

  /// Draws the tour below the program.
  func drawTour(below canvas: Canvas) -> Canvas {
    guard let tour else { return canvas }
    var canvas = canvas
    let y = canvas.size.rows
    canvas.addRows(terminal.rows - y)
    tour.draw(on: &canvas, y: y, moment)
    return canvas
  }
}
