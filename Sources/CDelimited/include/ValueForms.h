#ifndef CATALOG_VALUE_FORMS_H
#define CATALOG_VALUE_FORMS_H
#include <stddef.h>
#include <stdint.h>
#ifdef __cplusplus
extern "C" {
#endif

/* Reads numbers and dates in the ways of other programs, for the store and for imports alike. */

/* How numbers and dates are spelled. */
typedef struct {
  uint8_t decimal; /* '.' or ',' */
  uint8_t group;   /* between three digits and three: one of . , ' and blank; 0 for none */
  uint8_t dates;   /* CATALOG_DATES_… */
} catalog_value_forms;

enum { CATALOG_DATES_ISO, CATALOG_DATES_DMY, CATALOG_DATES_MDY, CATALOG_DATES_YMD };

/* The most bytes that a number or a date takes. */
enum { CATALOG_FORM_BYTES = 64 };

/* Writes a number in the spelling of JSON: .5 as 0.5, 1. as 1, +5 as 5, and 1.234,50 as 1234.50 if forms say so. Blanks
   around it do not count. Returns its length; 0 for a text that is none, such as 007, +4930 and 0x1F. */
size_t catalog_number_form(const uint8_t *text, size_t count, catalog_value_forms forms, uint8_t *output);

/* Writes a date in the order of forms as YYYY-MM-DD. Returns its length; 0 for a text that is none. */
size_t catalog_date_form(const uint8_t *text, size_t count, catalog_value_forms forms, uint8_t *output);

enum {
  CATALOG_SIGNS_DECIMAL_COMMA = 1, /* a number such as 1.234,56 */
  CATALOG_SIGNS_OTHER_TEXT = 2,    /* text that is not a number with a comma */
  CATALOG_SIGNS_NO_GROUP = 4       /* a number with a point that cannot separate thousands */
};

/* What a text tells about the signs in the numbers of its column: a comma can be a decimal sign, as in 1.234,56 or
   12,5 EUR, or separate thousands, as in 1,234, and so can a point. */
uint32_t catalog_number_signs(const uint8_t *text, size_t count);

#ifdef __cplusplus
}
#endif
#endif
