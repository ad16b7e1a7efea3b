/// A set of numbers from 0 up, one bit each: small where the numbers are dense, as row numbers
/// are.
public struct NumberSet {
  private var words: [UInt64] = []

  /// An empty set.
  public init() {}

  /// Puts a number in; false when it was there already.
  public mutating func insert(_ number: Int64) -> Bool {
    let (word, bit) = (Int(number >> 6), UInt64(1) << UInt64(number & 63))
    if word >= words.count {
      words.append(contentsOf: repeatElement(0, count: word + 1 - words.count))
    }
    defer { words[word] |= bit }
    return words[word] & bit == 0
  }
}
