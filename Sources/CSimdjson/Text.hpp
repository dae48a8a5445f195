#ifndef CATALOG_TEXT_HPP
#define CATALOG_TEXT_HPP
#include <cstddef>
#include <cstdint>

namespace catalog {

inline bool is_space(uint8_t byte) {
  return byte == ' ' || byte == '\n' || byte == '\r' || byte == '\t';
}

inline bool read_hex(const uint8_t *p, const uint8_t *end, uint32_t &unit) {
  if (end - p < 4) return false;
  unit = 0;
  for (int place = 0; place < 4; place++) {
    const uint8_t byte = p[place], letter = byte | 0x20;
    if (byte >= '0' && byte <= '9') unit = unit << 4 | uint32_t(byte - '0');
    else if (letter >= 'a' && letter <= 'f') unit = unit << 4 | uint32_t(letter - 'a' + 10);
    else return false;
  }
  return true;
}

inline uint8_t *put_scalar(uint8_t *out, uint32_t scalar) {
  if (scalar < 0x80) {
    *out++ = uint8_t(scalar);
    return out;
  }
  if (scalar < 0x800) {
    *out++ = uint8_t(0xC0 | scalar >> 6);
  } else {
    if (scalar < 0x10000) {
      *out++ = uint8_t(0xE0 | scalar >> 12);
    } else {
      *out++ = uint8_t(0xF0 | scalar >> 18);
      *out++ = uint8_t(0x80 | (scalar >> 12 & 0x3F));
    }
    *out++ = uint8_t(0x80 | (scalar >> 6 & 0x3F));
  }
  *out++ = uint8_t(0x80 | (scalar & 0x3F));
  return out;
}

/// Decodes the text between the quotes; `out` must have room for the same number of bytes.
/// Returns the end of the output, or null with `wrong` at the backslash of an invalid escape.
inline uint8_t *decode_text(const uint8_t *p, const uint8_t *end, uint8_t *out,
                            const uint8_t *&wrong) {
  while (p < end) {
    if (*p != '\\') {
      *out++ = *p++;
      continue;
    }
    wrong = p;
    if (end - p < 2) return nullptr;
    const uint8_t letter = p[1];
    p += 2;
    switch (letter) {
    case '"': case '\\': case '/': *out++ = letter; break;
    case 'b': *out++ = '\b'; break;
    case 'f': *out++ = '\f'; break;
    case 'n': *out++ = '\n'; break;
    case 'r': *out++ = '\r'; break;
    case 't': *out++ = '\t'; break;
    case 'u': {
      uint32_t unit, second;
      if (!read_hex(p, end, unit)) return nullptr;
      p += 4;
      if (unit >= 0xD800 && unit < 0xE000) {
        if (unit >= 0xDC00 || end - p < 6 || p[0] != '\\' || p[1] != 'u' ||
            !read_hex(p + 2, end, second) || second < 0xDC00 || second >= 0xE000)
          return nullptr;
        p += 6;
        unit = 0x10000 + ((unit - 0xD800) << 10) + (second - 0xDC00);
      }
      out = put_scalar(out, unit);
      break;
    }
    default: return nullptr;
    }
  }
  return out;
}

/// The offset of the first byte that is not valid UTF-8 (Unicode 15, table 3-7), or `count`.
inline size_t first_invalid(const uint8_t *text, size_t count) {
  size_t i = 0;
  while (i < count) {
    const uint8_t lead = text[i];
    if (lead < 0x80) { i++; continue; }
    const int extra = lead >= 0xC2 && lead <= 0xDF ? 1 : (lead & 0xF0) == 0xE0 ? 2
                    : lead >= 0xF0 && lead <= 0xF4 ? 3 : 0;
    if (extra == 0 || i + size_t(extra) >= count) return i;
    const uint8_t low = lead == 0xE0 ? 0xA0 : lead == 0xF0 ? 0x90 : 0x80;
    const uint8_t high = lead == 0xED ? 0x9F : lead == 0xF4 ? 0x8F : 0xBF;
    if (text[i + 1] < low || text[i + 1] > high) return i;
    for (int next = 2; next <= extra; next++)
      if ((text[i + next] & 0xC0) != 0x80) return i;
    i += size_t(extra) + 1;
  }
  return count;
}

/// The offset of the first control character in a string, or of the opening quote of an unclosed string;
/// `count` if there is neither.
inline size_t first_unclosed(const uint8_t *text, size_t count) {
  for (size_t i = 0; i < count; i++) {
    if (text[i] != '"') continue;
    const size_t quote = i++;
    for (; i < count && text[i] != '"'; i++) {
      if (text[i] < 0x20) return i;
      if (text[i] == '\\') i++;
    }
    if (i >= count) return quote;
  }
  return count;
}

/// The last offset at which a window can end without dividing a token or a string; 0 if there is none.
inline size_t cut(const uint8_t *text, size_t count) {
  // A line feed is never inside a string, where it would have to be escaped.
  for (size_t i = count; i > count / 2; i--)
    if (text[i - 1] == '\n') return i;
  size_t best = 0;
  bool quoted = false;
  for (size_t i = 0; i < count; i++) {
    if (text[i] == '"') quoted = !quoted;
    else if (quoted) i += text[i] == '\\';
    else if (text[i] == '{' || text[i] == '}' || text[i] == ',') best = i + 1;
  }
  return best;
}

}  // namespace catalog
#endif
