/// Something that the person at the terminal, or the system, tells the program.
package enum InputEvent: Hashable, Sendable {
  /// A key was pressed.
  case key(Key)
  /// Text was pasted; it is text, never commands. Lines end in line feeds.
  case paste(String)
  /// The mouse was used.
  case mouse(MouseEvent)
  /// The screen has a new size.
  case resize(Size)
  /// Control with C, or SIGINT: stops running work.
  case interrupt
  /// A signal asks the program to end; the number is that of the signal.
  case terminate(Int32)
  /// The program runs again after it was suspended; the screen is to be drawn anew.
  case resumed
  /// Others saved something to the open store, perhaps.
  case news
  /// The terminal is gone.
  case hangup
}

/// A use of the mouse.
package struct MouseEvent: Hashable, Sendable {
  /// What was done.
  package enum Kind: Hashable, Sendable {
    case press, double, release, scrollUp, scrollDown
  }

  /// What was done.
  package let kind: Kind
  /// The cell under the mouse.
  package let point: Point

  /// Creates an event at a cell.
  package init(kind: Kind, point: Point) {
    self.kind = kind
    self.point = point
  }
}
