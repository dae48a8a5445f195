#ifndef CATALOG_CRE2_H
#define CATALOG_CRE2_H
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#ifdef __cplusplus
extern "C" {
#endif

/* Regular expressions whose time grows with the length of the text, whatever the expression. An
   expression never changes, so any number of threads may match with it at once. Nothing here throws;
   memory that cannot be had ends the process. */

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

/* Reads an expression in UTF-8. Returns null and says why when it cannot be used, or when matching with
   it would need more than so many bytes of memory; then up to 63 bytes of the part that is wrong, and a
   zero, stand in `part`. */
catalog_regex *catalog_regex_create(const uint8_t *pattern, size_t size, bool ignores_case,
                                    int64_t memory_limit, catalog_regex_error *error, char part[64]);

/* True when all of the text, in UTF-8, fits the expression. */
bool catalog_regex_matches(const catalog_regex *regex, const uint8_t *text, size_t size);

void catalog_regex_destroy(catalog_regex *regex);

/* The first place of the pattern in the text; null when it is not there. Linear time. */
const uint8_t *catalog_bytes_find(const uint8_t *text, size_t size, const uint8_t *pattern,
                                  size_t pattern_size);

#ifdef __cplusplus
}
#endif
#endif
