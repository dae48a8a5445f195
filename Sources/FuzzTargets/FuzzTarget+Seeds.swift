import CatalogApp
import OpenSwiftData
import StoreTorture
import Stores

extension FuzzTarget {
  /// Seed inputs: files that the program writes, and typical user input.
  ///
  /// - Throws: The error of a store; a failure of the instrument.
  package func seeds() throws -> [[UInt8]] {
    switch self {
    case .log: try Self.files(of: .log) + [Self.everyKind(of: .log)]
    case .json: try Self.files(of: .json) + [Self.everyKind(of: .json)] + Self.documents
    case .csv: try Self.files(of: .csv) + Self.tables
    case .predicate: Self.predicates.map { Array($0.utf8) }
    case .script: Self.scripts.map { Array($0.utf8) }
    case .keys: Self.typed(on: [79, 23]) + Self.typed(on: [9, 3])
    }
  }

  /// The files that the workloads leave.
  private static func files(of store: TorturedStore) throws -> [[UInt8]] {
    try Workload.all.filter { $0.store == store && !$0.isLarge }.compactMap { workload in
      let recording = try workload.record(seed: 1)
      var disk = recording.start
      for effect in recording.effects { disk.apply(effect) }
      return disk.bytes(at: workload.path)
    }
  }

  /// A store with a record of every kind of field.
  private static func everyKind(of store: TorturedStore) throws -> [UInt8] {
    let fileSystem = SimulatedFileSystem(seed: 3)
    let open = try store.open(fileSystem, schema: FuzzStore.schema)
    let context = try FuzzStore.session().context
    for entity in FuzzStore.schema.entities {
      let all = try context.fetchSnapshots(matching: Query(entity.name))
      let scope = IdentifierScope(store: nil, entity: entity.name)
      let new = all.enumerated().map { serial, snapshot in
        DefaultSnapshot(
          persistentIdentifier: scope.temporaryIdentifier(UInt64(serial + 1), context: 1),
          layout: entity.layout,
          orderedValues: snapshot.orderedValues
        )
      }
      _ = try open.commit(ChangeSet(inserted: new), author: "ada")
    }
    return fileSystem.disk.bytes(at: store.path) ?? []
  }

  private static let documents: [[UInt8]] = [
    "[]", "{}", "null", "[{\"a\":1},{\"a\":2.5},{\"a\":null,\"b\":[]}]",
    "[{\"id\":\"x\",\"t\":\"\\u0000\\ud83d\\ude00\",\"n\":-0.0e-10}]",
    "{\"Film\":[{\"title\":\"Up\"}],\"Studio\":[]}", "\u{FEFF}[{\"a\":true}]\n",
    "[{\"a\":12345678901234567890123456789012345678}, {\"a\":{\"b\":[1,2,{\"c\":\"d\"}]}}]",
    "[{\"a\":\"2009-05-29\"},{\"a\":\"2009-05-29T10:00:00Z\"}]",
  ].map { Array($0.utf8) }

  private static let tables: [[UInt8]] =
    [
      "", "\n", "a,b\n", "a,b\n1,2\n3,\n", "a;b\r\n\"x;y\";1\r\n\"\"\"\";2\r\n", "a\n1\n\n2\n\n",
      "1,2.5\n3,4.5\n", "a\tb\n1\t\"x\ty\"\n", "a,a,\n1,2,3,4\n5\n", "\u{FEFF}a,b\n\"\",true",
      "a,b\rx,FALSE\r", "a|b\n2009-05-29|2009-05-29T10:00:00Z\n", "a\n\"x\ny\"\n\"z\n",
      "é,b\n1,\"2\"3\n",
    ].map { Array($0.utf8) } + [
      [0x61, 0x0A, 0xE9, 0x0A], [0xFF, 0xFE, 0x61, 0, 0x0A, 0, 0x31, 0],
    ]

  private static let predicates = [
    "year > 2000 and rating <= 8.5", "title contains[cd] \"up\" or not (seen = true)",
    "year in (1, 2, null)", "year between {1, 5} && day >= 2009-05-29", "notes is not null",
    "title like \"*e?\" || title matches \"[A-Z].*\"", "price = 735.1 and title != studio",
    "moment < 2003-05-30T12:00:00Z", "key = \"6f9619ff-8b86-d011-b42d-00c04fc964ff\"",
    "`title` beginswith[w] 'F' and truepredicate", "title endswith \"\\u{1F600}\\n\"",
    "not not not (((year == 3)))", "title < \"b\" and 3 < year", "sequels contains \"t1\"",
    "title not in {\"a\", \"b\"} or title =[cdw] \"x\"", "price > 1e400", "year = 0x10",
  ]

  private static let scripts = [
    "insert Film title=Soul year=2020\nsave\nlist Film where year > 2000 sort year desc limit 2\n",
    "set Film title=\"a b\" where title = \"Up\"\nundo\nredo\nrollback\n",
    "delete Film where seen = false\nsave\nhistory\nfreq Film title\nstats Film\n",
    "entity create Cup name:text size:integer\nfield add Film note:text\nfield rename Film note memo\n",
    "field drop Film memo\nschema\nentities\ncount Film\nshow Film t1\ncheck\ncompact\nstatus\nhelp\n",
    "export out.csv Film\nimport out.csv into Film\nimport films.json into Film\nexport - Film\n",
    "list Film fields title, year # comment\nhelp list\nquit\n", "save-as other\nrevert\nrecover\n",
    "insert Film title='single $q' notes=\"[1,2]\" day=2020-02-30\ninsert Studio name=Pixar\n",
    "list Studio\nset format json\nlist Film\nset format csv\nlist Film\nset format jsonl\nlist\n",
    "\u{FEFF}insert Film title=\"\\u{202E}\\u{7}\"\r\nlist Film\r\n", "list Film where title = \"",
  ]

  /// Typed input, after the bytes that choose the size of the screen.
  private static func typed(on size: [UInt8]) -> [[UInt8]] {
    keyPresses.map { size + Array($0.utf8) }
  }

  private static let keyPresses = [
    "jjkklhG\u{1B}[B\u{1B}[A\u{1B}[5~\u{1B}[6~gg", ":count Film\r", "/up\rnN", "?\u{1B}q",
    "\u{1B}[200~pasted\u{202E} text\r\n\u{1B}[201~", "eabc\u{7F}\u{1B}[D\u{1B}[3~x\rw",
    "o\u{9}\u{9}new\u{9}\rs", "\u{1B}[<0;5;5M\u{1B}[<0;5;5m\u{1B}[<64;5;5M\u{1B}[<65;5;5M",
    "dd\u{12}u:save\ry", "fyear > 1\r\u{1B}", "\u{1B}OP\u{1B}OQ\u{1B}[15~\u{1B}[1;5C\u{1B}[1;3D",
    "::list Film\r\u{10}\u{E}\u{3}\u{1A}\u{C}", "\u{1B}]0;title\u{7}\u{1B}P+q\u{1B}\\\u{1B}[?1;2c",
    "\u{1F469}\u{200D}\u{1F680}e\u{301}\u{9B}31m", " \u{9}\u{1B}[ZcSHhq:q!\r", "Eé漢字\u{17}\u{15}\r",
  ]
}
