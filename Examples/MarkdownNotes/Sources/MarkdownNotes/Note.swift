import Foundation
import SwiftData

/// A note: a file with its fields as front matter and its body as Markdown.
@Model
public final class Note {
  /// The title, from which the name of the file is made.
  public var title: String
  /// The text after the front matter.
  public var body: String
  /// Whether the note comes first.
  public var isPinned: Bool = false
  /// When the note is due.
  public var due: Date?
  /// The notes that this one refers to.
  public var links: [Note] = []

  /// Creates a note.
  public init(_ title: String, body: String = "") {
    self.title = title
    self.body = body
  }
}
