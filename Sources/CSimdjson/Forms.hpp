#ifndef CATALOG_FORMS_HPP
#define CATALOG_FORMS_HPP
#include <algorithm>
#include <string>
#include <vector>
#include "Number.hpp"
#include "ValueForms.h"

namespace catalog {

/// What the values of a file of separated values may be spelled like, and what its columns were seen to have.
class ValueForms {
public:
  explicit ValueForms(size_t columns) : columns(columns) {}

  catalog_value_forms forms{'.', 0, CATALOG_DATES_ISO};

  /// Lets a word stand for a missing value in a column.
  void add_missing(size_t column, const uint8_t *word, size_t count) {
    columns[column].missing.push_back({std::string(reinterpret_cast<const char *>(word), count), 0});
  }

  /// True for such a word, which is counted.
  bool is_missing(size_t column, const uint8_t *text, size_t count) {
    for (auto &word : columns[column].missing) {
      if (word.text.size() != count || std::memcmp(word.text.data(), text, count) != 0) continue;
      word.count++;
      return true;
    }
    return false;
  }

  /// The index of the most frequent one of these words; -1 if there is none in the column.
  int most_frequent(size_t column) const {
    int best = -1;
    size_t most = 0;
    for (size_t place = 0; place < columns[column].missing.size(); place++) {
      if (columns[column].missing[place].count <= most) continue;
      most = columns[column].missing[place].count;
      best = int(place);
    }
    return best;
  }

  /// The first date of a column in the order of the forms; empty if there is none.
  const std::string &first_date(size_t column) const { return columns[column].date; }

  /// Reads a number or a date in another spelling than that of JSON; false for a text that is none.
  ///
  /// The bytes of the cell stay as they are, so that texts can have them.
  bool read(catalog_json_cell &cell, uint32_t column) {
    uint8_t usual[CATALOG_FORM_BYTES];
    size_t count = catalog_number_form(cell.bytes, cell.count, forms, usual);
    const uint8_t *wrong = nullptr;
    if (count > 0 && read_number(usual, usual + count, cell, wrong) == usual + count) {
      // A long decimal would be read from the bytes of the cell.
      if (!(cell.facts & CATALOG_JSON_IS_MANTISSA)) cell.facts &= uint8_t(~CATALOG_JSON_IS_DECIMAL);
      return true;
    }
    cell.facts = 0;
    cell.kind = CATALOG_JSON_TEXT;
    count = catalog_date_form(cell.bytes, cell.count, forms, usual);
    if (count == 0) return false;
    read_time(usual, count, cell);
    if (cell.facts & CATALOG_JSON_IS_DATE && columns[column].date.empty())
      columns[column].date.assign(reinterpret_cast<const char *>(cell.bytes), cell.count);
    return true;
  }

  /// Counts a value, to find columns of numbers or dates in which a word stands for a missing value.
  void count(const catalog_json_cell &cell, uint32_t column) {
    auto &seen = columns[column].seen;
    if (cell.kind == CATALOG_JSON_INTEGER || cell.kind == CATALOG_JSON_NUMBER || cell.facts & CATALOG_JSON_IS_DATE) {
      seen.value_count++;
      return;
    }
    const int word = cell.kind == CATALOG_JSON_TEXT ? known_word(cell) : -1;
    if (word < 0) {
      seen.other_count++;
      if (cell.kind == CATALOG_JSON_TEXT)
        count_groups(cell, seen);
      else
        seen.other_groups = 7;
    } else {
      seen.words |= 1u << word;
      seen.word_count++;
    }
  }

  const catalog_csv_seen &seen(size_t column) const { return columns[column].seen; }

  /// True if numbers have other signs than in JSON.
  bool has_own_numbers() const { return forms.decimal != '.' || forms.group != 0; }

private:
  struct Word {
    std::string text;
    size_t count;
  };
  struct Column {
    std::vector<Word> missing;
    std::string date;
    catalog_csv_seen seen{};
  };

  /// Finds out by which signs the digits of all numbers of a column may be grouped.
  void count_groups(const catalog_json_cell &cell, catalog_csv_seen &seen) const {
    if (forms.group != 0 || seen.other_groups == 7) return;
    const uint8_t marks[] = {uint8_t(forms.decimal == ',' ? '.' : ','), '\'', ' '};
    uint8_t usual[CATALOG_FORM_BYTES];
    for (size_t place = 0; place < 3; place++) {
      const size_t count = catalog_number_form(cell.bytes, cell.count, {forms.decimal, marks[place], 0}, usual);
      if (count == 0) {
        seen.other_groups |= uint8_t(1 << place);
        continue;
      }
      // A single comma may be a decimal one, and numbers of one length may be those of telephones.
      const auto *end = cell.bytes + cell.count;
      const bool is_sure = place == 0 ? std::count(cell.bytes, end, marks[0]) > 1 || std::count(cell.bytes, end, forms.decimal) > 0
                                      : seen.group_length != 0 && seen.group_length != count;
      if (is_sure) seen.sure_groups |= uint8_t(1 << place);
      seen.group_length = uint8_t(count);
    }
  }

  /// The index of a word that often stands for a missing value; -1 for another text.
  static int known_word(const catalog_json_cell &cell) {
    static const char *const words[] = CATALOG_CSV_KNOWN_WORDS;
    if (cell.count > 4) return -1;
    for (size_t place = 0; place < sizeof words / sizeof *words; place++)
      if (std::strlen(words[place]) == cell.count && std::memcmp(words[place], cell.bytes, cell.count) == 0)
        return int(place);
    return -1;
  }

  std::vector<Column> columns;
};

}  // namespace catalog
#endif
