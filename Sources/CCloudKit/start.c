// Archives name classes as Apple's frameworks do. Foundation must know these names before an app
// reads its first archive, which may come before any other use of the library.

void ckdb_register_archived_classes(void);

__attribute__((constructor)) static void start(void) { ckdb_register_archived_classes(); }
