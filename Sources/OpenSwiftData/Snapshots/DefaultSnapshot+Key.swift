extension DefaultSnapshot {
  /// The values of some fields as they are compared with those of other records; nil if the record has none of them.
  package func key(of fields: [String]) -> [String]? {
    let texts = fields.map { self[$0]?.spelledAlike ?? "" }
    return texts.allSatisfy(\.isEmpty) ? nil : texts
  }

  /// The fields of a key with their values, as messages name a record: `sku 1002` or `name "T-shirt L", size 4`.
  package func words(forKey fields: [String]) -> String {
    fields.map { field in
      let text = self[field]?.text ?? ""
      let isWord = !text.isEmpty && text.allSatisfy { !$0.isWhitespace && $0 != "," && $0 != ";" }
      return "\(field) \(isWord ? text : Value.quoted(text))"
    }.joined(separator: ", ")
  }
}
