#include "CSimdjson.h"
#include <simdjson.h>

size_t catalog_json_padding(void) { return simdjson::SIMDJSON_PADDING; }
