import Testing

/// Columns whose type, which follows from their values, is another one after a save.
@Suite struct NarrowedColumnTests {
  let folder: TemporaryFolder

  init() throws { folder = try TemporaryFolder() }

  /// The field gets its former type again, with which the file is read until the next run.
  @Test(arguments: [
    ("k,v\na,1\nb,n/a\nc,3\n", "set where k=\"b\" v=5"),
    ("k,v\na,1\nb,2.5\nc,3\n", "delete where k=\"b\""),
  ])
  func undoInALaterRunLosesNoValue(text: String, line: String) throws {
    func lines(_ text: String) -> [Substring] { text.split(separator: "\n").sorted() }
    for command in ["undo", "revert all to 2020-01-01"] {
      let folder = try TemporaryFolder()
      try folder.write(text, to: "a.csv")
      #expect(try folder.run(["a.csv", "-e", line, "-e", "save"]).status == 0)
      let undone = try folder.run(["a.csv", "-e", command, "-e", "save"])
      #expect(undone.status == 0, "\(undone)")
      #expect(try lines(folder.read("a.csv")) == lines(text))
    }
  }

  /// Only missing values are left, so that the type of the field is no longer known.
  @Test func aNumberDoesNotComeBackAsText() throws {
    let text = "[{\"n\": \"x\", \"a\": 1}, {\"n\": \"y\"}]\n"
    try folder.write(text, to: "a.json")
    #expect(try folder.run(["a.json", "-e", "set where n=\"x\" a=", "-e", "save"]).status == 0)
    let undone = try folder.run(["a.json", "-e", "undo", "-e", "save"])
    #expect(undone.status == 0, "\(undone)")
    #expect(try folder.read("a.json") == text)
  }

  /// Repeating the conversion would give the field the value from before.
  @Test(arguments: ["a.db", "a.catlog", "a.json"])
  func aConversionIsNotRepeatedOverANewValue(store: String) throws {
    let made = try folder.run([
      store, "-e", "entity create E k:text v:integer", "-e", "insert k=a v=1", "-e",
      "insert k=b v=2",
      "-e", "save",
    ])
    #expect(made.status == 0, "\(made)")
    let run = try folder.inShell(
      #"""
      { echo 'field type v text'; echo undo; echo count; while ! [ -e changed ]; do sleep 0.02; done
        echo redo; echo save; } | "$catalog" STORE --keep-going --script - >out 2>err & script=$!
      while ! [ -s out ]; do sleep 0.02; done
      "$catalog" STORE -e 'set where k="b" v=9' -e save
      : >changed
      wait $script
      cat err
      "$catalog" STORE -e 'list fields k,v'
      """#
      .replacing("STORE", with: store)
    )
    #expect(run.output.contains("has been changed by another program"), "\(run)")
    #expect(run.output.hasSuffix("a\t1\nb\t9\n"), "\(run)")
  }

  @Test func aValueWithoutAPlaceLeavesTheOneOfTheStore() throws {
    try folder.write("k,v\na,1\nb,n/a\nc,3\n", to: "a.csv")
    let run = try folder.inShell(
      #"""
      { echo 'set where k="a" v=zzz'; echo count; while ! [ -e changed ]; do sleep 0.02; done
        echo save; echo save; } | "$catalog" a.csv --keep-going --script - >out 2>err & script=$!
      while ! [ -s out ]; do sleep 0.02; done
      printf 'k,v\na,1\nb,2\nc,3\n' >a.csv
      : >changed
      wait $script
      cat err a.csv
      """#
    )
    #expect(run.output.contains("your unsaved values of 1 record cannot be saved"), "\(run)")
    #expect(run.output.hasSuffix("k,v\na,1\nb,2\nc,3\n"), "\(run)")
  }

  @Test func aFileThatIsEmptyForAMomentLosesNoUnsavedChange() throws {
    try folder.write("k,v\na,1\nb,2\n", to: "a.csv")
    let run = try folder.inShell(
      #"""
      { echo 'set where k="b" v=99'; echo count; while ! [ -e emptied ]; do sleep 0.02; done
        echo save; echo count; while ! [ -e written ]; do sleep 0.02; done; echo save; } |
        "$catalog" a.csv --keep-going --script - >out 2>err & script=$!
      while ! [ -s out ]; do sleep 0.02; done
      : >a.csv
      : >emptied
      while ! [ -s err ]; do sleep 0.02; done
      printf 'k,v\na,1\nb,2\n' >a.csv
      : >written
      wait $script
      cat err a.csv
      """#
    )
    #expect(run.output.contains("a.csv: empty now"), "\(run)")
    #expect(run.output.hasSuffix("k,v\na,1\nb,99\n"), "\(run)")
  }
}
