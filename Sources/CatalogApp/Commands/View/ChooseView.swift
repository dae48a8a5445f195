import OpenSwiftData

/// `view`: shows and keeps views of the table.
struct ChooseView: Instruction {
  let request: ViewRequest

  static var command: Command { show }

  func perform(in session: Session) throws -> Outcome {
    guard let entity = try? session.entity() else { return try session.show(.view(request)) }
    let stored = try StoredViews(session).texts(of: entity.name)
    return try session.show(.view(request, stored: stored))
  }

  /// The commands for views, in the order of the help.
  static let commands = [show, save, WriteView.command, delete, reset, list]

  private static let show = Command(
    "view",
    usage: "[NAME]",
    summary: "show the table as it was saved under a name; without a name, list the views",
    details: """
      A view is the columns, the filter, the sort and the groups of an entity. The table as it was left is kept, too, and is
      shown when the store is opened again.
      """
  ) { arguments, _ in
    ChooseView(request: arguments.next().map { .show($0.text) } ?? .list)
  }

  private static let save = named(
    "view save",
    "save the columns, filter, sort and groups as a view"
  ) {
    .save($0)
  }
  private static let delete = named("view delete", "delete a saved view") { .delete($0) }
  private static let reset = plain(
    "view reset",
    "show all columns, without filter, sort and groups",
    .reset
  )
  private static let list = plain("views", "list the saved views", .list)

  private static func named(
    _ name: String,
    _ summary: String,
    _ request: @escaping @Sendable (String) -> ViewRequest
  ) -> Command {
    Command(name, usage: "NAME", summary: summary) { arguments, _ in
      ChooseView(request: request(try arguments.requireNameOfView()))
    }
  }

  private static func plain(_ name: String, _ summary: String, _ request: ViewRequest) -> Command {
    Command(name, summary: summary) { _, _ in ChooseView(request: request) }
  }
}

extension Arguments {
  /// Reads the name of a view.
  ///
  /// - Throws: `CommandError` for a missing or empty one.
  mutating func requireNameOfView() throws -> String {
    let name = try require("name of the view").text
    guard !name.isEmpty else { throw CommandError("missing name of the view") }
    return name
  }
}
