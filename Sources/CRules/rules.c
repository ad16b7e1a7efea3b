#include "rules.h"

#pragma clang diagnostic ignored "-Wc23-extensions"

static const char text[] = {
#embed "../../Tests/Conformance/RULES.md"
};

const char *const ckdb_rules = text;
const long ckdb_rules_size = sizeof text;
