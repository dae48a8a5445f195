#include "ValueForms.h"

/* Two lengths that blanks as marks of groups have: a space, or one that does not break. */
static size_t group_length(const uint8_t *p, const uint8_t *end, uint8_t group) {
  if (p == end) return 0;
  if (*p == group) return 1;
  if (group != ' ') return 0;
  if (end - p >= 2 && p[0] == 0xC2 && p[1] == 0xA0) return 2;
  if (end - p >= 3 && p[0] == 0xE2 && p[1] == 0x80 && p[2] == 0xAF) return 3;
  return 0;
}

static int is_digit(uint8_t byte) { return byte >= '0' && byte <= '9'; }

static const uint8_t *digits(const uint8_t *p, const uint8_t *end) {
  while (p < end && is_digit(*p)) p++;
  return p;
}

static void trim(const uint8_t **p, const uint8_t **end) {
  while (*p < *end && **p == ' ') (*p)++;
  while (*p < *end && (*end)[-1] == ' ') (*end)--;
}

/* Copies whole digits without the marks of groups; returns where they end, or null for wrong groups. */
static const uint8_t *put_whole(const uint8_t *p, const uint8_t *end, uint8_t group, uint8_t **output) {
  const uint8_t *first = p;
  p = digits(p, end);
  const size_t leading = (size_t)(p - first);
  for (const uint8_t *q = first; q < p; q++) *(*output)++ = *q;
  size_t mark = group == 0 ? 0 : group_length(p, end, group);
  if (mark == 0) return p;
  if (leading == 0 || leading > 3 || *first == '0') return 0;
  while ((mark = group_length(p, end, group)) > 0) {
    const uint8_t *next = digits(p + mark, end);
    if (next - (p + mark) != 3) return 0;
    for (const uint8_t *q = p + mark; q < next; q++) *(*output)++ = *q;
    p = next;
  }
  return p;
}

size_t catalog_number_form(const uint8_t *p, size_t count, catalog_value_forms forms, uint8_t *output) {
  const uint8_t *end = p + count;
  trim(&p, &end);
  /* A zero may be added. */
  if (p == end || end - p > CATALOG_FORM_BYTES - 2) return 0;
  uint8_t *start = output;
  const int has_plus = *p == '+';
  if (*p == '-') *output++ = '-';
  if (*p == '-' || *p == '+') p++;
  uint8_t *whole = output;
  p = put_whole(p, end, forms.group, &output);
  if (p == 0) return 0;
  const size_t whole_count = (size_t)(output - whole);
  /* Codes and telephone numbers are texts. */
  if (whole_count > 1 && *whole == '0') return 0;
  if (has_plus && whole_count > 1 && p == end) return 0;
  if (whole_count == 0) *output++ = '0';
  if (p < end && *p == forms.decimal) {
    const uint8_t *fraction = ++p;
    p = digits(p, end);
    if (p == fraction && whole_count == 0) return 0;
    if (p > fraction) {
      *output++ = '.';
      for (const uint8_t *q = fraction; q < p; q++) *output++ = *q;
    }
  } else if (whole_count == 0) {
    return 0;
  }
  if (p < end && (*p | 0x20) == 'e') {
    *output++ = *p++;
    if (p < end && (*p == '+' || *p == '-')) *output++ = *p++;
    const uint8_t *power = p;
    p = digits(p, end);
    if (p == power) return 0;
    for (const uint8_t *q = power; q < p; q++) *output++ = *q;
  }
  return p == end ? (size_t)(output - start) : 0;
}

/* The days of a month; 0 for a month that does not exist. */
static int days(int year, int month) {
  static const int counts[] = {31, 28, 31, 30, 31, 30, 31, 31, 30, 31, 30, 31};
  if (month < 1 || month > 12) return 0;
  const int is_leap = (year % 4 == 0 && year % 100 != 0) || year % 400 == 0;
  return counts[month - 1] + (month == 2 && is_leap);
}

size_t catalog_date_form(const uint8_t *p, size_t count, catalog_value_forms forms, uint8_t *output) {
  const uint8_t *end = p + count;
  trim(&p, &end);
  if (forms.dates == CATALOG_DATES_ISO || end - p < 8 || end - p > 10) return 0;
  int numbers[3] = {0, 0, 0};
  int lengths[3] = {0, 0, 0};
  uint8_t mark = 0;
  for (int part = 0; part < 3; part++) {
    if (part > 0) {
      if (p == end || (part > 1 && *p != mark) || (*p != '.' && *p != '/' && *p != '-' && *p != ' ')) return 0;
      mark = *p++;
    }
    const uint8_t *first = p;
    for (; p < end && is_digit(*p) && p - first < 4; p++) numbers[part] = numbers[part] * 10 + (*p - '0');
    lengths[part] = (int)(p - first);
  }
  const int year = forms.dates == CATALOG_DATES_YMD ? 0 : 2;
  const int month = forms.dates == CATALOG_DATES_MDY ? 0 : 1;
  const int day = 3 - year - month;
  if (p != end || lengths[year] != 4 || lengths[month] < 1 || lengths[month] > 2 || lengths[day] < 1 ||
      lengths[day] > 2 || numbers[day] < 1 || numbers[day] > days(numbers[year], numbers[month]))
    return 0;
  int value = numbers[year];
  for (int place = 3; place >= 0; place--, value /= 10) output[place] = (uint8_t)('0' + value % 10);
  output[4] = output[7] = '-';
  output[5] = (uint8_t)('0' + numbers[month] / 10);
  output[6] = (uint8_t)('0' + numbers[month] % 10);
  output[8] = (uint8_t)('0' + numbers[day] / 10);
  output[9] = (uint8_t)('0' + numbers[day] % 10);
  return 10;
}

uint32_t catalog_number_signs(const uint8_t *p, size_t count) {
  const uint8_t *end = p + count;
  if (p < end && *p == '-') p++;
  const uint8_t *first = p;
  size_t run = 0, points = 0;
  int grouped = 1;
  for (; p < end && (is_digit(*p) || *p == '.'); p++) {
    if (is_digit(*p)) {
      run++;
      continue;
    }
    if (run == 0) return CATALOG_SIGNS_OTHER_TEXT;
    grouped = grouped && (points == 0 ? run <= 3 && *first != '0' : run == 3);
    points++;
    run = 0;
  }
  if (run == 0) return CATALOG_SIGNS_OTHER_TEXT;
  grouped = grouped && points > 0 && run == 3;
  if (p == end) {
    if (points == 0 || grouped) return 0;
    return points == 1 ? CATALOG_SIGNS_NO_GROUP : CATALOG_SIGNS_OTHER_TEXT;
  }
  if (*p != ',' || (points > 0 && !grouped)) return CATALOG_SIGNS_OTHER_TEXT;
  const uint8_t *fraction = ++p;
  p = digits(p, end);
  const size_t decimals = (size_t)(p - fraction);
  /* A unit may follow. */
  if (decimals == 0 || end - p > 5) return CATALOG_SIGNS_OTHER_TEXT;
  for (; p < end; p++)
    if (is_digit(*p) || *p == ',' || *p == '.') return CATALOG_SIGNS_OTHER_TEXT;
  return decimals == 3 && points == 0 && *first != '0' ? 0 : CATALOG_SIGNS_DECIMAL_COMMA;
}
