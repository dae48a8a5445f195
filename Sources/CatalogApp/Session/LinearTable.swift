/// The table of scripts and of `--plain`, which have no screen: what `list` without arguments prints.
struct LinearTable {
  /// The tables by entity, if they differ from the first ones.
  var views: [String: TableView] = [:]
  /// The views with a name; nil until they are needed.
  var book: ViewBook?
}
