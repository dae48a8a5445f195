import CNcurses
import CTerminal
package import CatalogApp
import Glibc

/// The terminal as a screen: shows canvases and reports the input of the user.
///
/// There is one at a time. However the program ends (by `close`, `exit`, a signal or a crash), the
/// terminal is restored. The screen uses no CPU while it waits for input.
package final class TerminalScreen {
  /// Cells beyond this size are never drawn, no matter which size a terminal reports.
  static let largest = Size(columns: 2000, rows: 600)

  /// The extent of the screen, at least one cell.
  package private(set) var size: Size
  /// A note about the terminal for the user, such as that its type was guessed.
  package private(set) var note: String?

  var decoder: InputDecoder
  var queue = EventQueue()
  var isGone = false
  var lastByteMilliseconds = 0
  /// True after a background query, until the terminal has reported its type.
  var owesAnswer = false

  let environment: TerminalEnvironment
  let signals: Int32
  /// The descriptor that counts the pending calls of `waker`; -1 if the system has none left.
  let wakes: Int32
  private var useColor: Bool
  private var useMouse: Bool
  private(set) var followsBackground: Bool
  private let encoder: CellEncoder
  private var restoreBytes: [UInt8]
  private let modes: termios
  private let handle: OpaquePointer
  private let files: (output: UnsafeMutablePointer<FILE>, input: UnsafeMutablePointer<FILE>)
  private var palette: Palette
  private(set) var theme: Theme
  /// The background that the terminal has reported; nil as long as it is unknown.
  private var background: Color?
  private var shown: Canvas?
  private var row: [cchar_t] = []
  private var isOpen = true

  /// Takes control of the terminal: its screen, its keys, and the signals that concern it.
  ///
  /// An unknown `TERM` is treated as `xterm-256color`, and `note` reports it. With `followsBackground`
  /// the background of the terminal is queried, and the theme follows the answer whenever it arrives;
  /// input that is typed before the answer is kept. A theme with colors of red, green and blue gets
  /// exactly those if the terminal has them and a description for them (`xterm-direct`), and otherwise
  /// the nearest of the 256.
  /// - Throws: The reason why this terminal cannot be used; it is then unchanged.
  package init(
    theme: Theme,
    useColor: Bool,
    useMouse: Bool = true,
    followsBackground: Bool = false,
    environment: TerminalEnvironment = .process
  ) throws(TerminalError) {
    let (input, output) = (environment.input, environment.output)
    guard isatty(input) == 1, isatty(output) == 1 else { throw .notATerminal }
    guard let type = environment.type, !type.isEmpty else { throw .typeUnset }
    if type == "dumb" || type == "unknown" { throw .tooLimited(type) }
    var modes = termios()
    guard tcgetattr(output, &modes) == 0 else { throw .system(errno) }
    encoder = CellEncoder(isUTF8: cterm_use_locale(environment.locale) == 1)
    let opened = try Self.open(type, environment, trueColor: useColor && theme.usesTrueColor)
    (handle, files, note) = (opened.handle, opened.files, opened.note)
    guard TerminalModes.capability("cup") != nil, TerminalModes.capability("clear") != nil else {
      Self.discard(handle, files)
      throw .tooLimited(type)
    }
    signals = cterm_signals_install()
    wakes = cterm_counter()
    let restore = TerminalModes.restoreBytes(useMouse: useMouse)
    restoreBytes = restore
    cterm_arm(output, restore, modes)
    self.environment = environment
    self.useColor = useColor
    self.useMouse = useMouse
    self.followsBackground = followsBackground
    self.modes = modes
    decoder = InputDecoder(terminalKeys: TerminalModes.keys())
    start_color()
    use_default_colors()
    self.theme = theme
    palette = Palette(theme: theme.grounded(on: nil), useColor: useColor)
    size = Size(columns: Int(catalog_columns()), rows: Int(catalog_rows()))
    updateSize()
    beginScreen()
    queue.removeAll()
    if followsBackground, useColor, catalog_colors() >= 8 { askForBackground() }
  }

  /// Shows the differences from the previous canvas.
  ///
  /// A canvas that is too large is cut off. The terminal's cursor is shown where the canvas has one.
  /// - Complexity: O(cells) to compare; bytes are sent only for changed cells.
  package func draw(_ canvas: Canvas) {
    guard isOpen else { return }
    if shown?.size != canvas.size { shown = nil }
    if shown == nil { werase(catalog_screen()) }
    for y in 0..<min(size.rows, canvas.size.rows) {
      if let shown, shown.row(y, equals: canvas) { continue }
      row.removeAll(keepingCapacity: true)
      encoder.encode(row: y, of: canvas, palette: &palette, into: &row)
      _ = catalog_put_row(Int32(y), row, Int32(row.count))
    }
    shown = canvas
    if let cursor = canvas.cursor, canvas.bounds.contains(cursor) {
      wmove(catalog_screen(), Int32(cursor.y), Int32(cursor.x))
      curs_set(1)
    } else {
      curs_set(0)
    }
    wrefresh(catalog_screen())
  }

  /// Redraws the whole screen with the next `draw`, for example after output of another program.
  package func invalidate() {
    shown = nil
    clearok(catalog_screen(), true)
  }

  /// Changes a setting; the next `draw` shows it.
  package func use(_ setting: TerminalSetting) {
    guard isOpen else { return }
    switch setting {
    case .theme(let theme):
      followsBackground = theme == nil
      if let theme { return setTheme(theme) }
      if useColor, catalog_colors() >= 8 { askForBackground() }
    case .color(let isUsed):
      useColor = isUsed
      setTheme(theme)
    case .mouse(let isUsed):
      send(TerminalModes.leave(useMouse: useMouse))
      useMouse = isUsed
      send(TerminalModes.enter(useMouse: isUsed))
      restoreBytes = TerminalModes.restoreBytes(useMouse: isUsed)
      cterm_arm(environment.output, restoreBytes, modes)
    }
  }

  private func setTheme(_ theme: Theme) {
    self.theme = theme
    palette = Palette(theme: theme.grounded(on: background), useColor: useColor)
    invalidate()
  }

  /// Switches to the theme for a background and redraws immediately.
  func adopt(background color: Color) {
    guard color != background else { return }
    let canvas = shown
    background = color
    setTheme(Theme.suited(to: color))
    if let canvas { draw(canvas) }
  }

  /// Releases the terminal and stops the process until it is continued.
  ///
  /// Redraw the whole screen after the `resumed` event that follows.
  package func suspend() {
    guard isOpen else { return }
    leaveScreen()
    cterm_stop(environment.output)
    enterScreen()
    queue.append(.resumed)
    // Ignore the signals of the stop that has just ended.
    readSignals(ignoring: [SIGCONT, SIGTSTP])
    updateSize()
  }

  /// Releases the terminal while `body` runs, for an editor or a pager.
  package func runOutside<T>(_ body: () throws -> T) rethrows -> T {
    guard isOpen else { return try body() }
    leaveScreen()
    // A signal that stops the editor stops this process too: the shell waits for both.
    cterm_signal_set(SIGTSTP, 0)
    defer {
      cterm_signal_set(SIGTSTP, 2)
      enterScreen()
      // Control-C was meant for the other program.
      readSignals(ignoring: [SIGINT, SIGQUIT, SIGCONT])
      updateSize()
    }
    return try body()
  }

  /// Releases the terminal permanently.
  ///
  /// Closing twice is harmless.
  package func close() {
    guard isOpen else { return }
    awaitAnswer()
    send(TerminalModes.leave(useMouse: useMouse))
    isOpen = false
    cterm_signals_uninstall()
    // The descriptor stays open, because another thread may be about to write to it.
    Self.discard(handle, files)
    cterm_restore_disarm()
  }

  /// Makes `nextEvent` return `news` soon; callable from any thread.
  package var waker: @Sendable () -> Void {
    let wakes = wakes
    return {
      var one: UInt64 = 1
      _ = write(wakes, &one, 8)
    }
  }

  /// Sends bytes without ncurses.
  func send(_ text: String) {
    var text = text
    text.withUTF8 { bytes in
      bytes.withMemoryRebound(to: CChar.self) { chars in
        _ = cterm_write_all(environment.output, chars.baseAddress, chars.count)
      }
    }
  }

  /// Updates the size of the terminal; an event reports a change.
  func updateSize() {
    var columns: Int32 = 0
    var rows: Int32 = 0
    // A terminal that cannot determine its size reports 0; the size that ncurses found at the start
    // then stays.
    guard isOpen, cterm_window_size(environment.output, &columns, &rows) == 1,
      columns > 0 || rows > 0
    else { return }
    let new = Size(
      columns: min(max(1, Int(columns)), Self.largest.columns),
      rows: min(max(1, Int(rows)), Self.largest.rows)
    )
    guard new != size else { return }
    size = new
    resizeterm(Int32(new.rows), Int32(new.columns))
    invalidate()
    queue.append(resize: new)
  }

  /// Returns to the screen after another program has used the terminal.
  func enterScreen() {
    cterm_arm(environment.output, restoreBytes, modes)
    reset_prog_mode()
    invalidate()
    beginScreen()
  }

  private func beginScreen() {
    raw()
    noecho()
    nonl()
    keypad(catalog_screen(), true)
    // Without this, ncurses would look for input after every few lines and leave the rest of the screen as it was.
    typeahead(-1)
    wrefresh(catalog_screen())
    send(TerminalModes.enter(useMouse: useMouse))
  }

  private func leaveScreen() {
    awaitAnswer()
    send(TerminalModes.leave(useMouse: useMouse))
    endwin()
    cterm_restore_disarm()
  }
}

