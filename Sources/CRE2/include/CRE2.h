#ifndef CATALOG_CRE2_H
#define CATALOG_CRE2_H
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#ifdef __cplusplus
extern "C" {
#endif

/* Regular expressions that match in time proportional to the length of the text, whatever the expression.
   An expression is immutable, so several threads may match with it at the same time. Nothing here throws;
   the process ends if memory runs out. */

typedef struct catalog_regex catalog_regex;

/* Why an expression cannot be used. */
typedef enum {
  CATALOG_REGEX_OK,
  CATALOG_REGEX_BAD_ESCAPE,
  CATALOG_REGEX_BAD_CLASS,
  CATALOG_REGEX_BAD_RANGE,
  CATALOG_REGEX_MISSING_BRACKET,
  CATALOG_REGEX_MISSING_PARENTHESIS,
  CATALOG_REGEX_UNEXPECTED_PARENTHESIS,
  CATALOG_REGEX_TRAILING_BACKSLASH,
  CATALOG_REGEX_NOTHING_TO_REPEAT,
  CATALOG_REGEX_BAD_COUNT,
  CATALOG_REGEX_BAD_REPETITION,
  CATALOG_REGEX_TOO_LARGE,
  CATALOG_REGEX_OTHER,
} catalog_regex_error;

/* Parses an expression in UTF-8. Returns null and sets `error` if it is invalid, or if matching with it would
   need more than `memory_limit` bytes; `part` then contains up to 63 bytes of the invalid part, and a zero. Only one
   that captures groups knows where they match, and takes longer. */
catalog_regex *catalog_regex_create(const uint8_t *pattern, size_t size, bool ignores_case, bool captures,
                                    int64_t memory_limit, catalog_regex_error *error, char part[64]);

/* True if the expression matches the whole text, in UTF-8. */
bool catalog_regex_matches(const catalog_regex *regex, const uint8_t *text, size_t size);

/* The number of groups in parentheses. */
int catalog_regex_group_count(const catalog_regex *regex);

/* Finds the first match at or after an offset. Writes the offsets of the start and the end of the match, then those of
   the groups, into `spans`, which has two places for each of `count` of them; -1 for a group that does not take part. */
bool catalog_regex_find(const catalog_regex *regex, const uint8_t *text, size_t size, size_t start,
                        ptrdiff_t *spans, int count);

void catalog_regex_destroy(catalog_regex *regex);

/* The first occurrence of the pattern in the text; null if there is none. Takes linear time. */
const uint8_t *catalog_bytes_find(const uint8_t *text, size_t size, const uint8_t *pattern,
                                  size_t pattern_size);

#ifdef __cplusplus
}
#endif
#endif
