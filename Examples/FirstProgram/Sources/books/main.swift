import SwiftData

let arguments = CommandLine.arguments.dropFirst()
let context = try openBooks(at: URL(fileURLWithPath: "books.store"))
if let title = arguments.first, let author = arguments.dropFirst().first {
  context.insert(Book(title, author: author))
  try context.save()
}
for line in try list(context) { print(line) }
