// The catalogue of rules, Tests/Conformance/RULES.md, as it was when the program was built.
#pragma once

extern const char *const ckdb_rules;
extern const long ckdb_rules_size;
