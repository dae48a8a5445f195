import OpenSwiftData

/// What a user should know about a file that was opened.
extension JSONDocument {
  /// Everything, one line each.
  ///
  /// `isSaved` is false for a text that is not a file, to which nothing is saved.
  func notes(_ source: JSONSource, path: String, isSaved: Bool = true) -> [String] {
    var lines: [String] = []
    if notNumberCount > 0 {
      let values = notNumberCount == 1 ? "1 value" : "\(notNumberCount) values"
      lines.append("NaN or Infinity in \(values): read as missing, and kept as written")
    }
    for remark in format.dialect?.remarks ?? [] {
      let how = remark.word == .encoding && isSaved ? "; saved as it was" : ""
      lines.append(remark.text + how)
    }
    lines += format.dialect?.forms.hints ?? []
    return lines.map { "\(path): \($0)" } + problems(source, path: path)
  }

  /// What other programs may stumble over in separated values, one line each.
  func problems(_ source: JSONSource, path: String) -> [String] {
    guard let dialect = format.dialect else { return [] }
    var lines = dialect.notes
    func add(_ what: String, _ count: Int, _ first: Int, _ consequence: String) {
      // If the file has changed, it has other lines.
      guard count > 0,
        let line = try? source.position(of: first, lineEnd: dialect.syntax.lineEnd).line
      else { return }
      let records = count == 1 ? "1 record" : "\(count) records"
      lines.append("line \(line): \(what) values than columns, in \(records); \(consequence)")
    }
    add("fewer", evidence.shortCount, evidence.firstShort, "the others are missing values")
    add("more", evidence.longCount, evidence.firstLong, "they are kept but not shown")
    return lines.map { "\(path): \($0)" }
  }
}
