// Linux calls that the C library shows only under _GNU_SOURCE, which Swift's Glibc module is
// built without.
#pragma once
#include <sys/types.h>

#ifdef __linux__
ssize_t copy_file_range(int source, off_t *source_offset, int target, off_t *target_offset,
                        size_t count, unsigned int flags);
int renameat2(int old_directory, const char *old_path, int new_directory, const char *new_path,
              unsigned int flags);

/// RENAME_NOREPLACE of <stdio.h>.
static const unsigned int ckdb_rename_noreplace = 1;
#endif
