import OpenSwiftData

/// A question of the screen about the list or the store, with the work that answers it.
///
/// A screen asks with `ScreenHost.ask(_:)`, and finds the answer in a message with `AppMessage.answer(to:)`. The
/// question comes back with its answer, so that a screen knows whether it still awaits that one.
///
/// To add a question, write a type, next to the screen that asks it or in this folder; nothing else lists them.
package protocol Question: Hashable, Sendable {
  associatedtype Reply: Hashable, Sendable

  /// The work as the progress line names it.
  var work: String { get }
  /// What keys do until the answer has come.
  var urgency: Urgency { get }
  /// True if Esc stops the work like `^C`.
  var isStoppedByEscape: Bool { get }
  /// True if asking this makes the answer to an older, unanswered question useless.
  func replaces(_ older: any Question) -> Bool
  /// Finds the answer, on the thread of the session; nil if there is nothing to tell, such as about a list that is gone.
  ///
  /// - Throws: What the screen reports as a failure.
  func answer(by reader: ListReader) throws -> Reply?
}

/// What keys do until the answer to a question has come.
package enum Urgency: Sendable {
  /// They wait for it, because they mean what the screen will show then.
  case awaited
  /// They wait for it, but text is typed on, which asks again.
  case replacedByTyping
  /// They wait for it, but further typing makes it useless: what a text may be completed to.
  case completion
  /// They do not wait: it only adds information to the screen, and is found when no other work is left.
  case background
}

extension Question {
  package var urgency: Urgency { .awaited }
  package var isStoppedByEscape: Bool { true }

  package func replaces(_ older: any Question) -> Bool { urgency != .awaited && older is Self }

  /// The question with its answer; nil if there is nothing to tell.
  fileprivate func answered(by reader: ListReader) throws -> AnyAnswer? {
    try answer(by: reader).map { AnyAnswer(Answered(question: self, answer: $0)) }
  }
}

/// A question of any kind, for values that need to be compared.
package struct AnyQuestion: Hashable, Sendable {
  /// The question.
  let value: any Question

  init(_ value: any Question) { self.value = value }

  /// Finds the answer, as `Question.answer(by:)`.
  func answered(by reader: ListReader) throws -> AnyAnswer? { try value.answered(by: reader) }

  package static func == (left: AnyQuestion, right: AnyQuestion) -> Bool {
    AnyHashable(left.value) == AnyHashable(right.value)
  }

  package func hash(into hasher: inout Hasher) { hasher.combine(AnyHashable(value)) }
}

/// A question with its answer.
private struct Answered<Asked: Question>: Hashable, Sendable {
  let question: Asked
  let answer: Asked.Reply
}

/// The answer to a question of any kind.
package struct AnyAnswer: Hashable, Sendable {
  private let value: any Hashable & Sendable

  fileprivate init(_ value: any Hashable & Sendable) { self.value = value }

  /// An answer as a question of the kind gets it.
  package init<Asked: Question>(_ answer: Asked.Reply, to question: Asked) {
    value = Answered(question: question, answer: answer)
  }

  /// The question and its answer; nil if the question was of another kind.
  func to<Asked: Question>(_ kind: Asked.Type) -> (question: Asked, answer: Asked.Reply)? {
    (value as? Answered<Asked>).map { ($0.question, $0.answer) }
  }

  package static func == (left: AnyAnswer, right: AnyAnswer) -> Bool {
    AnyHashable(left.value) == AnyHashable(right.value)
  }

  package func hash(into hasher: inout Hasher) { hasher.combine(AnyHashable(value)) }
}
