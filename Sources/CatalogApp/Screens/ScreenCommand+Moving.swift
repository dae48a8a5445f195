import OpenSwiftData

extension ScreenCommand {
  private static func move(
    _ name: String,
    _ keys: [Key],
    _ summary: String,
    _ body: @escaping @Sendable (inout TableState, _ count: Int, _ page: Int) -> Void
  ) -> ScreenCommand {
    ScreenCommand(name, keys: keys, group: "Moving", summary: summary, takesCount: true) {
      app,
      count in
      body(&app.table, min(count ?? 1, 1_000_000_000), app.layout.rowCount)
      return .stay
    }
  }

  /// The commands that move the cursor.
  static let moving: [ScreenCommand] = [
    move("down", [.down, .character("j")], "go to the next record") { table, count, _ in
      table.move(toRow: table.row + count)
    },
    move("up", [.up, .character("k")], "go to the previous record") { table, count, _ in
      table.move(toRow: table.row - count)
    },
    move("right", [.right, .character("l")], "go to the next column") { table, count, _ in
      table.move(toColumn: table.column + count)
    },
    move("left", [.left, .character("h")], "go to the previous column") { table, count, _ in
      table.move(toColumn: table.column - count)
    },
    ScreenCommand(
      "first",
      keys: [.character("g"), .home],
      group: "Moving",
      summary: "go to the first record; after a number, to that record",
      takesCount: true
    ) { app, count in
      app.table.move(toRow: (count ?? 1) - 1)
      return .stay
    },
    ScreenCommand(
      "last",
      keys: [.character("G"), .end],
      group: "Moving",
      summary: "go to the last record; after a number, to that record (42G)",
      takesCount: true
    ) { app, count in
      app.table.move(toRow: (count ?? app.table.extent.count) - 1)
      return .stay
    },
    move("first column", [.character("0")], "go to the first column") { table, _, _ in
      table.move(toColumn: 0)
    },
    move("last column", [.character("$")], "go to the last column") { table, _, _ in
      table.move(toColumn: .max)
    },
    move("page down", [.pageDown, .control("f")], "go down a page") { table, count, page in
      table.scroll(by: count * page)
    },
    move("page up", [.pageUp, .control("b")], "go up a page") { table, count, page in
      table.scroll(by: -count * page)
    },
    move("half page down", [.control("d")], "go down half a page") { table, count, page in
      table.scroll(by: count * max(1, page / 2))
    },
    move("half page up", [.control("u")], "go up half a page") { table, count, page in
      table.scroll(by: -count * max(1, page / 2))
    },
    ScreenCommand(
      "next entity",
      keys: [.tab],
      group: "Moving",
      summary: "show the next entity",
      disabledReason: {
        $0.status.entities.count < 2 ? "no other entity" : nil
      }
    ) { app, _ in
      let entities = app.status.entities
      let place = entities.firstIndex { $0.name == app.table.entity?.name } ?? -1
      app.show(entity: entities[(place + 1) % entities.count])
      return .stay
    },
  ]
}

extension TableState {
  /// Moves the cursor and the first row shown by as many rows.
  mutating func scroll(by rows: Int) {
    top = max(0, top + rows)
    move(toRow: row + rows)
  }
}
