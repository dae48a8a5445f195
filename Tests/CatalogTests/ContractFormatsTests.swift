import Testing

/// The output of scripts in each format.
@Suite struct ContractFormatsTests {
  static let formats: [(String, String)] = [
    (
      "json",
      #"""
      [
        {"id": "t1", "title": "a,\"b\"", "director": "x\ty\n\\z", "releaseYear": null, "boxOfficeMillions": 1.5, "favourite": true}
      ]

      """#
    ),
    (
      "jsonl",
      #"""
      {"id": "t1", "title": "a,\"b\"", "director": "x\ty\n\\z", "releaseYear": null, "boxOfficeMillions": 1.5, "favourite": true}

      """#
    ),
    (
      "csv",
      "id,title,director,releaseYear,boxOfficeMillions,favourite\r\n"
        + "t1,\"a,\"\"b\"\"\",\"x\ty\n\\z\",,1.5,true\r\n"
    ),
    (
      "tsv",
      "id\ttitle\tdirector\treleaseYear\tboxOfficeMillions\tfavourite\n"
        + "t1\ta,\"b\"\tx\\ty\\n\\\\z\t\t1.5\ttrue\n"
    ),
  ]

  @Test(arguments: formats)
  func everyFormatKeepsEveryValue(format: String, expected: String) throws {
    let folder = try TemporaryFolder()
    let run = try folder.run(
      [
        "--store", "memory", "--sample", "--format", format, "-e",
        #"insert title='a,"b"' director="x\ty\n\\z" releaseYear= boxOfficeMillions=1.50 favourite=true"#,
        "-e",
        #"list where favourite = true fields id,title,director,releaseYear,boxOfficeMillions,favourite"#,
      ])
    #expect(run.output == "t1\n" + expected, "\(run.errors)")
  }

  @Test(arguments: [
    ("json", "[]\n"), ("jsonl", ""), ("csv", "id,title\r\n"), ("tsv", "id\ttitle\n"),
    ("table", "id  title\n──  ─────\n"),
  ])
  func anEmptyListIsStillAList(format: String, expected: String) throws {
    let folder = try TemporaryFolder()
    let run = try folder.run(
      [
        "--store", "memory", "--sample", "--format", format, "-e",
        "list where false fields id,title",
      ]
    )
    #expect(run.output == expected)
    #expect(run.status == 0, "\(run.errors)")
  }

  @Test func aTableLinesUpWideCharactersAndShowsControlsHarmlessly() throws {
    let folder = try TemporaryFolder()
    try folder.write(
      #"[{"t":"\u001b[31m","n":1},{"t":"日本","n":22},{"t":"a\u202eb","n":3}]"#,
      to: "a.json"
    )
    let run = try folder.run(["a.json", "--format", "table", "-e", "list"])
    #expect(
      run.output == """
        id  t            n
        ──  ──────────  ──
        1   ^[[31m       1
        2   日本        22
        3   a<U+202E>b   3

        """,
      "\(run.errors)"
    )
  }

  @Test(arguments: ["csv", "tsv", "json", "jsonl"])
  func exportsImportUnchanged(ending: String) throws {
    let folder = try TemporaryFolder()
    let run = try folder.run(
      ["--store", "memory", "--sample", "--format", "json"],
      input: """
        insert title="tab\\t quote\\" comma, back\\\\slash" director="" boxOfficeMillions=0.1
        save
        export films.\(ending)
        count
        delete where true
        save
        import films.\(ending)
        save
        count
        list where title beginswith "tab" fields id,title,director,releaseYear,boxOfficeMillions

        """
    )
    #expect(run.status == 0, "\(run.errors)")
    #expect(
      withoutIdentifiers(run.output).hasSuffix(
        """
        32
        [
          {"id": "ID", "title": "tab\\t quote\\" comma, back\\\\slash", "director": "", "releaseYear": null, "boxOfficeMillions": 0.1}
        ]

        """
      ),
      "\(run.output)"
    )
  }

  @Test func exportToADashPrintsInTheFormat() throws {
    let folder = try TemporaryFolder()
    let run = try folder.run([
      "--store", "memory", "--sample", "--format", "jsonl", "-e",
      #"export - where title = "Up""#,
    ])
    #expect(
      withoutIdentifiers(run.output).hasPrefix(#"{"id": "ID", "title": "Up", "releaseYear": 2009"#)
    )
    #expect(run.output.split(separator: "\n").count == 1)
  }
}
