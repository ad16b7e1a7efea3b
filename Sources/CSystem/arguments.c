#include "shim.h"

static int argument_count;
static char **arguments;

// Constructors get what main gets, on Linux (glibc) as on macOS.
__attribute__((constructor)) static void keep_arguments(int count, char **words) {
  argument_count = count;
  arguments = words;
}

int ckdb_argument_count(void) { return argument_count; }

const char *ckdb_argument(int index) {
  return index >= 0 && index < argument_count ? arguments[index] : NULL;
}
