import CatalogApp

extension TerminalScreen {
  /// How long the first screen waits for the terminal to report its background.
  ///
  /// Local terminals answer within a few milliseconds; an answer that arrives later over a slow line
  /// changes the screen that is shown.
  private static let waitMilliseconds = 60
  /// How long the parts of an answer may take to arrive before they are read as keys.
  private static let latestMilliseconds = 1500
  /// Terminal types that have a dark background, or print unknown sequences.
  private static let silentTypes = ["linux", "ansi", "pcansi", "cygwin", "cons25"]

  /// Queries the background, then the type, which every terminal reports: once that answer has arrived,
  /// no other one will follow.
  func askForBackground() {
    let type = environment.type ?? ""
    guard !Self.silentTypes.contains(where: { type == $0 || type.hasPrefix($0 + "-") }) else {
      return
    }
    send(Self.question(environment))
    owesAnswer = true
    decoder.expectAnswers(until: Self.milliseconds() + Self.latestMilliseconds)
    awaitAnswer()
  }

  static func question(_ environment: TerminalEnvironment) -> String {
    let query = "\u{1B}]11;?\u{7}"
    var text = query
    if environment.isInsideTmux {
      text += "\u{1B}Ptmux;\u{1B}" + query + "\u{1B}\\"
    } else if environment.isInsideScreen {
      text += "\u{1B}P" + query + "\u{1B}\\"
    }
    return text + "\u{1B}[c"
  }

  /// Waits briefly for an outstanding answer, so that it does not reach the next program on the
  /// terminal.
  func awaitAnswer() {
    let end = Self.milliseconds() + Self.waitMilliseconds
    while owesAnswer, !isGone {
      let left = end - Self.milliseconds()
      guard left > 0 else { return }
      let ready = wait(milliseconds: Int32(left))
      if ready.signals { readSignals(ignoring: []) }
      if ready.input { readInput() }
      // A signal or an external change needs the program now.
      if ready.signals || ready.news { return }
    }
  }

  /// Applies the answers that have arrived.
  func takeAnswers() {
    for answer in decoder.takeAnswers() {
      switch answer {
      case .attributes:
        owesAnswer = false
        // Queries that tmux and screen pass on are answered later, by the outer terminal.
        if !environment.isInsideTmux, !environment.isInsideScreen {
          decoder.expectAnswers(until: .min)
        }
      case .background(let color):
        if followsBackground { adopt(background: color) }
      }
    }
  }
}
