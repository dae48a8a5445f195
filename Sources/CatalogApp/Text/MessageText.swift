import OpenSwiftData

/// `1 record`, `2 records`.
package func counted(_ count: Int, _ noun: String = "record") -> String {
  count == 1 ? "1 \(noun)" : "\(count) \(noun)s"
}

/// The error as one line, regardless of its contents, without the passwords of URLs.
package func errorLine(_ error: any Error) -> String {
  errorLine(String(describing: error))
}

/// The message of an error as one line.
package func errorLine(_ message: String) -> String {
  // Messages name files, whose paths may take 4096 bytes; a longer message is not useful.
  DisplayText(LocationText.withoutPasswords(message), clippedTo: 10_000).plain
}

extension Suggestion {
  /// `unknown field "titel"; did you mean "title"?`, for a word that is none of the names.
  package static func message(_ refusal: String, _ word: String, among names: [String]) -> String {
    "\(refusal) \(Value.quoted(word)); \(text(for: word, among: names))"
  }
}
