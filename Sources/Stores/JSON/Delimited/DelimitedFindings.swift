import OpenSwiftData

/// What a user should know about a file of separated values that was opened.
struct DelimitedFindings {
  private let document: JSONDocument

  init(_ document: JSONDocument) { self.document = document }

  /// What was decided on thin evidence, or is unlike other files.
  var remarks: [DelimitedRemark] { document.dialect?.remarks ?? [] }

  /// The words for what is told.
  var words: Set<DelimitedRemark.Word> {
    let evidence = document.evidence
    let isRagged = evidence.shortCount > 0 || evidence.longCount > 0
    return Set(remarks.map(\.word) + (isRagged ? [.ragged] : []))
  }

  /// Everything, one line each; empty for JSON.
  ///
  /// `isSaved` is false for a text that is not a file, to which nothing is saved.
  func notes(_ source: JSONSource, path: String, isSaved: Bool = true) -> [String] {
    remarks.map { remark in
      let how = remark.word == .encoding && isSaved ? "; saved as it was" : ""
      return "\(path): \(remark.text)\(how)"
    } + (document.dialect?.forms.hints ?? []).map { "\(path): \($0)" }
      + problems(source, path: path)
  }

  /// What other programs may stumble over, one line each.
  func problems(_ source: JSONSource, path: String) -> [String] {
    guard let dialect = document.dialect else { return [] }
    var lines = dialect.notes
    let evidence = document.evidence
    if evidence.shortCount > 0, let line = line(of: evidence.firstShort, source) {
      lines.append(
        "line \(line): fewer values than columns, in \(Self.records(evidence.shortCount)); "
          + "the others are missing values"
      )
    }
    if evidence.longCount > 0, let line = line(of: evidence.firstLong, source) {
      lines.append(
        "line \(line): more values than columns, in \(Self.records(evidence.longCount)); "
          + "they are kept but not shown"
      )
    }
    return lines.map { "\(path): \($0)" }
  }

  /// The line of an offset; nil if the file has changed.
  private func line(of offset: Int, _ source: JSONSource) -> Int? {
    try? source.position(of: offset, lineEnd: document.dialect?.syntax.lineEnd ?? 0x0A).line
  }

  private static func records(_ count: Int) -> String {
    count == 1 ? "1 record" : "\(count) records"
  }
}

extension DelimitedEncoding {
  /// The error for bytes that are not UTF-8 among others that are.
  static let mixedMessage =
    "invalid UTF-8, but other characters of the file are UTF-8: two encodings in one file"
}
