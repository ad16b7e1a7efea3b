internal import Basics
internal import CloudModel
internal import PredicateLanguage
internal import Testing

/// Integers and real numbers compare by their exact values (P1.5.5); checked with 128-bit
/// arithmetic.
@Suite struct NumberOrderTests {
  /// The order of an integer and a real number, both doubled so that halves become whole.
  private func expected(_ integer: Int64, _ real: Double) -> Int {
    let limit = 0x1p80
    if real >= limit { return -1 }
    if real <= -limit { return 1 }
    let scaled = (real * 2).rounded(.towardZero)
    let (a, b) = (Int128(integer) * 2, Int128(scaled))
    if a != b { return a < b ? -1 : 1 }
    return real * 2 == scaled ? 0 : real > 0 ? -1 : 1
  }

  private var integers: [Int64] {
    var random = SplitMix64(state: 1)
    let edges = [0, 1, 1 << 52, 1 << 53, 1 << 54, 1 << 62, Int64.max, .min]
    return edges.flatMap { edge in
      [-1, 0, 1].map { edge &+ $0 } + [-1, 0, 1].map { -(edge / 2) &+ $0 }
    }
      + (0..<40).map { _ in Int64(bitPattern: random.next()) >> Int64(random.next() % 64) }
  }

  private var reals: [Double] {
    var random = SplitMix64(state: 2)
    let edges = integers.map(Double.init) + [0x1p63, -0x1p63, 0x1p64, 1e300, 0.5, 0.1, 0x1p-1074]
    return edges.flatMap { [$0, $0.nextUp, $0.nextDown, -$0, $0 + 0.5] }
      + (0..<60).map { _ in Double(bitPattern: random.next()) }.filter { !$0.isNaN }
  }

  @Test("every pair has the right order, both ways round; numbers without an order are equal")
  func order() {
    for integer in integers {
      for real in reals {
        let (a, b) = (FieldValue.int64(integer), FieldValue.double(real))
        let expected = expected(integer, real)
        if a.order(to: b)?.signum() != expected { Issue.record("\(integer) \(real)") }
        if b.order(to: a)?.signum() != -expected { Issue.record("\(real) \(integer)") }
        if a.matches(b) != (expected == 0) || b.matches(a) != (expected == 0) {
          Issue.record("\(integer) matches \(real)")
        }
      }
    }
  }

  @Test("2^53 + 1 is not a double: it is between its neighbours")
  func beyondDoubles() {
    let odd = FieldValue.int64(1 << 53 + 1)
    #expect(!odd.matches(.double(0x1p53)) && !odd.matches(.double(0x1p53 + 2)))
    #expect(odd.order(to: .double(0x1p53)) == 1 && odd.order(to: .double(0x1p53 + 2)) == -1)
    #expect(FieldValue.int64(.max).order(to: .double(0x1p63)) == -1)
    #expect(FieldValue.int64(.min).order(to: .double(-0x1p63)) == 0)
    #expect(FieldValue.double(0).matches(.double(-0.0)))
  }

  @Test("values of different families have no order and never match")
  func families() {
    let time = Timestamp(milliseconds: 1)
    let values: [FieldValue] = [
      .int64(1), .string("1"), .timestamp(time), .bytes([1]), .list([.int64(1)]),
      .reference(Reference(RecordName(stored: "1"))),
    ]
    for (i, a) in values.enumerated() {
      for (j, b) in values.enumerated() where i != j {
        #expect(a.order(to: b) == nil && !a.matches(b))
      }
    }
    #expect(FieldValue.bytes([1]).order(to: .bytes([2])) == nil)
  }
}
