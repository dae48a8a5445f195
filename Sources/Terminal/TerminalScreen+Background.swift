import CatalogApp

extension TerminalScreen {
  /// How long the first screen waits for the terminal to tell its background.
  ///
  /// Terminals here answer within a few milliseconds; what comes later over a slow line changes the
  /// screen that is shown.
  private static let waitMilliseconds = 60
  /// How long an answer may come in parts without being taken for keys.
  private static let latestMilliseconds = 1500
  /// Types that have a dark background, or print what they do not know.
  private static let silentTypes = ["linux", "ansi", "pcansi", "cygwin", "cons25"]

  /// Asks for the background, then for what every terminal tells about itself: once that has come,
  /// there is nothing more to wait for.
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

  /// Waits a little for the answer that is owed, so that it does not reach whoever has the terminal
  /// next.
  func awaitAnswer() {
    let end = Self.milliseconds() + Self.waitMilliseconds
    while owesAnswer, !isGone {
      let left = end - Self.milliseconds()
      guard left > 0 else { return }
      let ready = wait(milliseconds: Int32(left))
      if ready.signals { readSignals(ignoring: []) }
      if ready.input { readInput() }
      // Somebody wants the program to do something else.
      if ready.signals || ready.news { return }
    }
  }

  /// Does what the answers that came ask for.
  func takeAnswers() {
    for answer in decoder.takeAnswers() {
      switch answer {
      case .attributes:
        owesAnswer = false
        // What tmux and screen pass on is answered by the terminal behind them, and later.
        if !environment.isInsideTmux, !environment.isInsideScreen {
          decoder.expectAnswers(until: .min)
        }
      case .background(let color):
        if followsBackground { adopt(Theme.suited(to: color)) }
      }
    }
  }
}
