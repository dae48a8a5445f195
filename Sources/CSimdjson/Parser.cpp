#include "Parser.hpp"

namespace catalog {

int Parser::read(const uint8_t *window, size_t count, size_t offset, bool last,
                 catalog_json_batch &batch, catalog_json_error &error) {
  keep_batch();
  text = window;
  window_offset = offset;
  length = last ? count : cut(window, count);
  items.clear();
  cells.clear();
  consumed = 0;
  failure = {};
  Step result = Step::more;
  if (length > 0) {
    if (scratch_count < length) {
      scratch.reset(new uint8_t[length]);
      scratch_count = length;
    }
    free_scratch = scratch.get();
    if (simd.capacity() < length && simd.allocate(length) != simdjson::SUCCESS)
      result = fail(0, "a text of less than 4 GiB in one value");
    const auto code = result == Step::wrong
                          ? simdjson::SUCCESS
                          : simd.implementation->stage1(text, length, simdjson::stage1_mode::regular);
    if (code != simdjson::SUCCESS && code != simdjson::EMPTY) {
      find_encoding_error(code, last);
      error = failure;
      return -1;
    }
    indexes = simd.implementation->structural_indexes.get();
    index_count = code == simdjson::EMPTY ? 0 : simd.implementation->n_structural_indexes;
    next = 0;
    while (result != Step::wrong && next < index_count) {
      const auto cells_before = cells.size();
      const auto items_before = items.size();
      result = step();
      if (result == Step::done) continue;
      if (result == Step::more) {
        cells.resize(cells_before);
        items.resize(items_before);
        break;
      }
    }
    if (result != Step::wrong && next >= index_count) {
      // The line break after the last line belongs to this window.
      if (std::memchr(text + consumed, '\n', length - consumed) != nullptr) needs_line = false;
      consumed = length;
    }
  }
  if (result != Step::wrong && last) {
    if (state == State::start && index_count == 0) result = fail(length, "a value");
    else if (consumed < length || (state != State::end && state != State::lines))
      result = fail(length, "more: the text ends too early");
  }
  if (result == Step::wrong) {
    failure.knows_records = 1;
    failure.records_end = consumed;
    error = failure;
    return -1;
  }
  batch = {items.data(), items.size(), cells.data(), cells.size(), consumed};
  return 0;
}

/// Exchanges the memory of the last batch for that of the oldest one.
void Parser::keep_batch() {
  if (former.empty()) return;
  Memory &memory = former[next_former];
  next_former = (next_former + 1) % former.size();
  std::swap(memory.items, items);
  std::swap(memory.cells, cells);
  std::swap(memory.scratch, scratch);
  std::swap(memory.scratch_count, scratch_count);
}

/// Takes one step. If the window ends within it, the caller undoes the whole step.
Parser::Step Parser::step() {
  const uint32_t first = next;
  Step result = Step::done;
  switch (state) {
  case State::start: result = begin_document(); break;
  case State::object_first:
  case State::object_next:
    if (at(next, '}')) {
      emit(CATALOG_JSON_OBJECT_END, indexes[next++], 1);
      state = State::end;
    } else if (state == State::object_first) {
      result = document_member();
    } else if (at(next, ',')) {
      next++;
      state = State::object_key;
    } else {
      result = fail(indexes[next], "a comma or the closing brace");
    }
    break;
  case State::object_key: result = document_member(); break;
  case State::array_first:
  case State::array_next:
    if (at(next, ']')) {
      emit(CATALOG_JSON_SECTION_END, indexes[next++], 1);
      state = in_object ? State::object_next : State::end;
    } else if (state == State::array_first) {
      if ((result = record(false)) == Step::done) state = State::array_next;
    } else if (at(next, ',')) {
      next++;
      state = State::array_value;
    } else {
      result = fail(indexes[next], "a comma or the closing bracket");
    }
    break;
  case State::array_value:
    if ((result = record(false)) == Step::done) state = State::array_next;
    break;
  case State::named_first:
  case State::named_next:
  case State::named_key: result = named_step(); break;
  case State::lines:
    if (needs_line && std::memchr(text + consumed, '\n', indexes[next] - consumed) == nullptr)
      return fail(indexes[next], "a new line");
    if ((result = record(false)) == Step::done) needs_line = true;
    break;
  case State::end: result = fail(indexes[next], "the end"); break;
  }
  if (result == Step::done) consumed = end_of_token(next - 1);
  if (result == Step::more) next = first;
  return result;
}

Parser::Step Parser::begin_document() {
  if (is_named) {
    if (!at(next, '{')) return fail(indexes[next], "an object of records");
    begin_section();
    current->storage.push_back({"_key", false, 0, 0});
    current->keys.push_back(&current->storage.back());
    current->places.emplace("_key", 0);
    state = State::named_first;
    emit(CATALOG_JSON_SECTION_BEGIN, indexes[next] + 1, 0);
  } else if (at(next, '{')) {
    in_object = true;
    state = State::object_first;
    emit(CATALOG_JSON_OBJECT_BEGIN, indexes[next] + 1, 0);
  } else if (at(next, '[')) {
    begin_section();
    state = State::array_first;
    emit(CATALOG_JSON_SECTION_BEGIN, indexes[next] + 1, 0);
  } else {
    return fail(indexes[next], "an array of objects, or an object of such arrays");
  }
  next++;
  return Step::done;
}

/// Parses a member of the document: an array of records, or a value that is only validated.
Parser::Step Parser::document_member() {
  if (!at(next, '"')) return fail(indexes[next], "a key in double quotes");
  if (next + 3 >= index_count && (next + 2 >= index_count || at(next + 2, '['))) return Step::more;
  size_t end;
  if (!string_end(next, end)) return fail(indexes[next], "the closing quote of this key");
  if (!at(next + 1, ':')) return fail(indexes[next + 1], "a colon");
  std::string_view name;
  std::string decoded(end - indexes[next], '\0');
  const Step step = decode(indexes[next] + 1, end, name, reinterpret_cast<uint8_t *>(decoded.data()));
  if (step != Step::done) return step;
  if (document_keys.count(name) > 0) {
    failure.is_duplicate = 1;
    return fail(indexes[next], "a new key");
  }
  const uint32_t key = next;
  next += 2;
  if (at(next, '[') && (at(next + 1, '{') || at(next + 1, ']'))) {
    begin_section();
    auto &item = emit(CATALOG_JSON_SECTION_BEGIN, indexes[next] + 1, 0);
    name = keep(name);
    item.name = reinterpret_cast<const uint8_t *>(name.data());
    item.name_count = name.size();
    next++;
    state = State::array_first;
    return Step::done;
  }
  catalog_json_cell cell{};
  const Step inner = value(cell);
  if (inner != Step::done) {
    if (inner == Step::more) next = key;
    return inner;
  }
  auto &item = emit(CATALOG_JSON_MEMBER, cell.offset, cell.length);
  name = keep(name);
  item.name = reinterpret_cast<const uint8_t *>(name.data());
  item.name_count = name.size();
  state = State::object_next;
  return Step::done;
}

std::string_view Parser::keep(std::string_view name) {
  names.emplace_back(name);
  document_keys.insert(names.back());
  return names.back();
}

catalog_json_item &Parser::emit(uint32_t kind, size_t offset, size_t count) {
  items.push_back({kind, section, uint32_t(offset), uint32_t(count), cells.size(), 0, nullptr, 0});
  return items.back();
}

Parser::Step Parser::fail(size_t offset, const char *expected) {
  failure.offset = offset;
  failure.expected = expected;
  return Step::wrong;
}

/// Finds the byte at which the first stage of simdjson failed.
int Parser::find_encoding_error(simdjson::error_code code, bool last) {
  if (code == simdjson::UTF8_ERROR) {
    const size_t offset = first_invalid(text, length);
    if (offset < length || !last) {
      failure.is_encoding = 1;
      fail(offset, "UTF-8");
      return 0;
    }
  }
  const size_t offset = first_unclosed(text, length);
  fail(offset, offset < length && text[offset] == '"'
                   ? "the closing quote of this string"
                   : "an escape sequence for the control character");
  return 0;
}

}  // namespace catalog

