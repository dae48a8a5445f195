import Foundation
import Testing

/// What can follow in a command line: the program answers the completions of shells.
@Suite struct CompletionRequestTests {
  private let folder: TemporaryFolder

  init() throws {
    folder = try TemporaryFolder()
    let run = try folder.run(
      ["books.json", "-e", "entity create Author name:text born:integer"]
        + [
          "-e", "entity create Book title:text author:link:Author", "-e", "insert Author name=Lem",
        ]
        + ["-e", "insert Author name='Italo Calvino'", "-e", "insert Book title=Solaris author=t1"]
        + ["-e", "save"]
    )
    try #require(run.status == 0)
  }

  private static let lines: [(line: String, completions: [String])] = [
    ("catalog books.json -e cou", ["count"]),
    ("catalog books.json -e 'schema a", ["schema apply"]),
    ("catalog books.json -e 'list B", ["list Book", "list by"]),
    ("catalog books.json -e 'list Book so", ["list Book sort"]),
    ("catalog books.json -e 'list Book sort ti", ["list Book sort title"]),
    ("catalog books.json -e 'list Book sort title,-au", ["list Book sort title,-author"]),
    ("catalog books.json -e 'list Book fields author.b", ["list Book fields author.born"]),
    ("catalog books.json -e 'list Author where na", ["list Author where name"]),
    ("catalog books.json -e 'list Author where name cont", ["list Author where name contains"]),
    (
      "catalog books.json -e 'list Author where name = \"i",
      [
        "list Author where name = \"Italo Calvino\""
      ]
    ),
    ("catalog books.json -e 'list Book where author.na", ["list Book where author.name"]),
    (
      "catalog books.json -e 'list Book where author.name = l",
      [
        "list Book where author.name = \"Lem\""
      ]
    ),
    ("catalog books.json -e 'insert Author na", ["insert Author name="]),
    ("catalog books.json -e 'insert Author name=Le", ["insert Author name=Lem"]),
    ("catalog books.json -e 'insert Author name=It", ["insert Author name=\"Italo Calvino\""]),
    ("catalog books.json -e 'freq Author bo", ["freq Author born"]),
    ("catalog books.json --entity Author -e 'freq na", ["freq name"]),
    ("catalog books.json -e count -e 'import a.csv into B", ["import a.csv into Book"]),
    ("catalog books.json -e 'import b", ["import books.json"]),
    ("catalog books.json -e 'schema check bo", ["schema check books.json"]),
    ("catalog books.json -e 'import \"bo", ["import books.json"]),
    ("catalog books.json -e 'import in", []),
    ("catalog books.json -e 'list Author where name = $", []),
    (
      "catalog books.json --arg N Lem -e 'list Author where name = $",
      [
        "list Author where name = $N"
      ]
    ),
    ("catalog books.json -e 'list Author where cat=", []),
    ("catalog books.json -e 'save keep ", ["save keep mine", "save keep theirs"]),
    ("catalog books.json -e 'save ", ["save keep", "save message"]),
    ("catalog books.json --entity A", ["Author"]),
    (
      "catalog memory: --sample -e \"list sort rel",
      [
        "list sort releaseYear", "list sort releaseDate",
      ]
    ),
    ("catalog none.json -e 'list sort t", []), ("catalog books.json -e 'list \"$(x", []),
    ("catalog --format", []), ("", []), ("catalog -e", []),
  ]

  @Test(arguments: lines)
  func whatCanFollowIsPrinted(line: String, completions: [String]) throws {
    let before = try folder.read("books.json")
    let run = try folder.run(["--complete", line])
    #expect(run.output == completions.map { $0 + "\n" }.joined(), "\(run)")
    #expect(run.status == 0)
    #expect(try folder.read("books.json") == before)
  }

  /// A line typed into bash, and Tab at its end.
  @Test func bashCompletesNamesAndValues() throws {
    let run = try folder.inShell(
      #"""
      cat >try.bash <<'END'
      PATH=$(dirname "$catalog"):$PATH
      eval "$(catalog --completions bash)"
      complete_line() {
        COMP_LINE=$1 COMP_POINT=${#1} COMPREPLY=()
        eval "COMP_WORDS=($2)"
        COMP_CWORD=$((${#COMP_WORDS[@]} - 1))
        _catalog 2>/dev/null
        printf '<%s>\n' "${COMPREPLY[@]}"
      }
      complete_line "catalog books.json -e 'list Author where name = \"L" "catalog books.json -e \\'list"
      complete_line 'catalog books.json --entity B' 'catalog books.json --entity B'
      complete_line 'catalog --store js' 'catalog --store js'
      END
      bash try.bash
      """#
    )
    #expect(
      run.output
        == "<list Author where name = \"Lem\">\n<list Author where name = \"Lem\" >\n<Book>\n<json>\n"
        + "<jsonl>\n",
      "\(run)"
    )
  }
}
