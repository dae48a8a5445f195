#ifndef CATALOG_NUMBER_HPP
#define CATALOG_NUMBER_HPP
#include <charconv>
#include <cstdint>
#include <cstring>
#include <string>
#include "CSimdjson.h"

namespace catalog {

inline bool is_digit(uint8_t byte) { return uint8_t(byte - '0') < 10; }

/// The digits of a number without leading and trailing zeros, and the power of ten of the last digit.
struct Digits {
  std::string digits;
  long exponent = 0;

  Digits(const char *p, const char *end) {
    bool point = false;
    for (; p < end && *p != 'e' && *p != 'E'; p++) {
      if (*p == '.') { point = true; continue; }
      if (*p == '-') continue;
      digits.push_back(*p);
      exponent -= point;
    }
    if (p < end) {
      p += p[1] == '+' ? 2 : 1;
      long written = 0;
      if (std::from_chars(p, end, written).ec != std::errc() || written > 1000000000 ||
          written < -1000000000)
        written = *p == '-' ? -1000000000 : 1000000000;
      exponent += written;
    }
    while (!digits.empty() && digits.back() == '0') { digits.pop_back(); exponent++; }
    digits.erase(0, std::min(digits.find_first_not_of('0'), digits.size()));
    if (digits.empty()) exponent = 0;
  }
};

/// Parses a number by the grammar of RFC 8259, section 6, and determines the types that can represent it.
/// Returns the end of the number, or null with `wrong` at the unexpected byte.
inline const uint8_t *read_number(const uint8_t *p, const uint8_t *limit, catalog_json_cell &cell,
                                  const uint8_t *&wrong) {
  static const double powers[] = {1e0,  1e1,  1e2,  1e3,  1e4,  1e5,  1e6,  1e7,
                                  1e8,  1e9,  1e10, 1e11, 1e12, 1e13, 1e14, 1e15,
                                  1e16, 1e17, 1e18, 1e19, 1e20, 1e21, 1e22};
  const uint8_t *start = p;
  const bool negative = *p == '-';
  p += negative;
  uint64_t mantissa = 0;
  int counted = 0, fraction = 0;
  const auto digit = [&] {
    if (counted < 19) mantissa = mantissa * 10 + (*p - '0');
    counted += counted > 0 || *p != '0';
    p++;
  };
  const auto fail = [&] { wrong = p; return nullptr; };
  if (p >= limit || !is_digit(*p)) return fail();
  if (*p == '0') {
    digit();
    if (p < limit && is_digit(*p)) return fail();
  } else {
    while (p < limit && is_digit(*p)) digit();
  }
  bool whole = true;
  if (p < limit && *p == '.') {
    whole = false;
    p++;
    if (p >= limit || !is_digit(*p)) return fail();
    const uint8_t *first = p;
    while (p < limit && is_digit(*p)) digit();
    fraction = int(std::min<ptrdiff_t>(p - first, 1 << 14));
  }
  bool power = false;
  if (p < limit && (*p | 0x20) == 'e') {
    power = true;
    p++;
    if (p < limit && (*p == '+' || *p == '-')) p++;
    if (p >= limit || !is_digit(*p)) return fail();
    while (p < limit && is_digit(*p)) p++;
  }
  cell.kind = CATALOG_JSON_NUMBER;
  cell.facts = 0;
  if (whole && !power && !(negative && mantissa == 0) && counted <= 19 &&
      mantissa <= uint64_t(INT64_MAX) + negative) {
    cell.kind = CATALOG_JSON_INTEGER;
    cell.word = int64_t(negative ? 0 - mantissa : mantissa);
    cell.exponent = 0;
    cell.facts = CATALOG_JSON_IS_DECIMAL | CATALOG_JSON_IS_MANTISSA;
    if (cell.word == INT64_MIN) cell.facts &= ~CATALOG_JSON_IS_MANTISSA;
  } else if (!power && counted <= 18 && fraction < 100) {
    cell.word = negative ? -int64_t(mantissa) : int64_t(mantissa);
    cell.exponent = int16_t(-fraction);
    cell.facts = CATALOG_JSON_IS_DECIMAL | CATALOG_JSON_IS_MANTISSA;
  }
  const bool lost_sign = negative && mantissa == 0;
  if (!power && counted <= 15 && fraction <= 4 && !lost_sign) cell.facts |= CATALOG_JSON_IS_MONEY;
  if (lost_sign) cell.facts &= ~(CATALOG_JSON_IS_DECIMAL | CATALOG_JSON_IS_MANTISSA);
  if (!power && counted <= 15 && fraction <= 22) {
    // Both are exact doubles, so the quotient is the nearest double (Clinger 1990, "How to read floating
    // point numbers accurately"). Up to 15 digits always survive the conversion.
    const double value = double(mantissa) / powers[fraction];
    cell.real = negative ? -value : value;
    cell.facts |= CATALOG_JSON_IS_DOUBLE;
    return p;
  }
  const char *text = reinterpret_cast<const char *>(start), *end = reinterpret_cast<const char *>(p);
  const Digits digits(text, end);
  if (!lost_sign && digits.digits.size() <= 38 && digits.exponent >= -127 && digits.exponent <= 127)
    cell.facts |= CATALOG_JSON_IS_DECIMAL;
  cell.real = 0;
  if (std::from_chars(text, end, cell.real).ec == std::errc()) {
    char shortest[64];
    const auto result =
        std::to_chars(shortest, shortest + 64, cell.real, std::chars_format::scientific);
    const Digits same(shortest, result.ptr);
    if (same.digits == digits.digits && same.exponent == digits.exponent)
      cell.facts |= CATALOG_JSON_IS_DOUBLE;
  }
  return p;
}

inline bool two_digits(const uint8_t *p, int below, int &value) {
  value = (p[0] - '0') * 10 + (p[1] - '0');
  return is_digit(p[0]) && is_digit(p[1]) && value < below;
}

/// Converts YYYY-MM-DD to days since 1970; `CalendarDate` names the source of the algorithm.
inline bool read_day(const uint8_t *p, int64_t &days) {
  int century, rest, month, day;
  if (p[4] != '-' || p[7] != '-' || !two_digits(p, 100, century) || !two_digits(p + 2, 100, rest) ||
      !two_digits(p + 5, 13, month) || !two_digits(p + 8, 32, day) || month == 0 || day == 0)
    return false;
  const int year = century * 100 + rest;
  static const int lengths[] = {31, 28, 31, 30, 31, 30, 31, 31, 30, 31, 30, 31};
  const bool leap = year % 4 == 0 && (year % 100 != 0 || year % 400 == 0);
  if (day > lengths[month - 1] + (month == 2 && leap)) return false;
  const int shifted = month <= 2 ? year - 1 : year;
  const int era = (shifted >= 0 ? shifted : shifted - 399) / 400;
  const int year_of_era = shifted - era * 400;
  const int day_of_year = (153 * (month > 2 ? month - 3 : month + 9) + 2) / 5 + day - 1;
  const int day_of_era = year_of_era * 365 + year_of_era / 4 - year_of_era / 100 + day_of_year;
  days = int64_t(era) * 146097 + day_of_era - 719468;
  return true;
}

/// Parses the zone after a time, `Z` or an offset with or without a colon, to seconds.
inline bool read_zone(const uint8_t *p, const uint8_t *end, int &seconds) {
  seconds = 0;
  if (end - p == 1) return (*p | 0x20) == 'z';
  int hours, minutes;
  if ((end - p != 6 && end - p != 5) || (*p != '+' && *p != '-') ||
      (end - p == 6 && p[3] != ':') || !two_digits(p + 1, 24, hours) ||
      !two_digits(end - 2, 60, minutes))
    return false;
  seconds = (hours * 3600 + minutes * 60) * (*p == '-' ? -1 : 1);
  return true;
}

/// Adds the digits of a fraction to whole seconds and returns the nearest double; false if a double cannot
/// keep all digits. `DecimalSeconds` explains the bounds.
inline bool read_seconds(int64_t whole, const uint8_t *digits, size_t count, double &seconds) {
  while (count > 0 && digits[count - 1] == '0') count--;
  seconds = double(whole);
  if (count == 0) return true;
  const auto number = [&](size_t width) {
    int64_t result = 0;
    for (size_t place = 0; place < width; place++)
      result = result * 10 + (place < count ? digits[place] - '0' : 0);
    return result;
  };
  // Both are exact doubles, so the quotient is the nearest double.
  if (count <= 3) seconds = double(whole * 1000 + number(3)) / 1e3;
  else if (count <= 6 && whole > -4294967295 && whole < 4294967295)
    seconds = double(whole * 1000000 + number(6)) / 1e6;
  else if (count > 18) return false;
  else {
    std::string text = std::to_string(whole < 0 ? -(whole + 1) : whole) + ".";
    for (size_t place = 0; place < count; place++)
      text.push_back(char(whole >= 0          ? digits[place]
                          : place + 1 < count ? '0' + '9' - digits[place]
                                              : '0' + '9' + 1 - digits[place]));
    const char *end = text.data() + text.size();
    double magnitude = 0;
    if (std::from_chars(text.data(), end, magnitude).ec != std::errc()) return false;
    char shortest[64];
    const auto result =
        std::to_chars(shortest, shortest + 64, magnitude, std::chars_format::scientific);
    const Digits same(shortest, result.ptr), written(text.data(), end);
    if (same.digits != written.digits || same.exponent != written.exponent) return false;
    seconds = whole < 0 ? -magnitude : magnitude;
  }
  return true;
}

/// Determines whether a text is a date, or a datetime with a zone as in RFC 3339 all of whose digits can be
/// kept.
inline void read_time(const uint8_t *p, size_t count, catalog_json_cell &cell) {
  if (count == 10) {
    if (read_day(p, cell.word)) cell.facts |= CATALOG_JSON_IS_DATE;
    return;
  }
  if (count < 20 || count > 64 || ((p[10] | 0x20) != 't' && p[10] != ' ') || p[13] != ':' ||
      p[16] != ':')
    return;
  int hour, minute, second, offset;
  int64_t days;
  if (!read_day(p, days) || !two_digits(p + 11, 24, hour) || !two_digits(p + 14, 60, minute) ||
      !two_digits(p + 17, 60, second))
    return;
  const uint8_t *digits = p + 19, *end = digits;
  if (*digits == '.') {
    for (end = ++digits; end < p + count && is_digit(*end);) end++;
    if (end == digits) return;
  }
  if (!read_zone(end, p + count, offset)) return;
  const int64_t whole = days * 86400 + hour * 3600 + minute * 60 + second - offset;
  if (whole < -62167219200 || whole >= 253402300800) return;
  if (read_seconds(whole - 978307200, digits, size_t(end - digits), cell.real))
    cell.facts |= CATALOG_JSON_IS_MOMENT;
}

/// The types that a value rules out for its key.
inline uint32_t facts_of(const catalog_json_cell &cell) {
  uint32_t saw = 0;
  switch (cell.kind) {
  case CATALOG_JSON_NULL: return 0;
  case CATALOG_JSON_FALSE:
  case CATALOG_JSON_TRUE: return CATALOG_JSON_SAW_BOOLEAN;
  case CATALOG_JSON_NESTED: return CATALOG_JSON_SAW_NESTED;
  case CATALOG_JSON_TEXT:
    saw = CATALOG_JSON_SAW_TEXT;
    if (!(cell.facts & CATALOG_JSON_IS_DATE)) saw |= CATALOG_JSON_SAW_NO_DATE;
    if (!(cell.facts & CATALOG_JSON_IS_MOMENT)) saw |= CATALOG_JSON_SAW_NO_MOMENT;
    return saw;
  default:
    saw = CATALOG_JSON_SAW_NUMBER;
    if (cell.kind != CATALOG_JSON_INTEGER) saw |= CATALOG_JSON_SAW_NO_INTEGER;
    if (!(cell.facts & CATALOG_JSON_IS_DOUBLE)) saw |= CATALOG_JSON_SAW_NO_DOUBLE;
    if (!(cell.facts & CATALOG_JSON_IS_MONEY)) saw |= CATALOG_JSON_SAW_NO_MONEY;
    if (!(cell.facts & CATALOG_JSON_IS_DECIMAL)) saw |= CATALOG_JSON_SAW_NO_DECIMAL;
    return saw;
  }
}

}  // namespace catalog
#endif
