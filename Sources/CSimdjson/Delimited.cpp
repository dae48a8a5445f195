#include "Delimited.hpp"

namespace catalog {

void DelimitedParser::read(const uint8_t *text, const uint32_t *fields, const uint32_t *records,
                           size_t count, size_t first_offset, catalog_json_batch &batch) {
  if (!former.empty()) {
    std::swap(now, former[next_former]);
    next_former = (next_former + 1) % former.size();
  }
  now.items.clear();
  now.cells.clear();
  // Decoded texts are never longer than what is written.
  const size_t length = count == 0 ? 0 : records[4 * count - 1];
  if (now.scratch.size() < length) now.scratch.resize(length);
  free_scratch = now.scratch.data();
  const uint32_t columns = uint32_t(facts.size());
  for (size_t place = 0; place < count; place++, records += 4) {
    const uint32_t start = records[2], end = records[3];
    if (start < first_offset) continue;
    const size_t first = now.cells.size();
    const uint32_t given = std::min(records[1], columns);
    const uint32_t *field = fields + 3 * size_t(records[0]);
    if (records[1] != columns && !ends_empty(field, records[1])) {
      auto &number = records[1] < columns ? evidence.short_count : evidence.long_count;
      auto &offset = records[1] < columns ? evidence.first_short : evidence.first_long;
      if (number++ == 0) offset = start;
      if (records[1] < columns && evidence.short_count == 1) evidence.is_short_new = 1;
      if (records[1] > columns && evidence.long_count == 1) evidence.is_long_new = 1;
    }
    for (uint32_t key = 0; key < given; key++, field += 3) add(text, field, key);
    now.items.push_back({CATALOG_JSON_RECORD, 0, start, end - start, first,
                         now.cells.size() - first, nullptr, 0});
  }
  batch.items = now.items.data();
  batch.item_count = now.items.size();
  batch.cells = now.cells.data();
  batch.cell_count = now.cells.size();
}

/// True for the empty field after a delimiter that ends each line.
bool DelimitedParser::ends_empty(const uint32_t *field, uint32_t count) const {
  return options.has_trailing && count == facts.size() + 1 &&
         field[3 * (count - 1)] == field[3 * (count - 1) + 1];
}

void DelimitedParser::add(const uint8_t *text, const uint32_t *field, uint32_t key) {
  now.cells.emplace_back();
  auto &cell = now.cells.back();
  cell.key = key;
  cell.offset = field[0];
  cell.length = field[1] - field[0];
  cell.bytes = text + field[0];
  cell.count = cell.length;
  if (field[2] & 1) {
    take_content(cell);
    if (options.has_escapes && std::memchr(cell.bytes, '\\', cell.count) != nullptr) note_escapes(cell, true);
    if (field[2] & 2) undouble(cell, true);
  } else {
    if (options.trims) trim(cell);
    if (cell.count == 0) {
      cell.kind = CATALOG_JSON_NULL;
      return;
    }
    if (options.has_escapes) {
      if (cell.count == 2 && cell.bytes[0] == '"' && cell.bytes[1] == '"') cell.count = 0;
      else if (std::memchr(cell.bytes, '\\', cell.count) != nullptr) unescape(cell);
    } else if (options.unescapes_bare && std::memchr(cell.bytes, options.escape, cell.count) != nullptr) {
      undouble(cell, false);
    }
  }
  if (values.is_missing(key, cell.bytes, cell.count)) {
    cell.kind = CATALOG_JSON_NULL;
    return;
  }
  // An empty text says nothing about the type of its column.
  if (cell.count == 0) {
    cell.kind = CATALOG_JSON_TEXT;
    return;
  }
  classify(cell);
  values.count(cell, key);
  facts[key] |= facts_of(cell);
  // Where the signs are known, nothing has to be told about them. The bits have the same order here and there.
  if (!values.has_own_numbers())
    facts[key] |= catalog_number_signs(cell.bytes, cell.count) * CATALOG_JSON_SAW_DECIMAL_COMMA;
}

/// Leaves out the blanks around an unquoted field.
void DelimitedParser::trim(catalog_json_cell &cell) {
  while (cell.count > 0 && *cell.bytes == ' ') {
    cell.bytes++;
    cell.count--;
  }
  while (cell.count > 0 && cell.bytes[cell.count - 1] == ' ') cell.count--;
}

/// Leaves out the quotes of a field, with what is before and after them.
void DelimitedParser::take_content(catalog_json_cell &cell) const {
  while (*cell.bytes != options.quote) {
    cell.bytes++;
    cell.count--;
  }
  while (cell.bytes[cell.count - 1] != options.quote) cell.count--;
  cell.bytes++;
  cell.count -= 2;
}

/// Replaces doubled quotes of a quoted field, and escapes before a quote or another escape.
void DelimitedParser::undouble(catalog_json_cell &cell, bool is_quoted) {
  const uint8_t *from = cell.bytes, *end = from + cell.count;
  cell.bytes = free_scratch;
  while (from < end) {
    const uint8_t byte = *from++;
    bool is_marked = false;
    if (from < end && byte == options.quote) is_marked = is_quoted && *from == byte;
    else if (from < end && byte == options.escape && byte != 0) is_marked = *from == options.quote || *from == byte;
    *free_scratch++ = is_marked ? *from++ : byte;
  }
  cell.count = size_t(free_scratch - cell.bytes);
}

/// Counts a field with backslashes that stand for other characters, or notes that some stand for themselves.
void DelimitedParser::note_escapes(const catalog_json_cell &cell, bool is_quoted) {
  const uint8_t *from = cell.bytes, *end = from + cell.count;
  const uint8_t drive = cell.count > 3 && from[2] == '\\' ? from[0] | 0x20 : 0;
  bool is_known = is_quoted || !(drive >= 'a' && drive <= 'z' && from[1] == ':' && from[3] != '\\');
  for (; is_known && from < end; from++) {
    if (*from != '\\') continue;
    is_known = ++from < end && std::memchr("tnr\\\"", *from, 5) != nullptr;
  }
  if (!is_known) evidence.has_other_backslashes = 1;
  else if (!is_quoted) evidence.escaped_count++;
}

/// Replaces \t, \n, \r, \\ and \"; another backslash stands for itself.
void DelimitedParser::unescape(catalog_json_cell &cell) {
  note_escapes(cell, false);
  const uint8_t *from = cell.bytes, *end = from + cell.count;
  cell.bytes = free_scratch;
  while (from < end) {
    uint8_t byte = *from++;
    if (byte == '\\' && from < end) {
      const uint8_t letter = *from;
      from++;
      if (letter == 't') byte = '\t';
      else if (letter == 'n') byte = '\n';
      else if (letter == 'r') byte = '\r';
      else if (letter == '\\' || letter == '"') byte = letter;
      else from--;
    }
    *free_scratch++ = byte;
  }
  cell.count = size_t(free_scratch - cell.bytes);
}

static bool is_word(const catalog_json_cell &cell, const char *lower, const char *title,
                    const char *upper, size_t count) {
  return cell.count == count &&
         (std::memcmp(cell.bytes, lower, count) == 0 || std::memcmp(cell.bytes, title, count) == 0 ||
          std::memcmp(cell.bytes, upper, count) == 0);
}

void DelimitedParser::classify(catalog_json_cell &cell) {
  const uint8_t first = *cell.bytes;
  if (is_digit(first) || first == '-') {
    const uint8_t *limit = cell.bytes + cell.count, *wrong = nullptr;
    if (!values.has_own_numbers() && read_number(cell.bytes, limit, cell, wrong) == limit) return;
    cell.facts = 0;
    cell.kind = CATALOG_JSON_TEXT;
    if (is_digit(first)) read_time(cell.bytes, cell.count, cell);
    if (cell.facts == 0) values.read(cell, cell.key);
    return;
  }
  if (std::memchr(" +.,", first, 4) != nullptr && values.read(cell, cell.key)) return;
  cell.kind = CATALOG_JSON_TEXT;
  if (is_word(cell, "true", "True", "TRUE", 4)) cell.kind = CATALOG_JSON_TRUE;
  else if (is_word(cell, "false", "False", "FALSE", 5)) cell.kind = CATALOG_JSON_FALSE;
}

}  // namespace catalog

