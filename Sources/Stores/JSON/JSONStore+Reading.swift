package import OpenSwiftData

extension JSONStore {
  /// How a file of separated values is read; nil for JSON.
  package var reading: FileReading? {
    withSession { session in
      session.content.document.format.dialect.map { dialect in
        FileReading(
          options: configuration.reading,
          delimiter: dialect.delimiterWord,
          columns: dialect.columns,
          hasHeader: dialect.header != nil,
          lineEnd: dialect.lineEndWord,
          encoding: dialect.encoding.word,
          doubts: dialect.doubts,
          suggestion: dialect.forms.suggestion
        )
      }
    }
  }
}

extension DelimitedDialect {
  /// What was decided although another reading would fit as well.
  var doubts: [String] {
    let words: [DelimitedRemark.Word] = [
      .header, .delimiter, .rownames, .quotes, .escape, .escapes,
    ]
    return remarks.filter { words.contains($0.word) }.map(\.text)
  }

  /// What divides values, as options name it.
  fileprivate var delimiterWord: String {
    switch syntax.delimiter {
    case 0x09: "tab"
    case 0x20: syntax.joinsDelimiters ? "blanks" : "space"
    case nil: "none"
    case let byte?: String(Unicode.Scalar(byte))
    }
  }

  /// What ends lines, as options name it.
  fileprivate var lineEndWord: String {
    lineEnd == [0x0A] ? "lf" : lineEnd == [0x0D] ? "cr" : "crlf"
  }
}

extension DelimitedEncoding {
  /// The encoding, as options name it.
  var word: String {
    switch self {
    case .utf8: "utf-8"
    case .utf16(let isBigEndian): isBigEndian ? "utf-16be" : "utf-16le"
    case .windows1252: "latin1"
    }
  }
}
