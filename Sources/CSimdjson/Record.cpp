#include <algorithm>
#include "Number.hpp"
#include "Parser.hpp"

namespace catalog {

/// The deepest nesting within a value; equal to `JSONText.depthLimit`.
static const size_t depth_limit = 64;
/// The maximum number of different keys, far above any real number of columns.
static const size_t key_limit = 1 << 20;

static const char key_expected[] = "a key in double quotes";
static const char record_expected[] = "an object (a record)";

/// Parses a record; without a need it is skipped if only others are wanted.
Parser::Step Parser::record(bool is_needed) {
  if (!at(next, '{')) return fail(indexes[next], record_expected);
  if (skips && !is_needed && !is_wanted(indexes[next])) return skip_record();
  const size_t start = indexes[next++];
  const size_t first_cell = cells.size();
  record_number++;
  if (next >= index_count) return Step::more;
  if (at(next, '}')) {
    next++;
  } else {
    for (size_t position = 0;; position++) {
      const Step result = member(position);
      if (result != Step::done) return result;
      if (next >= index_count) return Step::more;
      const uint8_t byte = text[indexes[next++]];
      if (byte == '}') break;
      if (byte != ',') return fail(indexes[next - 1], "a comma or the closing brace");
    }
  }
  auto &item = emit(CATALOG_JSON_RECORD, start, indexes[next - 1] + 1 - start);
  item.first_cell = first_cell;
  item.cell_count = cells.size() - first_cell;
  return Step::done;
}

/// Parses the end of an object of records, a comma, or a name and its record.
Parser::Step Parser::named_step() {
  if (state != State::named_key && at(next, '}')) {
    emit(CATALOG_JSON_SECTION_END, indexes[next++], 1);
    state = State::end;
    return Step::done;
  }
  if (state == State::named_next) {
    if (!at(next, ',')) return fail(indexes[next], "a comma or the closing brace");
    next++;
    state = State::named_key;
    return Step::done;
  }
  const Step result = named_record();
  if (result == Step::done) state = State::named_next;
  return result;
}

Parser::Step Parser::named_record() {
  if (!at(next, '"')) return fail(indexes[next], key_expected);
  if (next + 2 >= index_count) return Step::more;
  const uint32_t token = next;
  const size_t start = indexes[next];
  size_t end;
  if (!string_end(next, end)) return fail(start, "the closing quote of this key");
  if (!at(next + 1, ':')) return fail(indexes[next + 1], "a colon");
  const bool is_skipped = skips && !is_wanted(start);
  next += 2;
  if (!at(next, '{')) return fail(indexes[next], record_expected);
  const Step result = is_skipped ? skip_record() : record(true);
  if (result != Step::done) return result;
  const uint32_t after = next;
  if (!is_skipped) {
    next = token;
    cells.emplace_back();
    auto &cell = cells.back();
    cell.key = 0;
    cell.offset = uint32_t(start);
    const Step name = text_value(cell);
    if (name != Step::done) return name;
    next = after;
    const std::string_view text{reinterpret_cast<const char *>(cell.bytes), cell.count};
    if (document_keys.count(text) > 0) {
      failure.is_duplicate = 1;
      return fail(start, "a new key");
    }
    keep(text);
    note(cell);
    items.back().cell_count++;
  }
  items.back().length += uint32_t(items.back().offset - start);
  items.back().offset = uint32_t(start);
  return Step::done;
}

bool Parser::is_wanted(size_t start) {
  start += window_offset;
  while (next_wanted < wanted.size() && wanted[next_wanted] < start) next_wanted++;
  return next_wanted < wanted.size() && wanted[next_wanted] == start;
}

/// Skips a record by matching its brackets.
Parser::Step Parser::skip_record() {
  const size_t start = indexes[next];
  for (size_t depth = 0;;) {
    if (next >= index_count) return Step::more;
    const uint8_t byte = text[indexes[next++]];
    if (byte == '{' || byte == '[') depth++;
    if ((byte == '}' || byte == ']') && --depth == 0) break;
  }
  if (!at(next - 1, '}')) return fail(indexes[next - 1], "the closing brace");
  emit(CATALOG_JSON_RECORD, start, indexes[next - 1] + 1 - start).first_cell = cells.size();
  return Step::done;
}

Parser::Step Parser::member(size_t position) {
  if (next < index_count && !at(next, '"')) return fail(indexes[next], key_expected);
  if (next + 2 >= index_count) return Step::more;
  uint32_t place;
  const Step found = key_place(position, place);
  if (found != Step::done) return found;
  if (!at(next + 1, ':')) return fail(indexes[next + 1], "a colon");
  auto &key = *current->keys[place];
  if (key.last_record == record_number) {
    failure.is_duplicate = 1;
    return fail(indexes[next], "a new key");
  }
  key.last_record = record_number;
  next += 2;
  cells.emplace_back();
  auto &cell = cells.back();
  cell.key = place;
  if (not_a_number(cell)) return Step::done;
  const Step result = value(cell);
  if (result == Step::done) note(cell);
  return result;
}

/// Finds the key at the next token among those of the section, or adds it.
Parser::Step Parser::key_place(size_t position, uint32_t &place) {
  size_t end;
  if (!at(next, '"') || !string_end(next, end)) return fail(indexes[next], key_expected);
  const size_t start = indexes[next] + 1;
  auto &known = *current;
  if (position < known.order.size()) {
    place = known.order[position];
    const auto &key = *known.keys[place];
    if (key.name.size() == end - start && !key.has_backslash &&
        std::memcmp(key.name.data(), text + start, key.name.size()) == 0)
      return Step::done;
  }
  std::string decoded(end - start, '\0');
  std::string_view name;
  const Step step = decode(start, end, name, reinterpret_cast<uint8_t *>(decoded.data()));
  if (step != Step::done) return step;
  const auto entry = known.places.find(name);
  if (entry != known.places.end()) {
    place = entry->second;
  } else {
    if (known.keys.size() >= key_limit) return fail(start - 1, "at most 1,048,576 different keys in the records");
    place = uint32_t(known.keys.size());
    known.storage.push_back({std::string(name), name.find('\\') != name.npos, 0, 0});
    known.keys.push_back(&known.storage.back());
    known.places.emplace(known.storage.back().name, place);
  }
  if (position < known.order.size()) known.order[position] = place;
  else if (position == known.order.size()) known.order.push_back(place);
  return Step::done;
}

Parser::Step Parser::value(catalog_json_cell &cell) {
  if (next >= index_count) return Step::more;
  const size_t start = indexes[next];
  cell.offset = uint32_t(start);
  switch (text[start]) {
  case '"': return text_value(cell);
  case '{':
  case '[': return nested(cell);
  case 't': return word(cell, CATALOG_JSON_TRUE, "true", 4);
  case 'f': return word(cell, CATALOG_JSON_FALSE, "false", 5);
  case 'n': return word(cell, CATALOG_JSON_NULL, "null", 4);
  default: break;
  }
  if (text[start] != '-' && !is_digit(text[start])) return fail(start, "a value");
  const uint8_t *limit = text + end_of_token(next), *wrong = nullptr;
  const uint8_t *end = read_number(text + start, limit, cell, wrong);
  if (end == nullptr) return fail(size_t(wrong - text), "a digit");
  if (end != limit) return fail(size_t(end - text), "the end of the number");
  cell.bytes = text + start;
  cell.count = cell.length = uint32_t(size_t(end - text) - start);
  next++;
  return Step::done;
}

/// Takes NaN, Infinity or -Infinity, which Python writes, for a missing value.
bool Parser::not_a_number(catalog_json_cell &cell) {
  if (next >= index_count) return false;
  const size_t start = indexes[next];
  if (text[start] != 'N' && text[start] != 'I' && text[start] != '-') return false;
  const size_t count = end_of_token(next) - start;
  const std::string_view word{reinterpret_cast<const char *>(text + start), count};
  if (word != "NaN" && word != "Infinity" && word != "-Infinity") return false;
  cell.kind = CATALOG_JSON_NULL;
  cell.offset = uint32_t(start);
  cell.bytes = text + start;
  cell.count = cell.length = uint32_t(count);
  next++;
  not_number_count++;
  return true;
}

Parser::Step Parser::word(catalog_json_cell &cell, uint8_t kind, const char *spelling,
                          size_t count) {
  const size_t start = indexes[next];
  if (end_of_token(next) - start != count || std::memcmp(text + start, spelling, count) != 0)
    return fail(start, "a value");
  cell.kind = kind;
  cell.bytes = text + start;
  cell.count = cell.length = uint32_t(count);
  next++;
  return Step::done;
}

Parser::Step Parser::text_value(catalog_json_cell &cell) {
  size_t end;
  const size_t start = indexes[next];
  if (!string_end(next, end)) return fail(start, "the closing quote of this string");
  std::string_view decoded;
  const Step step = decode(start + 1, end, decoded, free_scratch);
  if (step != Step::done) return step;
  cell.kind = CATALOG_JSON_TEXT;
  cell.bytes = reinterpret_cast<const uint8_t *>(decoded.data());
  cell.count = decoded.size();
  cell.length = uint32_t(end + 1 - start);
  if (cell.bytes == free_scratch) free_scratch += cell.count;
  read_time(cell.bytes, cell.count, cell);
  next++;
  return Step::done;
}

/// Returns the text between two offsets: in place if it has no escapes, otherwise decoded to `out`.
Parser::Step Parser::decode(size_t start, size_t end, std::string_view &result, uint8_t *out) {
  if (std::memchr(text + start, '\\', end - start) == nullptr) {
    result = {reinterpret_cast<const char *>(text + start), end - start};
    return Step::done;
  }
  const uint8_t *wrong = nullptr;
  const uint8_t *stop = decode_text(text + start, text + end, out, wrong);
  if (stop == nullptr)
    return fail(size_t(wrong - text), "a valid escape sequence, with surrogates in pairs");
  result = {reinterpret_cast<const char *>(out), size_t(stop - out)};
  return Step::done;
}

/// Copies an array or object without white space, and validates its contents.
Parser::Step Parser::nested(catalog_json_cell &cell) {
  uint8_t *const begin = free_scratch;
  frames.clear();
  nested_keys.clear();
  nested_names.clear();
  do {
    const uint8_t byte = text[indexes[next]];
    if (byte == '{' || byte == '[') {
      if (frames.size() >= depth_limit)
        return fail(indexes[next], "at most 64 levels of arrays and objects");
      frames.push_back({byte == '{', nested_keys.size()});
      *free_scratch++ = byte;
      if (++next >= index_count) return Step::more;
      if (!at(next, byte + 2)) {
        const Step step = byte == '{' ? nested_key() : Step::done;
        if (step != Step::done) return step;
        if (next >= index_count) return Step::more;
        continue;
      }
    } else {
      const Step step = nested_scalar();
      if (step != Step::done) return step;
    }
    while (!frames.empty()) {
      if (next >= index_count) return Step::more;
      const Frame frame = frames.back();
      const uint8_t mark = text[indexes[next]];
      if (mark != ',' && mark != (frame.is_object ? '}' : ']'))
        return fail(indexes[next], frame.is_object ? "a comma or the closing brace"
                                                   : "a comma or the closing bracket");
      *free_scratch++ = mark;
      next++;
      if (mark == ',') {
        const Step step = frame.is_object ? nested_key() : Step::done;
        if (step != Step::done) return step;
        if (next >= index_count) return Step::more;
        break;
      }
      if (frame.is_object && close_object(frame.first_key) != Step::done) return Step::wrong;
      frames.pop_back();
    }
  } while (!frames.empty());
  cell.kind = CATALOG_JSON_NESTED;
  cell.bytes = begin;
  cell.count = size_t(free_scratch - begin);
  cell.length = uint32_t(indexes[next - 1] + 1 - cell.offset);
  return Step::done;
}

Parser::Step Parser::nested_scalar() {
  catalog_json_cell cell{};
  uint8_t *const out = free_scratch;
  const Step step = value(cell);
  if (step != Step::done) return step;
  std::memcpy(out, text + cell.offset, cell.length);
  free_scratch = out + cell.length;
  return Step::done;
}

Parser::Step Parser::nested_key() {
  if (next < index_count && !at(next, '"')) return fail(indexes[next], key_expected);
  if (next + 2 >= index_count) return Step::more;
  size_t end;
  const size_t start = indexes[next];
  if (!at(next, '"') || !string_end(next, end)) return fail(start, key_expected);
  if (!at(next + 1, ':')) return fail(indexes[next + 1], "a colon");
  std::string_view name{reinterpret_cast<const char *>(text + start + 1), end - start - 1};
  if (std::memchr(name.data(), '\\', name.size()) != nullptr) {
    nested_names.emplace_back(name.size(), '\0');
    const Step step =
        decode(start + 1, end, name, reinterpret_cast<uint8_t *>(nested_names.back().data()));
    if (step != Step::done) return step;
  }
  nested_keys.push_back({name, start});
  std::memcpy(free_scratch, text + start, end + 1 - start);
  free_scratch += end + 1 - start;
  *free_scratch++ = ':';
  next += 2;
  return Step::done;
}

/// Checks for duplicate keys.
Parser::Step Parser::close_object(size_t first_key) {
  const auto first = nested_keys.begin() + ptrdiff_t(first_key);
  std::sort(first, nested_keys.end(), [](const NestedKey &left, const NestedKey &right) {
    return left.name == right.name ? left.offset < right.offset : left.name < right.name;
  });
  const auto twice =
      std::adjacent_find(first, nested_keys.end(), [](const NestedKey &left, const NestedKey &right) {
        return left.name == right.name;
      });
  if (twice != nested_keys.end()) {
    failure.is_duplicate = 1;
    return fail((twice + 1)->offset, "a new key");
  }
  nested_keys.erase(first, nested_keys.end());
  return Step::done;
}

void Parser::note(const catalog_json_cell &cell) {
  current->keys[cell.key]->facts |= facts_of(cell);
}

}  // namespace catalog
