#ifndef CATALOG_PARSER_HPP
#define CATALOG_PARSER_HPP
#include <deque>
#include <memory>
#include <string>
#include <string_view>
#include <unordered_map>
#include <unordered_set>
#include <vector>
#include <simdjson.h>
#include "CSimdjson.h"
#include "Text.hpp"

namespace catalog {

struct Key {
  std::string name;
  /// True if the text of the name contains escapes.
  bool has_backslash = false;
  uint32_t facts = 0;
  uint64_t last_record = 0;
};

/// The keys of one array of records.
struct Section {
  std::deque<Key> storage;
  std::vector<Key *> keys;
  std::unordered_map<std::string_view, uint32_t> places;
  /// The keys in the order of the last record, because the next record usually has the same order.
  std::vector<uint32_t> order;
};

/// Parses a text by the structural indexes that the first stage of simdjson finds.
class Parser {
public:
  /// The last `batches` batches stay valid.
  Parser(int form, size_t batches)
      : state(form == CATALOG_JSON_LINES ? State::lines : State::start), is_named(form == CATALOG_JSON_NAMED),
        former(batches > 1 ? batches - 1 : 0) {
    if (form == CATALOG_JSON_LINES) begin_section();
  }

  /// Restricts parsing to the records that begin at these offsets of the text.
  void skip_others(const size_t *offsets, size_t count) {
    skips = true;
    wanted.assign(offsets, offsets + count);
  }

  int read(const uint8_t *window, size_t count, size_t offset, bool last, catalog_json_batch &batch,
           catalog_json_error &error);

  std::deque<Section> sections;
  /// The number of values such as NaN, which count as missing.
  size_t not_number_count = 0;

private:
  enum class Step { done, more, wrong };
  enum class State {
    start, array_first, array_next, array_value, object_first, object_next, object_key, named_first,
    named_next, named_key, end, lines
  };
  struct Frame {
    bool is_object;
    size_t first_key;
  };
  struct NestedKey {
    std::string_view name;
    size_t offset;
  };

  /// The memory of a batch.
  struct Memory {
    std::vector<catalog_json_item> items;
    std::vector<catalog_json_cell> cells;
    std::unique_ptr<uint8_t[]> scratch;
    size_t scratch_count = 0;
  };

  void keep_batch();
  void begin_section() {
    section = uint32_t(sections.size());
    sections.emplace_back();
    current = &sections.back();
  }
  Step step();
  Step begin_document();
  Step document_member();
  Step record(bool is_needed);
  Step named_record();
  Step named_step();
  bool is_wanted(size_t start);
  Step skip_record();
  Step member(size_t position);
  Step value(catalog_json_cell &cell);
  Step text_value(catalog_json_cell &cell);
  bool not_a_number(catalog_json_cell &cell);
  Step word(catalog_json_cell &cell, uint8_t kind, const char *spelling, size_t count);
  Step nested(catalog_json_cell &cell);
  Step nested_scalar();
  Step nested_key();
  Step close_object(size_t first_key);
  Step key_place(size_t position, uint32_t &place);
  Step decode(size_t start, size_t end, std::string_view &text, uint8_t *out);
  Step fail(size_t offset, const char *expected);
  int find_encoding_error(simdjson::error_code code, bool last);
  void note(const catalog_json_cell &cell);
  bool at(uint32_t place, uint8_t byte) const { return text[indexes[place]] == byte; }
  /// The end of a bracket or a scalar, without the white space after it.
  size_t end_of_token(uint32_t place) const {
    const size_t start = indexes[place];
    size_t end = place + 1 < index_count ? indexes[place + 1] : length;
    while (end > start + 1 && is_space(text[end - 1])) end--;
    return end;
  }
  /// The offset of the closing quote.
  bool string_end(uint32_t place, size_t &end) const {
    end = end_of_token(place) - 1;
    return end > indexes[place] && text[end] == '"';
  }
  catalog_json_item &emit(uint32_t kind, size_t offset, size_t length);
  std::string_view keep(std::string_view name);

  simdjson::dom::parser simd;
  State state;
  bool is_named = false;
  bool in_object = false;
  bool needs_line = false;
  uint32_t section = 0;
  Section *current = nullptr;
  uint64_t record_number = 0;
  bool skips = false;
  std::vector<size_t> wanted;
  size_t next_wanted = 0;

  const uint8_t *text = nullptr;
  size_t window_offset = 0;
  size_t length = 0;
  const uint32_t *indexes = nullptr;
  uint32_t index_count = 0;
  uint32_t next = 0;
  size_t consumed = 0;

  std::vector<catalog_json_item> items;
  std::vector<catalog_json_cell> cells;
  std::unique_ptr<uint8_t[]> scratch;
  size_t scratch_count = 0;
  uint8_t *free_scratch = nullptr;
  /// The memory of earlier batches, and the one that is used next.
  std::vector<Memory> former;
  size_t next_former = 0;
  std::vector<Frame> frames;
  std::vector<NestedKey> nested_keys;
  std::deque<std::string> nested_names;
  std::unordered_set<std::string_view> document_keys;
  std::deque<std::string> names;
  catalog_json_error failure{};
};

}  // namespace catalog
#endif
