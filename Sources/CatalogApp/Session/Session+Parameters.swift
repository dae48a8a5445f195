import OpenSwiftData

extension Session {
  /// The value of a parameter; `text` is nil for null.
  struct Parameter {
    let text: String?
    /// True if a row of JSON has the value as other than text.
    var isJSON = false
  }

  /// The parameter that a word names, if the whole word is `$NAME` without quotes.
  func parameter(_ word: CommandText.Word) -> Parameter? {
    parameter(word.text, length: word.end - word.start)
  }

  /// The parameter that stands after the `=` of an assignment, if nothing else does.
  func parameter(assigned word: CommandText.Word) -> Parameter? {
    guard !parameters.isEmpty, let (_, value) = word.assignment else { return nil }
    return parameter(value, length: word.end - word.valueStart)
  }

  /// Quotes and escapes make the text in the line longer: such a word is not a parameter.
  private func parameter(_ text: String, length: Int) -> Parameter? {
    guard !parameters.isEmpty, text.utf8.first == UInt8(ascii: "$"), text.utf8.count == length,
      let value = parameters[String(text.dropFirst())]
    else { return nil }
    return Parameter(text: value, isJSON: jsonParameters.contains(String(text.dropFirst())))
  }

  /// The text that names a record: the word, or the value of the parameter that it names, perhaps after an entity.
  ///
  /// - Throws: `CommandError` for a parameter without a value.
  func recordName(_ word: CommandText.Word) throws -> String {
    if parameters.isEmpty { return word.text }
    let start = word.parameterStart(in: context.schema)
    let name = String(word.text.utf8.dropFirst(start)) ?? word.text
    guard let parameter = parameter(name, length: word.end - word.start - start) else {
      return word.text
    }
    guard let text = parameter.text, !text.isEmpty else {
      throw CommandError("\(Value.quoted(word.text)): missing identifier", code: .unknownRecord)
    }
    return word.text.dropLast(name.count) + text
  }
}

extension CommandText.Word {
  /// The number of bytes before the `$` of a parameter that names a record: 0, or those of `ENTITY/`.
  func parameterStart(in schema: Schema) -> Int {
    let parts = text.split(separator: "/", maxSplits: 1, omittingEmptySubsequences: false)
    guard parts.count == 2, parts[1].first == "$", schema.entitiesByName[String(parts[0])] != nil
    else { return 0 }
    return parts[0].utf8.count + 1
  }
}

extension String {
  /// True for the name of a parameter: ASCII letters, digits and underscores, not beginning with a digit.
  package var isParameterName: Bool {
    wholeMatch(of: /[A-Za-z_][A-Za-z0-9_]*/) != nil
  }
}
