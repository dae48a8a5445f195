/// How a database spells what SQL leaves open.
package struct SQLDialect: Hashable, Sendable {
  /// The condition that always holds.
  let always: SQLText
  /// The condition that never holds.
  let never: SQLText
  /// The operator between operands that are equal, or both missing.
  let isSame: String
  /// The operator between others.
  let isOther: String
  /// What a comparison that ignores the case of ASCII ends with; nil if there is none.
  let ignoringCase: String?
  /// The function for the place of a text in another one, from 1; 0 if it has none.
  let search: String
  /// What stands before the name of a table.
  var schema: String
  /// The greatest number.
  let infinity: SQLText
  /// The limit of a query that needs one but has none.
  let noLimit: SQLValue
  /// True if missing values come before all others in an order.
  let missingValuesAreLeast: Bool
  /// True if each statement has to keep the foreign keys; false if they are checked at the end of a transaction.
  let checksReferencesAtOnce: Bool
  /// The program in which a person can give statements to the database.
  let shell: String
}