struct catalog_json_parser {
  catalog::Parser parser;
  catalog_json_parser(int form, size_t batches) : parser(form, batches) {}
};

extern "C" {

int catalog_utf8_is_valid(const uint8_t *text, size_t count) {
  return simdjson::validate_utf8(reinterpret_cast<const char *>(text), count);
}

size_t catalog_json_padding(void) { return simdjson::SIMDJSON_PADDING; }

catalog_json_parser *catalog_json_create(int form, size_t batches) {
  return new catalog_json_parser(form, batches);
}

void catalog_json_destroy(catalog_json_parser *parser) { delete parser; }

void catalog_json_skip_others(catalog_json_parser *parser, const size_t *offsets, size_t count) {
  parser->parser.skip_others(offsets, count);
}

int catalog_json_read(catalog_json_parser *parser, const uint8_t *text, size_t count, size_t offset,
                      int is_last, catalog_json_batch *batch, catalog_json_error *error) {
  return parser->parser.read(text, count, offset, is_last != 0, *batch, *error);
}

size_t catalog_json_not_number_count(const catalog_json_parser *parser) {
  return parser->parser.not_number_count;
}

size_t catalog_json_key_count(const catalog_json_parser *parser, uint32_t section) {
  return parser->parser.sections[section].keys.size();
}

const uint8_t *catalog_json_key_name(const catalog_json_parser *parser, uint32_t section, size_t key,
                                     size_t *count) {
  const auto &name = parser->parser.sections[section].keys[key]->name;
  *count = name.size();
  return reinterpret_cast<const uint8_t *>(name.data());
}

uint32_t catalog_json_key_facts(const catalog_json_parser *parser, uint32_t section, size_t key) {
  return parser->parser.sections[section].keys[key]->facts;
}
}
