import CatalogApp

extension FuzzTarget {
  /// The words of the input language as a libFuzzer dictionary, one per line.
  package var dictionary: String {
    words.map { "\"\(Self.escaped($0))\"\n" }.joined()
  }

  private var words: [String] {
    switch self {
    case .log: ["title", "Film", "Studio", "year"]
    case .json:
      [
        "{\"", "\":", "null", "true", "false", "\\u0000", "\\ud83d\\ude00", "\\ud800", "-0.0",
        "1e308",
        "\"catalog\"", "\"type\"", "\"text\"", "\"link\"", "\"id\"", "9223372036854775808", "[[",
        "]]",
      ]
    case .csv:
      ["\"\"", "\",\"", "\r\n", ";", "\t", "\u{FEFF}", "true", "2009-05-29", "-0.5", "007", "\n\n"]
    case .predicate:
      [
        " and ", " or ", "not ", " in (", " between ", " like ", " matches ", " contains", "[cdw]",
        " is null", " is not null", "truepredicate", "title", "year", "rating", "price", "notes",
        "moment", "sequels", "studio", "`", "\\u{", "2009-05-29", "beginswith", "endswith", "||",
        "&&",
      ]
    case .script:
      Command.all.map(\.name)
        + ["Film", "title=", "where ", "sort ", "limit ", "fields ", "\\u{", "into ", "\n", "t1"]
    case .keys:
      [
        "\u{1B}[", "\u{1B}[200~", "\u{1B}[201~", "\u{1B}[<0;", "\u{1B}O", "\r", ":", "/",
        "\u{1B}[A",
        "\u{1B}[B", "\u{1B}[1;5C", "\u{7F}", ":list\r", ":insert title=x\r", "\u{E}",
      ]
    }
  }

  private static func escaped(_ word: String) -> String {
    word.utf8.map { byte in
      switch byte {
      case UInt8(ascii: "\""), UInt8(ascii: "\\"): "\\" + String(Unicode.Scalar(byte))
      case 0x20...0x7E: String(Unicode.Scalar(byte))
      default: "\\x" + (byte < 16 ? "0" : "") + String(byte, radix: 16, uppercase: true)
      }
    }.joined()
  }
}
