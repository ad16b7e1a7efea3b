// SHA-256's compression function (FIPS 180-4, §6.2.2), with the processor's instructions for it
// where it has them. Padding and the bytes between two calls are Basics/Numbers/SHA256.swift's.
#include "shim.h"

#include <string.h>

static const uint32_t constants[64] __attribute__((aligned(16))) = {
    0x428a2f98, 0x71374491, 0xb5c0fbcf, 0xe9b5dba5, 0x3956c25b, 0x59f111f1, 0x923f82a4, 0xab1c5ed5,
    0xd807aa98, 0x12835b01, 0x243185be, 0x550c7dc3, 0x72be5d74, 0x80deb1fe, 0x9bdc06a7, 0xc19bf174,
    0xe49b69c1, 0xefbe4786, 0x0fc19dc6, 0x240ca1cc, 0x2de92c6f, 0x4a7484aa, 0x5cb0a9dc, 0x76f988da,
    0x983e5152, 0xa831c66d, 0xb00327c8, 0xbf597fc7, 0xc6e00bf3, 0xd5a79147, 0x06ca6351, 0x14292967,
    0x27b70a85, 0x2e1b2138, 0x4d2c6dfc, 0x53380d13, 0x650a7354, 0x766a0abb, 0x81c2c92e, 0x92722c85,
    0xa2bfe8a1, 0xa81a664b, 0xc24b8b70, 0xc76c51a3, 0xd192e819, 0xd6990624, 0xf40e3585, 0x106aa070,
    0x19a4c116, 0x1e376c08, 0x2748774c, 0x34b0bcb5, 0x391c0cb3, 0x4ed8aa4a, 0x5b9cca4f, 0x682e6ff3,
    0x748f82ee, 0x78a5636f, 0x84c87814, 0x8cc70208, 0x90befffa, 0xa4506ceb, 0xbef9a3f7, 0xc67178f2,
};

static inline uint32_t rotated(uint32_t word, int places) {
  return word >> places | word << (32 - places);
}

static inline uint32_t big_endian(const unsigned char *bytes) {
  return (uint32_t)bytes[0] << 24 | (uint32_t)bytes[1] << 16 | (uint32_t)bytes[2] << 8 | bytes[3];
}

void ckdb_sha256_portable(uint32_t state[8], const unsigned char *blocks, size_t count) {
  for (; count > 0; count--, blocks += 64) {
    uint32_t schedule[64];
    for (int t = 0; t < 16; t++) schedule[t] = big_endian(blocks + 4 * t);
    for (int t = 16; t < 64; t++) {
      uint32_t early = schedule[t - 15], late = schedule[t - 2];
      uint32_t sigma0 = rotated(early, 7) ^ rotated(early, 18) ^ early >> 3;
      uint32_t sigma1 = rotated(late, 17) ^ rotated(late, 19) ^ late >> 10;
      schedule[t] = schedule[t - 16] + sigma0 + schedule[t - 7] + sigma1;
    }
    uint32_t s[8];
    memcpy(s, state, sizeof s);
    for (int t = 0; t < 64; t++) {
      uint32_t sum1 = rotated(s[4], 6) ^ rotated(s[4], 11) ^ rotated(s[4], 25);
      uint32_t choice = (s[4] & s[5]) ^ (~s[4] & s[6]);
      uint32_t first = s[7] + sum1 + choice + constants[t] + schedule[t];
      uint32_t sum0 = rotated(s[0], 2) ^ rotated(s[0], 13) ^ rotated(s[0], 22);
      uint32_t majority = (s[0] & s[1]) ^ (s[0] & s[2]) ^ (s[1] & s[2]);
      memmove(s + 1, s, 7 * sizeof *s);
      s[4] += first;
      s[0] = first + sum0 + majority;
    }
    for (int i = 0; i < 8; i++) state[i] += s[i];
  }
}

#ifdef __x86_64__
#include <cpuid.h>
#include <immintrin.h>
#include <stdatomic.h>

/// Whether the processor has the SHA instructions, and SSSE3 and SSE4.1, which go with them.
static bool detects_instructions(void) {
  unsigned a, b, c, d;
  if (!__get_cpuid(1, &a, &b, &c, &d) || !(c & bit_SSSE3) || !(c & bit_SSE4_1)) return false;
  return __get_cpuid_count(7, 0, &a, &b, &c, &d) && (b & bit_SHA);
}

/// The same, detected once: a virtual machine traps each cpuid instruction, which takes longer than
/// hashing a kilobyte.
static bool has_instructions(void) {
  enum { unknown, absent, present };
  static _Atomic int answer = unknown;
  int known = atomic_load_explicit(&answer, memory_order_relaxed);
  if (known == unknown) {
    known = detects_instructions() ? present : absent;
    atomic_store_explicit(&answer, known, memory_order_relaxed);
  }
  return known == present;
}

/// Four rounds a step. The instructions want the state as two vectors, {a b e f} and {c d g h}, the
/// first word in the highest lane.
__attribute__((target("sha,sse4.1,ssse3"))) static void with_instructions(
    uint32_t state[8], const unsigned char *blocks, size_t count) {
  const __m128i byte_order = _mm_set_epi64x(0x0c0d0e0f08090a0b, 0x0405060700010203);
  __m128i cdab = _mm_shuffle_epi32(_mm_loadu_si128((const __m128i *)state), 0xB1);
  __m128i efgh = _mm_shuffle_epi32(_mm_loadu_si128((const __m128i *)(state + 4)), 0x1B);
  __m128i abef = _mm_alignr_epi8(cdab, efgh, 8);
  __m128i cdgh = _mm_blend_epi16(efgh, cdab, 0xF0);
  for (; count > 0; count--, blocks += 64) {
    const __m128i abef_before = abef, cdgh_before = cdgh;
    __m128i words[4];
    for (int i = 0; i < 4; i++) {
      __m128i bytes = _mm_loadu_si128((const __m128i *)(blocks + 16 * i));
      words[i] = _mm_shuffle_epi8(bytes, byte_order);
    }
#pragma clang loop unroll(full)
    for (int step = 0; step < 16; step++) {
      __m128i *oldest = &words[step & 3], newest = words[(step + 3) & 3];
      __m128i sum = _mm_add_epi32(*oldest, _mm_load_si128((const __m128i *)constants + step));
      cdgh = _mm_sha256rnds2_epu32(cdgh, abef, sum);
      abef = _mm_sha256rnds2_epu32(abef, cdgh, _mm_shuffle_epi32(sum, 0x0E));
      if (step < 12) {
        __m128i next = _mm_sha256msg1_epu32(*oldest, words[(step + 1) & 3]);
        next = _mm_add_epi32(next, _mm_alignr_epi8(newest, words[(step + 2) & 3], 4));
        *oldest = _mm_sha256msg2_epu32(next, newest);
      }
    }
    abef = _mm_add_epi32(abef, abef_before);
    cdgh = _mm_add_epi32(cdgh, cdgh_before);
  }
  __m128i feba = _mm_shuffle_epi32(abef, 0x1B);
  __m128i dchg = _mm_shuffle_epi32(cdgh, 0xB1);
  _mm_storeu_si128((__m128i *)state, _mm_blend_epi16(feba, dchg, 0xF0));
  _mm_storeu_si128((__m128i *)(state + 4), _mm_alignr_epi8(dchg, feba, 8));
}
#endif

void ckdb_sha256(uint32_t state[8], const unsigned char *blocks, size_t count) {
#ifdef __x86_64__
  if (has_instructions()) return with_instructions(state, blocks, count);
#endif
  ckdb_sha256_portable(state, blocks, count);
}
