// What Swift cannot call by itself: macros, Linux calls and flags that the C library shows only
// under _GNU_SOURCE, which Swift's Glibc module is built without, and the processor's instructions
// for SHA-256.
#pragma once
#include <pthread.h>
#include <signal.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <sys/select.h>
#include <sys/types.h>

/// How many words the command line has, the program's name first.
int ckdb_argument_count(void);

/// A word of the command line; NULL behind the last one.
///
/// Swift's CommandLine reads them from a file of /proc, which may be out of reach.
const char *ckdb_argument(int index);

/// Waits until a descriptor has input, while only the signals of a mask are blocked, at most so
/// long (forever if negative). Returns 1, 0 when the time is over, or -1 when a signal came in.
static inline int ckdb_wait_for_input(int descriptor, const sigset_t *mask,
                                      long milliseconds) {
  fd_set set;
  FD_ZERO(&set);
  FD_SET(descriptor, &set);
  struct timespec time = {milliseconds / 1000, milliseconds % 1000 * 1000000};
  return pselect(descriptor + 1, &set, NULL, NULL, milliseconds < 0 ? NULL : &time, mask);
}

/// Which file a path names, without following a link at its end; false where that cannot be told.
///
/// No dates are read. Linux (6.13 and later) gives the next change of a file whose dates were read
/// a date of its own, so that its inode changes. A lock's file that is examined and written for
/// each commit costs one more block at each fdatasync of the log next to it.
bool ckdb_identity(const char *path, uint64_t *device, uint64_t *number);

/// Adds whole blocks of 64 bytes to a state of SHA-256.
void ckdb_sha256(uint32_t state[8], const unsigned char *blocks, size_t count);

/// The same without the processor's instructions for it.
void ckdb_sha256_portable(uint32_t state[8], const unsigned char *blocks, size_t count);

#ifdef __linux__
int renameat2(int old_directory, const char *old_path, int new_directory, const char *new_path,
              unsigned int flags);

ssize_t copy_file_range(int input, off_t *input_offset, int output, off_t *output_offset,
                        size_t length, unsigned int flags);

int syncfs(int descriptor);

/// Of <pthread.h>.
int pthread_setname_np(pthread_t thread, const char *name);

/// Of <malloc.h>.
int malloc_trim(size_t kept);
int mallopt(int parameter, int value);

void *memmem(const void *text, size_t text_size, const void *part, size_t part_size);

/// RENAME_NOREPLACE of <stdio.h>.
static const unsigned int ckdb_rename_noreplace = 1;
/// RENAME_EXCHANGE of <stdio.h>.
static const unsigned int ckdb_rename_exchange = 2;
/// M_TRIM_THRESHOLD and M_ARENA_MAX of <malloc.h>.
static const int ckdb_trim_threshold = -1;
static const int ckdb_arena_max = -8;
/// O_DIRECT of <fcntl.h>, whose number is the processor's.
#if defined(__aarch64__) || defined(__arm__)
static const int ckdb_direct = 0200000;
#elif defined(__powerpc__)
static const int ckdb_direct = 0400000;
#else
static const int ckdb_direct = 040000;
#endif
#endif
