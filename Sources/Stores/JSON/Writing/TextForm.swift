import OpenSwiftData

/// Text from a pipe or a compressed file, opened as a store that is never written.
package enum TextForm {
  /// The configuration for a text: by the extension of its name, or else by its first bytes.
  ///
  /// JSON begins with a bracket or a brace, JSON Lines have an object on the first line and more lines.
  ///
  /// - Parameters:
  ///   - text: The whole text.
  ///   - name: Its name in messages.
  ///   - fileName: The name of a file with this content; its extension selects the form.
  ///   - entityName: The name of the entity if the text names none.
  ///   - isPipe: Whether the text comes from a pipe whose form was not named, so that a note says what it may be as
  ///     well.
  /// - Returns: The configuration.
  package static func configuration(
    _ text: [UInt8],
    name: String,
    fileName: String,
    entityName: String,
    isPipe: Bool = false
  ) -> JSONStoreConfiguration {
    let found = form(named: fileName).map { (form: $0, isAmbiguous: false) } ?? form(of: text)
    var configuration = JSONStoreConfiguration(
      text: text,
      path: name,
      form: found.form,
      entityName: entityName,
      promisedDelimiter: DelimitedText.delimiter(promisedBy: fileName)
    )
    if isPipe, found.isAmbiguous {
      configuration.note =
        found.form == .json
        ? "\(name): read as a JSON document; if it is a record of JSON Lines, use --store jsonl"
        : "\(name): read as a record of JSON Lines; if it is a JSON document, use --store json"
    }
    return configuration
  }

  private static func form(named name: String) -> JSONStoreConfiguration.Form? {
    let name = name.lowercased()
    if name.hasSuffix(".csv") || DelimitedText.delimiter(promisedBy: name) != nil {
      return .delimited
    }
    if [".jsonl", ".ndjson"].contains(where: { name.hasSuffix($0) }) { return .lines }
    return name.hasSuffix(".json") ? .json : nil
  }

  /// The form of a text, and whether a document may be a single record of JSON Lines instead, or the other way round.
  private static func form(of text: [UInt8]) -> (
    form: JSONStoreConfiguration.Form, isAmbiguous: Bool
  ) {
    let bytes = TextEncoding.withoutMark(text)
    let space: Set<UInt8> = [0x20, 0x09, 0x0A, 0x0D]
    guard let start = bytes.firstIndex(where: { !space.contains($0) }) else {
      return (.delimited, false)
    }
    if bytes[start] == UInt8(ascii: "[") { return (.json, false) }
    guard bytes[start] == UInt8(ascii: "{") else { return (.delimited, false) }
    let end = bytes[start...].firstIndex(of: 0x0A) ?? bytes.endIndex
    let line = String(decoding: bytes[start..<end], as: UTF8.self)
    guard JSONParser.fault(inValue: line) == nil else { return (.json, false) }
    // An object on one line is a record, unless it has arrays of records.
    guard bytes[end...].allSatisfy(space.contains) else { return (.lines, false) }
    let arrays = arrays(in: line)
    if arrays.contains(where: { $0.hasPrefix("[{") }) { return (.json, true) }
    return (.lines, arrays.contains("[]"))
  }

  /// The members of an object that are arrays, without white space.
  private static func arrays(in object: String) -> [String] {
    var reader = JSONReader(Array(object.utf8))
    var found: [String] = []
    // The text was checked before.
    try? reader.forEachMember { _, reader in
      if case .container(let text) = try reader.next(), text.hasPrefix("[") { found.append(text) }
    }
    return found
  }
}
