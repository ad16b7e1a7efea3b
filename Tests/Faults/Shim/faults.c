/* Stands between a program and the C library, and makes a call that changes files fail, or writes
 * down all of them (LD_PRELOAD). The variables:
 *
 *   FAULT_PATH   only files whose path has this text in it
 *   FAULT_MODE   record  write each call down, in the file FAULT_LOG
 *                once    the call FAULT_AT (from 1 on) fails with FAULT_ERRNO
 *                sticky  that call and all behind it fail
 *                short   that call, if it writes, writes half; and fails if it does anything else
 *                kill    the process ends at that call, before it is made
 *                kill-after  the process ends right behind it
 *   FAULT_COUNT  a file that takes the number of calls
 *   FAULT_READS  if set, calls that look at directories and files count, too
 *   FAULT_OPENS  if set, each opening of a file counts, too
 *   FAULT_DELAY  so many microseconds pass behind each opening of a file
 *
 * A line of the log: kind, length of the path, length of the second path, offset, length of the
 * data (all as 8-byte numbers), then paths and data. */
#define _GNU_SOURCE
#include <dirent.h>
#include <dlfcn.h>
#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <stdarg.h>
#include <stdatomic.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <unistd.h>

enum kind { CREATE = 1, WRITE, TRUNCATE, SYNC, RENAME, UNLINK, MKDIR, RMDIR, LINK, LOOK, SYNC_ALL };
enum mode { OFF, RECORD, ONCE, STICKY, SHORT, KILL, KILL_AFTER };

static enum mode mode;
static long at;
static int number;
static const char *wanted = "";
static int log_file = -1, count_file = -1;
static atomic_long calls;
static int counts_reads, counts_opens;
static long delay;

__attribute__((constructor)) static void begin(void) {
  const char *names[] = {"off", "record", "once", "sticky", "short", "kill", "kill-after"};
  const char *text = getenv("FAULT_MODE");
  for (int i = 0; text && i < 7; i++)
    if (!strcmp(text, names[i])) mode = (enum mode)i;
  if ((text = getenv("FAULT_AT"))) at = atol(text);
  if ((text = getenv("FAULT_ERRNO"))) number = atoi(text);
  if ((text = getenv("FAULT_PATH"))) wanted = text;
  counts_reads = getenv("FAULT_READS") != NULL;
  counts_opens = getenv("FAULT_OPENS") != NULL;
  if ((text = getenv("FAULT_DELAY"))) delay = atol(text);
  if ((text = getenv("FAULT_LOG")))
    log_file = (int)syscall(SYS_openat, AT_FDCWD, text, O_WRONLY | O_CREAT | O_APPEND | O_CLOEXEC, 0600);
  if ((text = getenv("FAULT_COUNT")))
    count_file = (int)syscall(SYS_openat, AT_FDCWD, text, O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0600);
}

static void full_path(int directory, const char *path, char *result) {
  char link[64];
  ssize_t length = 0;
  if (path && path[0] == '/') {
    snprintf(result, 4096, "%s", path);
    return;
  }
  if (directory == AT_FDCWD) {
    if (!getcwd(result, 4096)) result[0] = 0;
    length = (ssize_t)strlen(result);
  } else {
    snprintf(link, sizeof link, "/proc/self/fd/%d", directory);
    length = readlink(link, result, 4095);
    if (length < 0) length = 0;
    result[length] = 0;
  }
  if (path) snprintf(result + length, 4096 - (size_t)length, "/%s", path);
}

/* What becomes of a call: 0 it is made, 1 it fails, 2 it is made by half. */
static int decide(enum kind kind, const char *path) {
  if (mode == OFF || !strstr(path, wanted)) return 0;
  long place = atomic_fetch_add(&calls, 1) + 1;
  if (count_file >= 0) {
    char text[32];
    int length = snprintf(text, sizeof text, "%ld\n", place);
    syscall(SYS_pwrite64, count_file, text, length, 0);
  }
  if (mode == KILL && place == at) syscall(SYS_kill, getpid(), SIGKILL);
  if (mode == ONCE && place == at) return 1;
  if (mode == STICKY && place >= at) return 1;
  if (mode == SHORT && place == at) return kind == WRITE ? 2 : 1;
  return 0;
}

