internal import Basics
internal import CPlatform
internal import Testing

/// SHA-256 (FIPS 180-4).
@Suite struct SHA256Tests {
  private static func randomBytes(_ count: Int) -> [UInt8] {
    SplitMix64.bytes(count, state: UInt64(count))
  }

  @Test("RFC 4231: the authentication codes of short, usual and long keys")
  func authentication() {
    let cases: [(key: [UInt8], text: String, code: String)] = [
      (
        [UInt8](repeating: 0x0B, count: 20), "Hi There",
        "b0344c61d8db38535ca8afceaf0bf12b881dc200c9833da726e9376c2e32cff7"
      ),
      (
        Array("Jefe".utf8), "what do ya want for nothing?",
        "5bdcc146bf60754e6a042426089575c75a003f089d2739839dec58b964ec3843"
      ),
      (
        [UInt8](repeating: 0xAA, count: 131),
        "Test Using Larger Than Block-Size Key - Hash Key First",
        "60e431591ee0b67f0d8a26aacbf5b77f8e0bc6213728c5140546040f0ee37f54"
      ),
    ]
    for (key, text, code) in cases {
      #expect(SHA256.authenticationCode(Array(text.utf8), key: key).hexadecimal == code)
    }
  }

  @Test("FIPS 180-4: the digests of NIST's examples, and of no bytes")
  func examples() {
    let digests = [
      ("", "e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855"),
      ("abc", "ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad"),
      (
        "abcdbcdecdefdefgefghfghighijhijkijkljklmklmnlmnomnopnopq",
        "248d6a61d20638b8e5c026930c3e6039a33ce45964ff2167f6ecedd419db06c1"
      ),
      (
        String(repeating: "a", count: 1_000_000),
        "cdc76e5c9914fb9281a1c7e284d73e67f1809a48a497200e046d39ccc7112cd0"
      ),
    ]
    for (text, digest) in digests {
      #expect(SHA256.hash(Array(text.utf8)).hexadecimal == digest)
    }
  }

  @Test("FIPS 180-4 §6.2: the digest does not depend on how the bytes are split")
  func pieces() {
    var random = SplitMix64(state: 19)
    for count in Array(0...200) + [1000, 4096, 70_000] {
      let bytes = Self.randomBytes(count)
      var hash = SHA256()
      var start = 0
      while start < count {
        let end = Int.random(in: start...min(count, start + 150), using: &random)
        bytes[start..<end].withUnsafeBytes { hash.update($0) }
        start = end
      }
      #expect(hash.finish() == SHA256.hash(bytes), "\(count) bytes")
    }
  }

  @Test("FIPS 180-4 §6.2.2: the processor's instructions and the portable code agree")
  func instructions() {
    for count in [0, 1, 2, 3, 64, 1000] {
      let blocks = Self.randomBytes(count * 64)
      var state = (0..<8).map { UInt32($0 * 0x1234_5677) }
      var portable = state
      ckdb_sha256(&state, blocks, count)
      ckdb_sha256_portable(&portable, blocks, count)
      #expect(state == portable, "\(count) blocks")
    }
  }
}
