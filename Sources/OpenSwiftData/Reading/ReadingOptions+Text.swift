extension ReadingOptions {
  /// A text that does not say how to read a file.
  package struct Fault: Error, Equatable {
    /// What is wrong, in words.
    package let message: String

    init(_ message: String) { self.message = message }

    /// A value that a key does not have.
    init(_ key: String, _ value: String, _ available: [String]) {
      let list = available.joined(separator: ", ")
      self.init("\(key): unknown value \(Value.quoted(value)); available: \(list)")
    }

    /// A key that does not exist.
    init(unknownKey key: String) {
      let list = ReadingOptions.keys.joined(separator: ", ")
      self.init("unknown reading option \(Value.quoted(key)); available: \(list)")
    }
  }

  /// The keys, in the order in which options are printed.
  package static let keys = [
    "header", "delimiter", "quote", "escape", "skip", "comment", "lines", "encoding", "missing",
    "decimal", "thousands", "dates", "blanks",
  ]

  /// What other programs call the keys.
  private static let aliases = [
    "sep": "delimiter", "delim": "delimiter", "nullstr": "missing", "na": "missing",
    "skiprows": "skip",
  ]

  /// The key that a word stands for; nil for none.
  static func name(ofKey word: String) -> String? {
    aliases[word] ?? (keys.contains(word) ? word : nil)
  }

  /// Reads `header=no delimiter=; missing=NA,-`; `auto` alone finds everything out.
  ///
  /// Values with blanks are in double quotation marks; `\t` is a tab.
  ///
  /// - Throws: `Fault` for an unknown key or value, and for options that contradict each other.
  package init(_ text: String) throws(Fault) {
    self = try ReadingOptionsParser.options(in: text)
  }

  /// The options, if they do not contradict each other.
  package func checked() throws(Fault) -> ReadingOptions {
    if hasDecimalComma, thousands == .comma {
      throw Fault("decimal=comma: thousands=, would be the same character")
    }
    if !hasDecimalComma, thousands == .point {
      throw Fault("thousands=.: decimal=comma is required")
    }
    if case .byte(let quote) = quote, delimiter == .byte(quote) {
      throw Fault("delimiter and quote: the same character")
    }
    if case .byte(UInt8(ascii: "\\")) = delimiter, escape == .backslash || escape == .tsv {
      throw Fault("delimiter and escape: the same character")
    }
    return self
  }

  /// What is not automatic, in the order of the keys, as it can be read again; empty if nothing is.
  package var text: String {
    var words: [String] = []
    func put(_ key: String, _ value: String?) {
      if let value { words.append("\(key)=\(Self.quotedIfNeeded(value))") }
    }
    put("header", header == .automatic ? nil : header.rawValue)
    put("delimiter", delimiterText)
    // A quotation mark alone needs no others.
    if let quoteText { words.append("quote=\(quoteText)") }
    put("escape", escapeText)
    put("skip", skippedLines.map { "\($0)" })
    put("comment", commentText)
    put("lines", lineEnd == .automatic ? nil : lineEnd.rawValue)
    put("encoding", encoding == .automatic ? nil : encoding.rawValue)
    put("missing", missing.everywhere.isEmpty ? nil : missing.everywhere.joined(separator: ","))
    for (column, own) in missing.byColumn.sorted(by: { $0.key < $1.key }) {
      let name = column.contains("=") ? Self.inQuotes(column) : Self.quotedIfNeeded(column)
      put("missing.\(name)", own.isEmpty ? "none" : own.joined(separator: ","))
    }
    put("decimal", hasDecimalComma ? "comma" : nil)
    put("thousands", thousands == .none ? nil : thousands.rawValue)
    put("dates", dates == .iso ? nil : dates.rawValue)
    put("blanks", blanks == .automatic ? nil : blanks.rawValue)
    return words.joined(separator: " ")
  }

  private var delimiterText: String? {
    switch delimiter {
    case .automatic: nil
    case .byte(0x09): "tab"
    case .byte(0x20): "space"
    case .byte(let byte): String(Unicode.Scalar(byte))
    case .blanks: "blanks"
    case .none: "none"
    }
  }

  private var quoteText: String? {
    switch quote {
    case .automatic: nil
    case .byte(let byte): String(Unicode.Scalar(byte))
    case .none: "none"
    }
  }

  private var escapeText: String? {
    switch escape {
    case .automatic: nil
    case .none: "none"
    case .backslash: "\\"
    case .tsv: "tsv"
    }
  }

  private var commentText: String? {
    switch comment {
    case .automatic: nil
    case .none: "none"
    case .prefix(let text): text
    }
  }

  /// A value in quotation marks, unless it is read as it is without them.
  private static func quotedIfNeeded(_ value: String) -> String {
    if value == "\\" { return value }
    let isPlain =
      !value.isEmpty && value.first != "\""
      && !value.unicodeScalars.contains { $0.value <= 0x20 || $0 == "\\" }
    return isPlain ? value : inQuotes(value)
  }

  private static func inQuotes(_ value: String) -> String {
    var result = "\""
    for scalar in value.unicodeScalars {
      switch scalar {
      case "\t": result += "\\t"
      case "\"", "\\": result += "\\\(scalar)"
      default: result.unicodeScalars.append(scalar)
      }
    }
    return result + "\""
  }
}
