import Foundation
import OpenSwiftData

/// What is searched for: a text, or a regular expression after a `/`, which may end with a `/`; in all fields, or in one
/// after `FIELD:`.
struct SearchText: Hashable, Sendable {
  /// The condition for the rows that match; none match while a regular expression is incomplete.
  let filter: Filter
  /// The name of the field to search in; nil for all fields.
  let field: String?
  /// The text or the regular expression.
  let pattern: String
  let isExpression: Bool
  /// The reason why a regular expression is not valid; nil if it is.
  let problem: String?

  /// Reads a typed text.
  init(_ typed: String, _ entity: Schema.Entity?) {
    var rest = typed[...]
    var field: String?
    if let colon = typed.firstIndex(of: ":"), let entity,
      let named = FilterTerm.field(String(typed[..<colon]), of: entity)
    {
      field = named.name
      rest = typed[typed.index(after: colon)...]
    }
    isExpression = rest.first == "/" && rest.count > 1
    if isExpression {
      rest = rest.dropFirst()
      if rest.count > 1, rest.last == "/", !rest.hasSuffix("\\/") { rest = rest.dropLast() }
    }
    pattern = String(rest)
    self.field = field
    let match: TextMatch
    if isExpression {
      let isExact = pattern.contains(where: \.isUppercase)
      // The whole text has to match, whatever is around the pattern.
      match = TextMatch(
        .matches,
        "(?s:.*)(?:\(pattern))(?s:.*)",
        options: isExact ? [] : .caseInsensitive
      )
    } else {
      match = TextMatch(.contains, pattern, options: [.caseInsensitive, .diacriticInsensitive])
    }
    let wanted: Filter = field.map { .text($0, match) } ?? .anyText(match)
    do {
      if isExpression, let entity {
        // An error names the place in the pattern as it was typed.
        try Filter.anyText(TextMatch(.matches, pattern)).validate(for: entity)
        try wanted.validate(for: entity)
      }
      (filter, problem) = (pattern.isEmpty ? .constant(false) : wanted, nil)
    } catch {
      (filter, problem) = (.constant(false), FailureCode.place(of: error).message)
    }
  }

  /// The first match in the text of a field; nil if it has none, or is not searched.
  func range(in text: String, of name: String) -> Range<String.Index>? {
    guard field ?? name == name, problem == nil, !pattern.isEmpty else { return nil }
    return text.range(
      of: pattern,
      options: isExpression
        ? [.regularExpression, .caseInsensitive] : [.caseInsensitive, .diacriticInsensitive]
    )
  }
}
