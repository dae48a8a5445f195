extension DefaultSnapshot {
  /// The values of some fields as they are compared with those of other records; nil if the record has none of them.
  package func key(of fields: [String]) -> [String]? {
    let texts = fields.map { self[$0]?.spelledAlike ?? "" }
    return texts.allSatisfy(\.isEmpty) ? nil : texts
  }
}
