internal import Basics
internal import FuzzTargets
internal import Testing

/// Replays the inputs that libFuzzer kept, and a few changes of them (RS5.9); `make fuzz` continues
/// from there.
@Suite(.serialized) struct FuzzTests {
  @Test("the saved inputs of each target keep its laws", arguments: FuzzTarget.allCases)
  func saved(target: FuzzTarget) throws {
    let inputs = try FuzzCorpus(target).inputs()
    #expect(!inputs.isEmpty)
    for input in inputs { input.withUnsafeBytes { target.run($0) } }
  }

  @Test("changes of the saved inputs keep the laws", arguments: FuzzTarget.allCases)
  func changed(target: FuzzTarget) throws {
    let inputs = try FuzzCorpus(target).inputs()
    var random = SplitMix64(state: 9)
    let rounds = target == .store || target == .query ? 60 : 2000
    for _ in 0..<rounds {
      var input = inputs[Int(random.next() % UInt64(inputs.count))]
      let other = inputs[Int(random.next() % UInt64(inputs.count))]
      for _ in 0...random.next() % 4 { Self.change(&input, other, &random) }
      input.withUnsafeBytes { target.run($0) }
    }
  }

  /// Changes, adds or removes something, or continues with another input.
  private static func change(
    _ input: inout [UInt8], _ other: [UInt8], _ random: inout SplitMix64
  ) {
    let place = input.isEmpty ? 0 : Int(random.next() % UInt64(input.count))
    switch random.next() % 5 {
    case 0 where !input.isEmpty: input[place] ^= 1 << UInt8(random.next() % 8)
    case 1 where !input.isEmpty: input.remove(at: place)
    case 2: input.insert(UInt8(truncatingIfNeeded: random.next()), at: place)
    case 3: input.replaceSubrange(place..., with: other.suffix(Int(random.next() % 40)))
    default: input.insert(contentsOf: other.prefix(Int(random.next() % 40)), at: place)
    }
  }
}
