#ifndef CATALOG_CSIMDJSON_H
#define CATALOG_CSIMDJSON_H
#include <stddef.h>
#ifdef __cplusplus
extern "C" {
#endif
/* Padding that must be readable behind every text handed to the parser, in bytes. */
size_t catalog_json_padding(void);
#ifdef __cplusplus
}
#endif
#endif
