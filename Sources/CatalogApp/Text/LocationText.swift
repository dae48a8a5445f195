/// Locations in texts that people see: URLs without their passwords.
package enum LocationText {
  /// The text with every URL in it as it is shown: without the password before `@`, and without the values of
  /// parameters that hold one.
  ///
  /// A password may contain any character, whether it is percent-encoded or not: in doubt more than the password is
  /// left out.
  ///
  /// - Complexity: O(n).
  package static func withoutPasswords(_ text: String) -> String {
    guard text.utf8.contains(UInt8(ascii: ":")) else { return text }
    var rest = Substring(text)
    var result = ""
    while let mark = rest.firstRange(of: "://") {
      result += rest[..<mark.upperBound]
      rest = rest[mark.upperBound...]
      guard result.dropLast(3).last.map(isSchemeCharacter) ?? false else { continue }
      let end = end(of: rest)
      result += shown(afterScheme: rest[..<end])
      rest = rest[end...]
    }
    return result + rest
  }

  /// The end of a URL in a line: white space or a quote, unless it is in a password.
  private static func end(of text: Substring) -> Substring.Index {
    func end(from start: Substring.Index) -> Substring.Index {
      text[start...].firstIndex(where: { $0.isWhitespace || $0 == "\"" }) ?? text.endIndex
    }
    let first = end(from: text.startIndex)
    guard first < text.endIndex, !text[..<first].contains("@"),
      let colon = text[..<first].firstIndex(of: ":"), isSecret(text[colon..<first]),
      let sign = text[first...].firstIndex(of: "@")
    else { return first }
    return end(from: sign)
  }

  /// The scheme of a URL, in small letters; nil if the text does not begin with one and `://`.
  package static func scheme(of text: String) -> String? {
    guard let mark = text.firstRange(of: "://"), text.first?.isLetter ?? false else { return nil }
    let scheme = text[..<mark.lowerBound]
    return scheme.allSatisfy(isSchemeCharacter) ? scheme.lowercased() : nil
  }

  private static func isSchemeCharacter(_ character: Character) -> Bool {
    character.isASCII && (character.isLetter || character.isNumber || "+-.".contains(character))
  }

  /// The part after `://` as it is shown.
  private static func shown(afterScheme text: Substring) -> String {
    let query = text.firstIndex(where: { $0 == "?" || $0 == "#" })
    // A question mark before the end of the user information is a part of the password.
    let ends = query.map { text[..<$0].contains("@") } ?? true
    let end = ends ? text[..<(query ?? text.endIndex)].lastIndex(of: "@") : text.lastIndex(of: "@")
    guard let end, let colon = text[..<end].firstIndex(of: ":"), query.map({ colon < $0 }) ?? true,
      isSecret(text[colon..<end])
    else {
      return withoutSecretParameters(text)
    }
    return String(text[..<colon]) + withoutSecretParameters(text[end...])
  }

  /// True unless the text is the port and the path of a URL without a password, such as `:8080/people/`.
  private static func isSecret(_ text: Substring) -> Bool {
    let port = text.dropFirst().prefix { !"/?#".contains($0) }
    return port.count + 1 == text.count || UInt16(port) == nil
  }

  private static func isSecret(name: String) -> Bool {
    ["passw", "pwd", "secret", "token"].contains { name.contains($0) } || name.hasSuffix("key")
  }

  /// The text without the values of parameters whose names say that they are secret.
  private static func withoutSecretParameters(_ text: Substring) -> String {
    guard let mark = text.firstIndex(of: "?") else { return String(text) }
    let parameters = text[text.index(after: mark)...]
      .split(separator: "&", omittingEmptySubsequences: false)
      .map { parameter -> Substring in
        guard let equals = parameter.firstIndex(of: "=") else { return parameter }
        return isSecret(name: parameter[..<equals].lowercased()) ? parameter[...equals] : parameter
      }
    return String(text[...mark]) + parameters.joined(separator: "&")
  }
}
