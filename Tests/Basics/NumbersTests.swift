internal import Basics
internal import Testing

/// UUIDs, random numbers, checksums and number sets (DS6, M1.13).
@Suite struct NumbersTests {
  private static func isVersion4(_ uuid: String) -> Bool {
    let parts = uuid.split(separator: "-", omittingEmptySubsequences: false)
    let isHexadecimal = parts.joined().utf8.allSatisfy {
      (0x30...0x39).contains($0) || (0x41...0x46).contains($0)
    }
    return parts.map(\.count) == [8, 4, 4, 4, 12] && isHexadecimal && parts[2].first == "4"
      && "89AB".contains(parts[3].first ?? "-")
  }

  @Test("RFC 9562 §5.4, R3.1.7: UUIDs are of version 4 and in upper case")
  func version() {
    for number in 0..<500 {
      #expect(Self.isVersion4(Randomness.system.uuid(purpose: [])))
      #expect(Self.isVersion4(Randomness.seeded(UInt64(number)).uuid(purpose: ["a"])))
    }
  }

  @Test("M1.13: the same seed and purpose give the same UUID, any other a different one")
  func purposes() {
    let purposes: [[String]] = [
      [], [""], ["", ""], ["a"], ["b"], ["a", "b"], ["ab"], ["a", "b", ""], ["b", "a"],
      ["\u{E9}"], ["e\u{301}"], ["0123456789"], ["01234567", "89"],
    ]
    var seen: Set<String> = []
    for seed in [0, 1, 7, UInt64.max] {
      for purpose in purposes {
        let uuid = Randomness.seeded(seed).uuid(purpose: purpose)
        #expect(uuid == Randomness.seeded(seed).uuid(purpose: purpose))
        #expect(seen.insert(uuid).inserted, "\(seed) \(purpose)")
      }
    }
    #expect(Randomness.system.uuid(purpose: []) != Randomness.system.uuid(purpose: []))
  }

  @Test("Vigna's SplitMix64: the seed 1234567 gives the published numbers")
  func splitMix64() {
    var random = SplitMix64(state: 1_234_567)
    let expected: [UInt64] = [
      6_457_827_717_110_365_317, 3_203_168_211_198_807_973, 9_817_491_932_198_370_423,
      4_593_380_528_125_082_431, 16_408_922_859_458_223_821,
    ]
    #expect(expected.map { _ in random.next() } == expected)
  }

  @Test("DS4: a checksum notices every change of one bit, of length and of order")
  func checksums() {
    var random = SplitMix64(state: 16)
    for count in [1, 7, 8, 9, 16, 41] {
      let bytes = (0..<count).map { _ in UInt8(truncatingIfNeeded: random.next()) }
      let whole = Checksum64.hash(bytes, seed: 1)
      #expect(Checksum64.hash(bytes, seed: 1) == whole)
      #expect(Checksum64.hash(bytes, seed: 2) != whole)
      #expect(Checksum64.hash(bytes + [0], seed: 1) != whole)
      for bit in 0..<count * 8 {
        var changed = bytes
        changed[bit / 8] ^= 1 << (bit % 8)
        #expect(Checksum64.hash(changed, seed: 1) != whole)
      }
    }
    let zeros = (0..<64).map { Checksum64.hash([UInt8](repeating: 0, count: $0), seed: 0) }
    #expect(Set(zeros).count == zeros.count)
    let words: [[UInt8]] = [[1, 0, 0, 0, 0, 0, 0, 0], [2, 0, 0, 0, 0, 0, 0, 0]]
    let orders = [words[0] + words[1], words[1] + words[0]]
    #expect(Checksum64.hash(orders[0], seed: 0) != Checksum64.hash(orders[1], seed: 0))
  }

  @Test("a text's checksum is that of its bytes")
  func textChecksum() {
    var random = SplitMix64(state: 17)
    for _ in 0..<200 {
      let text = random.text(30)
      var checksum = Checksum64(seed: 5)
      checksum.add(text)
      #expect(checksum.finish() == Checksum64.hash(Array(text.utf8), seed: 5))
    }
  }

  @Test("a number set behaves like Swift's Set")
  func numberSet() {
    var random = SplitMix64(state: 18)
    var numbers = NumberSet()
    var model: Set<Int64> = []
    for _ in 0..<4000 {
      let number = Int64(random.pick([random.below(200), random.below(100_000)]))
      #expect(numbers.contains(number) == !model.insert(number).inserted)
      numbers.insert(number)
    }
  }
}
