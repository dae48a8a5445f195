import Testing

/// Files without rows are checked as far as they can be.
@Suite struct EmptyFileTests {
  private let folder: TemporaryFolder

  init() throws {
    folder = try TemporaryFolder()
    let made = try folder.run(
      ["a.catlog", "-e", "entity create Item sku:text n:integer"]
        + [
          "-e", "entity create Other sku:text n:integer", "-e", "insert Item sku=A n=1", "-e",
          "save",
        ]
    )
    try #require(made.status == 0)
    try folder.write("sku,n\n", to: "h.csv")
    try folder.write("sku,nn\n", to: "wrong.csv")
    try folder.write("[]\n", to: "e.json")
    try folder.write("", to: "e.jsonl")
    try folder.write("{\"Item\": []}\n", to: "item.json")
  }

  @Test(arguments: [
    ("import h.csv by sku", "which entity?"), ("import h.csv", "which entity?"),
    ("import e.json by sku", "which entity?"), ("import e.json", "which entity?"),
    ("import e.jsonl", "which entity?"),
    ("import wrong.csv into Item", "wrong.csv:1:5: Item has no field \"nn\""),
    ("import wrong.csv into Item by sku", "wrong.csv:1:5: Item has no field \"nn\""),
    ("each h.csv insert Item sku=$foo", "unknown parameter \"$foo\""),
    ("each h.csv insert Nope sku=$sku", "\"Nope\""),
    ("each h.csv insert Item skuu=$sku", "\"skuu\""),
    ("each h.csv set Item where skuu = $sku n=1", "\"skuu\""),
  ])
  func theCommandFails(command: String, message: String) throws {
    let run = try folder.run(["a.catlog", "-e", command])
    #expect(run.status == 1, "\(run)")
    #expect(run.errors.contains(message), "\(run)")
  }

  @Test(arguments: [
    "import h.csv into Item", "import h.csv into Item by sku", "import item.json",
    "import item.json by sku", "each h.csv insert Item sku=$sku n=$n", "each h.csv delete $sku",
    "each h.csv set $sku n=$n", "each h.csv upsert Item by sku sku=$sku n=$n",
    "each h.csv list Item where n = $n limit 1", "each e.json insert Item sku=$sku",
  ])
  func whatIsRightChangesNothing(command: String) throws {
    let run = try folder.run(["a.catlog", "-e", command, "-e", "changes"])
    #expect(run.status == 0 && run.errors == "", "\(run)")
  }
}
