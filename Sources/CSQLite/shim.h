// SQLite's header, and what Swift cannot call: sqlite3_db_config is variadic.
#pragma once
#include <sqlite3.h>

/// Sets one of the boolean SQLITE_DBCONFIG_… switches; returns SQLite's result code.
static inline int ckdb_sqlite3_db_config(sqlite3 *db, int option, int on) {
  int now = -1;
  int code = sqlite3_db_config(db, option, on, &now);
  return code == SQLITE_OK && now != on ? SQLITE_MISUSE : code;
}

/// Switches off SQLite's memory statistics, which lock a mutex at every allocation. Must run
/// before anything else of SQLite does; later calls do nothing.
static inline void ckdb_sqlite3_configure(void) {
  sqlite3_config(SQLITE_CONFIG_MEMSTATUS, 0);
}
