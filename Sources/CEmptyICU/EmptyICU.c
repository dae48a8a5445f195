#include "CEmptyICU.h"
#include <stdint.h>

/* The header of an ICU data file without entries; see stubdata.cpp of ICU. */
struct empty_data {
  uint16_t header_size;
  uint8_t magic[2];
  uint16_t info_size, reserved;
  uint8_t is_big_endian, charset_family, character_size, reserved_byte;
  uint8_t format[4], format_version[4], data_version[4];
  uint8_t padding[8];
  uint32_t count, reserved_count;
  uint32_t entries[4];
};

#define EMPTY                                                                                     \
  {                                                                                               \
    32, {0xDA, 0x27}, 20, 0, __BYTE_ORDER__ == __ORDER_BIG_ENDIAN__, 0, 2, 0,                     \
        {'T', 'o', 'C', 'P'}, {1, 0, 0, 0}, {0}, {0}, 0, 0, {0},                                  \
  }

/* The symbol name contains the ICU version: 76 in Swift 6.3. Unused names are harmless; for a version that is not listed
   the linker takes the real data. Hidden, so that it does not replace the data of a Foundation that is linked dynamically. */
#define DATA(version)                                                                             \
  __attribute__((visibility("hidden"), aligned(16))) const struct empty_data icudt##version##_dat = EMPTY;

DATA(72) DATA(73) DATA(74) DATA(75) DATA(76) DATA(77) DATA(78) DATA(79) DATA(80)
