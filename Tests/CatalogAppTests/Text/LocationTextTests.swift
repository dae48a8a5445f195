import CatalogApp
import Testing

@Suite struct LocationTextTests {
  @Test(
    arguments: [
      ("postgres://ann:secret@host/db", "postgres://ann@host/db"),
      ("postgres://ann:secret@host:5432/db?a=b", "postgres://ann@host:5432/db?a=b"),
      ("https://:secret@host/", "https://@host/"),
      ("postgres://ann:@host/db", "postgres://ann@host/db"),
      ("postgres://ann:p%40ss@host", "postgres://ann@host"),
      // Characters that belong percent-encoded.
      ("postgres://ann:p@ss/wo:rd@host/db", "postgres://ann@host/db"),
      ("postgres://ann:pa?ss#@host/db", "postgres://ann@host/db"),
      ("postgres://ann:\u{E9}\u{1F41F}@host/db", "postgres://ann@host/db"),
      ("https://host/db?user=ann&password=secret&x=1", "https://host/db?user=ann&password=&x=1"),
      ("https://host/db?API_KEY=a=b&Token=c", "https://host/db?API_KEY=&Token="),
      ("https://host/db?sslpassword=x", "https://host/db?sslpassword="),
    ]
  )
  func aPasswordIsLeftOut(_ url: String, _ shown: String) {
    #expect(LocationText.withoutPasswords(url) == shown)
    #expect(LocationText.withoutPasswords(shown) == shown)
    #expect(LocationText.withoutPasswords("e \(url) # \"\(url)\"") == "e \(shown) # \"\(shown)\"")
  }

  @Test(
    arguments: [
      "", "films.json", "://", "a://", "https://host", "https://host:8080/people/@ann",
      "https://host:8080/@ann?q=a:b@c", "https://ann@host/db", "https://host/?q=a:b@c",
      "json:a:b@c", "12:30 ann@host", "https://host/db?keyspace=films&monkeys=2",
      "mail ann@host: see https://host", "https://[::1]:8080/db",
    ]
  )
  func otherTextStaysAsItIs(_ text: String) {
    #expect(LocationText.withoutPasswords(text) == text)
  }

  @Test func aPasswordWithWhiteSpaceIsLeftOutOfALine() {
    #expect(
      LocationText.withoutPasswords("e postgres://ann:my \"secret @host/db now")
        == "e postgres://ann@host/db now"
    )
    #expect(
      LocationText.withoutPasswords("https://host:80/ and ann@host")
        == "https://host:80/ and ann@host"
    )
  }

  @Test func aSchemeIsInSmallLetters() {
    #expect(LocationText.scheme(of: "HTTPS://host") == "https")
    #expect(LocationText.scheme(of: "git+ssh://host") == "git+ssh")
    for text in ["json:films", "://host", "1a://host", "a b://host", "./a://b", "films.json"] {
      #expect(LocationText.scheme(of: text) == nil, "\(text)")
    }
  }

  @Test func theHistoryOfAPromptKeepsNoPassword() {
    var history = PromptHistory()
    history.add("e postgres://ann:secret@host/db", to: .command)
    #expect(history[.command] == ["e postgres://ann@host/db"])
    #expect(!history.text.contains("secret"))
  }
}
