package import OpenSwiftData

extension RecordFate.Reason {
  /// The reason in words, for a record that is known by these fields.
  package func words(_ fields: [String], of record: DefaultSnapshot) -> String {
    let names = fields.isEmpty ? "key" : fields.joined(separator: ", ")
    let key = record.words(forKey: fields)
    switch self {
    case .missingKey: return "no record has \(key) now"
    case .changedKey: return "no record has \(key) now; another one has all other values"
    case .repeatedKey: return "several records have \(key) now"
    case .contradiction: return "\(key) is on a record with other values"
    case .newKeys: return "many records have another \(names) than before"
    case .onlyKey: return "only \(key) agrees"
    case .fewerCopies: return "fewer equal records are left than before"
    case .alike: return "a record is alike, but not certainly the same"
    case .replaced: return "another record may be in its place"
    case .keyFieldGone:
      return fields.count == 1 ? "the field \(names) is gone" : "a field of \(names) is gone"
    case .otherColumns: return "the file has other columns now"
    case .keysDisagree: return "two keys lead to different records"
    }
  }
}
