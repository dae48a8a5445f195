/// What the message line shows, and the failures so far.
struct MessageLine: Sendable {
  /// The text until the next key; nil for none.
  var notice: Notice?
  /// A warning that is shown instead of the message, whatever is said after it, until a key is pressed; nil for none.
  var alarm: Notice?
  /// The progress of long work, shown instead of the message; nil if no long work is running.
  var work: String?
  /// The first failures, in order.
  private(set) var failures: [String] = []
  private static let failureLimit = 100

  /// What it shows; nil for nothing.
  var shown: Notice? { work.map { Notice(kind: .information, text: $0) } ?? alarm ?? notice }

  fileprivate mutating func tell(_ news: String, as kind: Notice.Kind) {
    let former = notice.flatMap { $0.kind == .error ? nil : $0.answer ?? $0.text } ?? ""
    let text = former.isEmpty ? news : "\(former); \(news)"
    notice = Notice(kind: kind, text: text, answer: former)
  }

  fileprivate mutating func fail(_ text: String) {
    notice = Notice(kind: .error, text: text)
    if failures.count < Self.failureLimit { failures.append(text) }
  }
}

/// What has a message line, and says there what it does.
protocol MessageHost {
  var messages: MessageLine { get set }
}

extension MessageHost {
  mutating func say(_ text: String) {
    messages.notice = Notice(kind: .information, text: text)
  }

  mutating func warn(_ text: String) { messages.notice = Notice(kind: .warning, text: text) }

  /// Shows what another program has done, after the answer to the last key; former news are replaced.
  mutating func tell(_ news: String, as kind: Notice.Kind = .information) {
    messages.tell(news, as: kind)
  }

  /// Shows why the typed text is not accepted; this does not count as a failed command.
  mutating func refuse(_ text: String) { messages.notice = Notice(kind: .error, text: text) }

  mutating func fail(_ text: String) { messages.fail(text) }

  /// Shows why the store cannot be read, until it can.
  mutating func failReading(_ text: String) {
    messages.fail(text)
    messages.notice?.endsWithReading = true
  }
}
