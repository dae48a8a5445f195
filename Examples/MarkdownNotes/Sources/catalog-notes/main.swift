import CatalogProgram
import Foundation
import MarkdownNotes
import OpenSwiftData

/// Folders, which no other kind of store opens.
let notes = StoreKind(
  name: "notes",
  recognizes: { path in
    var isFolder: ObjCBool = false
    return FileManager.default.fileExists(atPath: path, isDirectory: &isFolder)
      && isFolder.boolValue
  },
  open: { path, opening in
    let format = MarkdownFormat(URL(fileURLWithPath: path, isDirectory: true))
    let schema = opening.schema ?? Schema([Note.self])
    return try ModelContainer(configurations: MarkdownConfiguration(format, schema: schema))
  }
)

runCatalog(kinds: StoreKind.standard + [notes])
