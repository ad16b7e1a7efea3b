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

#ifdef __linux__
// What Swift's CommandLine asks. The runtime's own answer reads /proc/self/maps at every start, a
// fifth of the instructions of ckdb --version; a static program links it only where these are
// missing. They are weak: where the runtime's are linked, too, those count.
__attribute__((weak)) char **_swift_stdlib_getUnsafeArgvArgc(int *count) {
  *count = argument_count;
  return arguments;
}

__attribute__((weak)) void _swift_stdlib_overrideUnsafeArgvArgc(char **words, int count) {
  argument_count = count;
  arguments = words;
}
#endif
