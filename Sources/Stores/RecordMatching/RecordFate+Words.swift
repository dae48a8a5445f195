import OpenSwiftData

extension RecordFate.Reason {
  /// The reason in words, for records that are known by these fields.
  func words(_ fields: [String]) -> String {
    let key = fields.isEmpty ? "key" : fields.joined(separator: ", ")
    switch self {
    case .missingKey: return "no record has this \(key) now"
    case .changedKey: return "no record has this \(key) now; another one has all other values"
    case .repeatedKey: return "several records have this \(key) now"
    case .contradiction: return "the \(key) is on a record with other values"
    case .newKeys: return "many records have another \(key) than before"
    case .onlyKey: return "only the \(key) agrees"
    case .fewerCopies: return "fewer equal records are left than before"
    case .alike: return "a record is alike, but not certainly the same"
    case .replaced: return "another record may be in its place"
    case .keyFieldGone:
      return fields.count == 1 ? "the field \(key) is gone" : "a field of \(key) is gone"
    case .otherColumns: return "the file has other columns now"
    case .keysDisagree: return "two keys lead to different records"
    }
  }
}
