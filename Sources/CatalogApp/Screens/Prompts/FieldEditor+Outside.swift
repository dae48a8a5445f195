import OpenSwiftData

extension FieldEditor {
  /// The request to edit the text in the user's editor; JSON is indented.
  var outsideEdit: Effect {
    guard attribute.type == .json, let tree = JSONTree(editor.text) else {
      return .edit(editor.text)
    }
    return .edit(tree.indented, ending: "json")
  }
}