static void note(enum kind kind, const char *path, const char *other, int64_t offset,
                 const void *data, size_t length) {
  if (!strstr(path, wanted)) return;
  if (mode == KILL_AFTER && atomic_load(&calls) == at) syscall(SYS_kill, getpid(), SIGKILL);
  if (mode != RECORD || log_file < 0) return;
  int64_t head[5] = {kind, (int64_t)strlen(path), other ? (int64_t)strlen(other) : 0, offset,
                     (int64_t)length};
  size_t total = sizeof head + (size_t)head[1] + (size_t)head[2] + length;
  char *line = malloc(total), *end = line;
  memcpy(end, head, sizeof head);
  end += sizeof head;
  memcpy(end, path, (size_t)head[1]);
  end += head[1];
  if (other) memcpy(end, other, (size_t)head[2]);
  end += head[2];
  if (length) memcpy(end, data, length);
  syscall(SYS_write, log_file, line, total);
  free(line);
}

#define REAL(name) \
  static __typeof__(&name) real; \
  if (!real) real = (__typeof__(&name))dlsym(RTLD_NEXT, #name)

static int fail(void) {
  errno = number;
  return -1;
}

/* Files that come into being, or are emptied. */
static int opened(int result, int isNew, int flags, const char *path) {
  int saved = errno;
  if (result >= 0 && isNew) note(CREATE, path, NULL, 0, NULL, 0);
  if (result >= 0 && !isNew && flags & O_TRUNC) note(TRUNCATE, path, NULL, 0, NULL, 0);
  errno = saved;
  return result;
}

/* Gives others time to replace what was opened. */
static int delayed(int result, int directory, const char *path) {
  char full[4096];
  int saved = errno;
  if (delay > 0) {
    full_path(directory, path, full);
    if (strstr(full, wanted)) usleep((useconds_t)delay);
  }
  errno = saved;
  return result;
}

#define OPEN(name, arguments, directory, call) \
  int name arguments { \
    REAL(name); \
    mode_t bits = 0; \
    if (flags & (O_CREAT | O_TMPFILE)) { \
      va_list rest; \
      va_start(rest, flags); \
      bits = va_arg(rest, mode_t); \
      va_end(rest); \
    } \
    char full[4096]; \
    struct stat status; \
    if (counts_opens) { \
      full_path(directory, path, full); \
      if (decide(LOOK, full)) return fail(); \
    } \
    if (!(flags & (O_CREAT | O_TRUNC))) return delayed(real call, directory, path); \
    full_path(directory, path, full); \
    int isNew = fstatat(AT_FDCWD, full, &status, AT_SYMLINK_NOFOLLOW) != 0; \
    if ((isNew || flags & O_TRUNC) && decide(CREATE, full)) return fail(); \
    return opened(real call, isNew, flags, full); \
  }
OPEN(open, (const char *path, int flags, ...), AT_FDCWD, (path, flags, bits))
OPEN(open64, (const char *path, int flags, ...), AT_FDCWD, (path, flags, bits))
OPEN(openat, (int directory, const char *path, int flags, ...), directory, (directory, path, flags, bits))
OPEN(openat64, (int directory, const char *path, int flags, ...), directory, (directory, path, flags, bits))

static ssize_t wrote(ssize_t result, const char *path, int64_t offset, const void *data) {
  int saved = errno;
  if (result > 0) note(WRITE, path, NULL, offset, data, (size_t)result);
  errno = saved;
  return result;
}

ssize_t write(int file, const void *data, size_t length) {
  REAL(write);
  char path[4096];
  full_path(file, NULL, path);
  int fate = decide(WRITE, path);
  if (fate == 1) return fail();
  int64_t offset = lseek(file, 0, SEEK_CUR);
  return wrote(real(file, data, fate == 2 ? length / 2 : length), path, offset, data);
}

#define PWRITE(name, type) \
  ssize_t name(int file, const void *data, size_t length, type offset) { \
    REAL(name); \
    char path[4096]; \
    full_path(file, NULL, path); \
    int fate = decide(WRITE, path); \
    if (fate == 1) return fail(); \
    return wrote(real(file, data, fate == 2 ? length / 2 : length, offset), path, offset, data); \
  }
PWRITE(pwrite, off_t)
PWRITE(pwrite64, off64_t)

#define ON_FILE(name, type, kind, arguments, call, offset) \
  int name arguments { \
    REAL(name); \
    char path[4096]; \
    full_path(file, NULL, path); \
    if (decide(kind, path)) return fail(); \
    int result = real call; \
    int saved = errno; \
    if (result == 0) note(kind, path, NULL, offset, NULL, 0); \
    errno = saved; \
    return result; \
  }
ON_FILE(fsync, int, SYNC, (int file), (file), 0)
ON_FILE(syncfs, int, SYNC_ALL, (int file), (file), 0)
ON_FILE(fdatasync, int, SYNC, (int file), (file), 0)
ON_FILE(ftruncate, int, TRUNCATE, (int file, off_t length), (file, length), length)
ON_FILE(ftruncate64, int, TRUNCATE, (int file, off64_t length), (file, length), length)

#define ON_PATH(name, kind, arguments, call) \
  int name arguments { \
    REAL(name); \
    char full[4096]; \
    full_path(AT_FDCWD, path, full); \
    if (decide(kind, full)) return fail(); \
    int result = real call; \
    int saved = errno; \
    if (result == 0) note(kind, full, NULL, 0, NULL, 0); \
    errno = saved; \
    return result; \
  }
ON_PATH(unlink, UNLINK, (const char *path), (path))
ON_PATH(mkdir, MKDIR, (const char *path, mode_t bits), (path, bits))
ON_PATH(rmdir, RMDIR, (const char *path), (path))

char *mkdtemp(char *template) {
  REAL(mkdtemp);
  char *result = real(template);
  int saved = errno;
  char full[4096];
  if (result) {
    full_path(AT_FDCWD, result, full);
    note(MKDIR, full, NULL, 0, NULL, 0);
  }
  errno = saved;
  return result;
}

#define ON_PATHS(name, kind, arguments, call) \
  int name arguments { \
    REAL(name); \
    char full[4096], other[4096]; \
    full_path(AT_FDCWD, from, full); \
    full_path(AT_FDCWD, to, other); \
    if (decide(kind, full)) return fail(); \
    int result = real call; \
    int saved = errno; \
    if (result == 0) note(kind, full, other, 0, NULL, 0); \
    errno = saved; \
    return result; \
  }
ON_PATHS(rename, RENAME, (const char *from, const char *to), (from, to))
ON_PATHS(link, LINK, (const char *from, const char *to), (from, to))
ON_PATHS(renameat2, RENAME, (int a, const char *from, int b, const char *to, unsigned flags),
         (a, from, b, to, flags))

ssize_t copy_file_range(int from, off64_t *from_offset, int file, off64_t *offset, size_t length,
                        unsigned flags) {
  REAL(copy_file_range);
  char path[4096];
  full_path(file, NULL, path);
  int fate = decide(WRITE, path);
  if (fate == 1) return fail();
  return real(from, from_offset, file, offset, fate == 2 ? length / 2 : length, flags);
}

/* What only looks: a directory that cannot be read must not look empty. */
#define LISTED(name, type) \
  struct type *name(DIR *directory) { \
    REAL(name); \
    char path[4096]; \
    if (counts_reads) { \
      full_path(dirfd(directory), NULL, path); \
      if (decide(LOOK, path)) { \
        errno = number; \
        return NULL; \
      } \
    } \
    return real(directory); \
  }
LISTED(readdir, dirent)
LISTED(readdir64, dirent64)

#define LOOKED(name, type) \
  int name(const char *path, struct type *status) { \
    REAL(name); \
    char full[4096]; \
    if (counts_reads) { \
      full_path(AT_FDCWD, path, full); \
      if (decide(LOOK, full)) return fail(); \
    } \
    return real(path, status); \
  }
LOOKED(lstat64, stat64)
LOOKED(lstat, stat)
