import Foundation
import OpenSwiftData

/// A record as it travels, with the number of times that the server has stored it.
struct Row: Codable {
  var record: DefaultSnapshot
  var revision: Int
}

/// `POST /query`; the answer is a list of rows.
struct Question: Codable {
  var entity: String
  /// The text form of the filter.
  var condition: String
  /// Names of fields, with a minus sign for a descending order.
  var sort: [String]
  var limit: Int?
  var offset: Int
}

/// `POST /save`; the answer is empty.
///
/// The rows have the revisions that the client has read.
struct SaveRequest: Codable {
  var client: UUID
  var inserted: [DefaultSnapshot]
  var updated: [Row]
  var deleted: [Row]
}

/// One item of the answer to `POST /changes`, whose body is the number of the last change that the client knows.
struct SavedChange: Codable {
  var number: Int
  var client: UUID
  var inserted: [PersistentIdentifier]
  var updated: [PersistentIdentifier]
  var deleted: [PersistentIdentifier]
}

/// The body of an answer with a status of 400 or more.
struct Failure: Codable {
  var code: String
  var message: String
}
