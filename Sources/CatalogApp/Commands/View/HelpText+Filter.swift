extension HelpText {
  /// The short terms of the filter of the screen, with what they mean, for the manual page.
  ///
  /// A test types each into the filter of the sample films.
  package static let filterTerms: [(term: String, meaning: String)] = [
    ("docter up", "each word occurs in some field, in any case unless a capital is typed"),
    ("\"toy story\"", "these words together"),
    ("year:1990-99", "from 1990 to 1999; 2015- is from 2015 on"),
    ("director:docter", "the field contains the text"),
    ("box>500", "also >=, <, <= and ="),
    ("released:2009", "the days of that year; also 2009-05, today, \"last month\""),
    ("favourite", "the field is true"),
    ("-favourite", "it is not; a minus inverts any term"),
    ("-toy", "no field contains the word"),
    ("running time:90-100", "a name of several words needs no quotes"),
  ]
}