extension TerminalScreen {
  private typealias Opened = (
    handle: OpaquePointer,
    files: (output: UnsafeMutablePointer<FILE>, input: UnsafeMutablePointer<FILE>),
    note: String?
  )

  private static func open(
    _ type: String,
    _ environment: TerminalEnvironment,
    trueColor: Bool
  ) throws(TerminalError) -> Opened {
    // A terminal may report any size, and ncurses allocates all cells up front. So ncurses starts with
    // the size in the terminal description, and `updateSize` switches to the largest size that can be
    // drawn.
    var columns: Int32 = 0
    var rows: Int32 = 0
    let isKnown =
      cterm_window_size(environment.output, &columns, &rows) == 1 && (columns > 0 || rows > 0)
    use_env(!isKnown)
    guard let output = fdopen(dup(environment.output), "w") else { throw .system(errno) }
    guard let input = fdopen(dup(environment.input), "r") else {
      fclose(output)
      throw .system(errno)
    }
    if trueColor, environment.hasTrueColor,
      let handle = newterm(Self.directType(type), output, input)
    {
      return (handle, (output, input), nil)
    }
    if let handle = newterm(type, output, input) { return (handle, (output, input), nil) }
    // Some descriptions, such as that of the Linux console, have no size: then it is that of the variables LINES and
    // COLUMNS, or 24 lines of 80 columns.
    use_env(true)
    use_tioctl(false)
    if let handle = newterm(type, output, input) { return (handle, (output, input), nil) }
    let fallback = "xterm-256color"
    if let handle = newterm(fallback, output, input) {
      let name = DisplayText(type, clippedTo: 40).plain
      let note = "unknown terminal type '\(name)'; using \(fallback)"
      return (handle, (output, input), note)
    }
    fclose(output)
    fclose(input)
    throw .unknownType(type)
  }

  /// The name of the same terminal with colors of red, green and blue, if it has a description.
  private static func directType(_ type: String) -> String {
    let ending = "-256color"
    return (type.hasSuffix(ending) ? String(type.dropLast(ending.count)) : type) + "-direct"
  }

  private static func discard(
    _ handle: OpaquePointer,
    _ files: (output: UnsafeMutablePointer<FILE>, input: UnsafeMutablePointer<FILE>)
  ) {
    endwin()
    delscreen(handle)
    fclose(files.output)
    fclose(files.input)
  }
}

/// Prepares the restoration after a crash.
private func cterm_arm(_ descriptor: Int32, _ bytes: [UInt8], _ modes: termios) {
  bytes.withUnsafeBytes { raw in
    withUnsafePointer(to: modes) { modes in
      let chars = raw.bindMemory(to: CChar.self)
      _ = cterm_restore_arm(descriptor, chars.baseAddress, chars.count, modes)
    }
  }
}
