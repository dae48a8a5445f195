/// An input event from the user or the system.
package enum InputEvent: Hashable, Sendable {
  /// A key was pressed.
  case key(Key)
  /// Text was pasted; it is text, never commands. Lines end in line feeds.
  case paste(String)
  /// The mouse was used.
  case mouse(MouseEvent)
  /// The screen has a new size.
  case resize(Size)
  /// Control-C or SIGINT: stops running work.
  case interrupt
  /// A signal requests the end of the program; the number is that of the signal.
  case terminate(Int32)
  /// The program continues after it was suspended; redraw the whole screen.
  case resumed
  /// Another program may have saved to the open store.
  case news
  /// The terminal is gone.
  case hangup
}

/// A use of the mouse.
package struct MouseEvent: Hashable, Sendable {
  /// The kind of mouse event.
  package enum Kind: Hashable, Sendable {
    case press, double, release, scrollUp, scrollDown
    /// The right button was pressed.
    case menu
    /// The mouse was moved while the left button is held.
    case drag
  }

  /// The kind of mouse event.
  package let kind: Kind
  /// The cell under the mouse.
  package let point: Point

  package init(kind: Kind, point: Point) {
    self.kind = kind
    self.point = point
  }
}