struct catalog_csv_parser {
  catalog::DelimitedParser parser;
};

extern "C" {

size_t catalog_utf8_first_invalid(const uint8_t *text, size_t count) {
  return catalog::first_invalid(text, count);
}

catalog_csv_parser *catalog_csv_create(size_t columns, catalog_csv_options options, size_t batches) {
  return new catalog_csv_parser{catalog::DelimitedParser(columns, options, batches)};
}

void catalog_csv_destroy(catalog_csv_parser *parser) { delete parser; }

void catalog_csv_read(catalog_csv_parser *parser, const uint8_t *text, const uint32_t *fields,
                      const uint32_t *records, size_t count, size_t first_offset,
                      catalog_json_batch *batch) {
  parser->parser.read(text, fields, records, count, first_offset, *batch);
}

uint32_t catalog_csv_facts(const catalog_csv_parser *parser, size_t column) {
  return parser->parser.facts[column];
}

void catalog_csv_set_forms(catalog_csv_parser *parser, uint8_t decimal, uint8_t group, uint8_t dates) {
  parser->parser.values.forms = {decimal, group, dates};
}

void catalog_csv_add_missing(catalog_csv_parser *parser, size_t column, const uint8_t *word, size_t count) {
  parser->parser.values.add_missing(column, word, count);
}

catalog_csv_seen catalog_csv_seen_in(const catalog_csv_parser *parser, size_t column) {
  return parser->parser.values.seen(column);
}

int catalog_csv_missing_word(const catalog_csv_parser *parser, size_t column) {
  return parser->parser.values.most_frequent(column);
}

const char *catalog_csv_first_date(const catalog_csv_parser *parser, size_t column, size_t *count) {
  const auto &date = parser->parser.values.first_date(column);
  *count = date.size();
  return date.data();
}

catalog_csv_evidence catalog_csv_take_evidence(catalog_csv_parser *parser) {
  const auto result = parser->parser.evidence;
  parser->parser.evidence.is_short_new = parser->parser.evidence.is_long_new = 0;
  return result;
}
}
