import OpenSwiftData

extension ScriptState {
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
    guard !parameters.isEmpty, text.utf8.count == length,
      let name = text.referencedParameter,
      let value = parameters[name]
    else { return nil }
    return Parameter(text: value, isJSON: jsonParameters.contains(name))
  }

  /// Checks that no parameter is a part of the value after the `=` of a word.
  ///
  /// - Throws: `CommandError` that names the parameter.
  func requireNoParameter(within word: CommandText.Word, of line: CommandText) throws {
    guard !parameters.isEmpty, word.text.utf8.contains(UInt8(ascii: "$")),
      let name = line.references(in: word).first(where: { parameters.keys.contains($0) })
    else { return }
    let text = word.assignment?.value ?? word.text
    throw CommandError(
      "\(Value.quoted(name.parameterSpelling)) must be the whole value, not a part of "
        + "\(Value.quoted(text)); put the text in quotes to keep it"
    )
  }

  /// The text that names a record: the word, or the value of the parameter that it names, perhaps after an entity.
  ///
  /// - Throws: `CommandError` for a parameter without a value.
  func recordName(_ word: CommandText.Word, in schema: Schema) throws -> String {
    if parameters.isEmpty { return word.text }
    let start = word.parameterStart(in: schema)
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
    guard let end = RecordName.endOfEntity(text, in: schema),
      text[text.index(after: end)...].first == "$"
    else { return 0 }
    return text[...end].utf8.count
  }
}

extension CommandText {
  /// The names after each `$` of the value in a word that is not in quotes.
  fileprivate func references(in word: Word) -> [String] {
    var rest = Array(text.utf8)[word.valueStart..<word.end]
    var names: [String] = []
    while let byte = rest.popFirst() {
      switch byte {
      case UInt8(ascii: "'"), UInt8(ascii: "\""): Self.skipQuoted(by: byte, &rest)
      case UInt8(ascii: "\\"): _ = rest.popFirst()
      case UInt8(ascii: "$"):
        let isBraced = rest.first == UInt8(ascii: "{")
        let name = (isBraced ? rest.dropFirst() : rest).prefix {
          isBraced ? $0 != UInt8(ascii: "}") : String.isParameterByte($0)
        }
        names.append(String(decoding: name, as: UTF8.self))
      default: break
      }
    }
    return names
  }

  private static func skipQuoted(by quote: UInt8, _ rest: inout ArraySlice<UInt8>) {
    while let byte = rest.popFirst(), byte != quote {
      if byte == UInt8(ascii: "\\"), quote == UInt8(ascii: "\"") { _ = rest.popFirst() }
    }
  }
}

extension String {
  /// The name in `$NAME` or `${NAME}`; nil for any other text.
  var referencedParameter: String? {
    guard utf8.first == UInt8(ascii: "$") else { return nil }
    let name = dropFirst()
    if name.utf8.first == UInt8(ascii: "{") {
      guard name.utf8.firstIndex(of: UInt8(ascii: "}")) == name.utf8.indices.last else {
        return nil
      }
      return String(name.dropFirst().dropLast())
    }
    return name.utf8.allSatisfy(Self.isParameterByte) ? String(name) : nil
  }

  /// The reference to a parameter with this name.
  var parameterSpelling: String {
    utf8.allSatisfy(Self.isParameterByte) ? "$" + self : "${\(self)}"
  }

  /// True for the bytes of a name that needs no braces.
  static func isParameterByte(_ byte: UInt8) -> Bool {
    byte >= 0x80 || byte == UInt8(ascii: "_") || (48...57).contains(byte)
      || (97...122).contains(byte | 0x20)
  }

  /// True for the name of a parameter: ASCII letters, digits and underscores, not beginning with a digit.
  package var isParameterName: Bool {
    guard let first = utf8.first, !(48...57).contains(first) else { return false }
    return utf8.allSatisfy { $0 < 0x80 && Self.isParameterByte($0) }
  }

  /// True for the text of a temporary identifier, such as `t1`.
  var isTemporaryName: Bool {
    utf8.count > 1 && utf8.first == UInt8(ascii: "t")
      && utf8.dropFirst().allSatisfy { (48...57).contains($0) }
  }
}
