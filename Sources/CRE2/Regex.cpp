#include "CRE2.h"
#include <algorithm>
#include <cstring>
#include <re2/re2.h>
#include <vector>

struct catalog_regex {
  RE2 expression;
};

static catalog_regex_error kind(RE2::ErrorCode code) {
  switch (code) {
  case RE2::NoError: return CATALOG_REGEX_OK;
  case RE2::ErrorBadEscape: return CATALOG_REGEX_BAD_ESCAPE;
  case RE2::ErrorBadCharClass: return CATALOG_REGEX_BAD_CLASS;
  case RE2::ErrorBadCharRange: return CATALOG_REGEX_BAD_RANGE;
  case RE2::ErrorMissingBracket: return CATALOG_REGEX_MISSING_BRACKET;
  case RE2::ErrorMissingParen: return CATALOG_REGEX_MISSING_PARENTHESIS;
  case RE2::ErrorUnexpectedParen: return CATALOG_REGEX_UNEXPECTED_PARENTHESIS;
  case RE2::ErrorTrailingBackslash: return CATALOG_REGEX_TRAILING_BACKSLASH;
  case RE2::ErrorRepeatArgument: return CATALOG_REGEX_NOTHING_TO_REPEAT;
  case RE2::ErrorRepeatSize: return CATALOG_REGEX_BAD_COUNT;
  case RE2::ErrorRepeatOp: return CATALOG_REGEX_BAD_REPETITION;
  case RE2::ErrorPatternTooLarge: return CATALOG_REGEX_TOO_LARGE;
  default: return CATALOG_REGEX_OTHER;
  }
}

extern "C" catalog_regex *catalog_regex_create(const uint8_t *pattern, size_t size, bool ignores_case,
                                               bool captures, int64_t memory_limit,
                                               catalog_regex_error *error, char part[64]) {
  RE2::Options options;
  options.set_encoding(RE2::Options::EncodingUTF8);
  options.set_case_sensitive(!ignores_case);
  options.set_never_capture(!captures);
  options.set_log_errors(false);
  options.set_max_mem(memory_limit);
  re2::StringPiece text(reinterpret_cast<const char *>(pattern), size);
  auto *regex = new catalog_regex{{text, options}};
  *error = kind(regex->expression.error_code());
  if (regex->expression.ok()) return regex;
  const std::string &wrong = regex->expression.error_arg();
  size_t count = std::min<size_t>(wrong.size(), 63);
  // Do not cut a character in half.
  while (count < wrong.size() && count > 0 && (wrong[count] & 0xC0) == 0x80) count -= 1;
  std::memcpy(part, wrong.data(), count);
  part[count] = 0;
  delete regex;
  return nullptr;
}

extern "C" bool catalog_regex_matches(const catalog_regex *regex, const uint8_t *text, size_t size) {
  re2::StringPiece piece(reinterpret_cast<const char *>(text), size);
  return regex->expression.Match(piece, 0, size, RE2::ANCHOR_BOTH, nullptr, 0);
}

extern "C" int catalog_regex_group_count(const catalog_regex *regex) {
  return regex->expression.NumberOfCapturingGroups();
}

extern "C" bool catalog_regex_find(const catalog_regex *regex, const uint8_t *text, size_t size, size_t start,
                                   ptrdiff_t *spans, int count) {
  const char *base = reinterpret_cast<const char *>(text);
  std::vector<re2::StringPiece> found(count);
  if (!regex->expression.Match({base, size}, start, size, RE2::UNANCHORED, found.data(), count)) return false;
  for (int i = 0; i < count; i++) {
    bool has_part = found[i].data() != nullptr;
    spans[2 * i] = has_part ? found[i].data() - base : -1;
    spans[2 * i + 1] = has_part ? spans[2 * i] + (ptrdiff_t)found[i].size() : -1;
  }
  return true;
}

extern "C" const uint8_t *catalog_bytes_find(const uint8_t *text, size_t size, const uint8_t *pattern,
                                             size_t pattern_size) {
  return static_cast<const uint8_t *>(memmem(text, size, pattern, pattern_size));
}

extern "C" void catalog_regex_destroy(catalog_regex *regex) { delete regex; }
