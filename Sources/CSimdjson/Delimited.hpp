#ifndef CATALOG_DELIMITED_HPP
#define CATALOG_DELIMITED_HPP
#include <algorithm>
#include <vector>
#include "CSimdjson.h"
#include "Forms.hpp"
#include "Number.hpp"
#include "Text.hpp"

namespace catalog {

/// Makes cells of the fields of separated values, with the same facts as those of JSON.
class DelimitedParser {
public:
  DelimitedParser(size_t columns, catalog_csv_options options, size_t batches)
      : facts(columns), values(columns), options(options), former(batches > 1 ? batches - 1 : 0) {}

  void read(const uint8_t *text, const uint32_t *fields, const uint32_t *records, size_t count,
            size_t first_offset, catalog_json_batch &batch);

  std::vector<uint32_t> facts;
  /// How values are spelled.
  ValueForms values;
  catalog_csv_evidence evidence{};

private:
  /// The memory of a batch.
  struct Memory {
    std::vector<catalog_json_item> items;
    std::vector<catalog_json_cell> cells;
    std::vector<uint8_t> scratch;
  };

  void add(const uint8_t *text, const uint32_t *field, uint32_t key);
  bool ends_empty(const uint32_t *field, uint32_t count) const;
  static void trim(catalog_json_cell &cell);
  void take_content(catalog_json_cell &cell) const;
  void note_escapes(const catalog_json_cell &cell, bool is_quoted);
  void undouble(catalog_json_cell &cell, bool is_quoted);
  void unescape(catalog_json_cell &cell);
  void classify(catalog_json_cell &cell);

  catalog_csv_options options;
  Memory now;
  uint8_t *free_scratch = nullptr;
  std::vector<Memory> former;
  size_t next_former = 0;
};

}  // namespace catalog
#endif
