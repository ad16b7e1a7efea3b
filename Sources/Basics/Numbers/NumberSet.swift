/// A set of numbers from 0 up, one bit each: small if the numbers are dense, as row numbers are.
public struct NumberSet {
  private var words: [UInt64] = []

  /// An empty set.
  public init() {}

  /// Whether a number is in it.
  public func contains(_ number: Int64) -> Bool {
    let word = Int(number >> 6)
    return word < words.count && words[word] & (1 << UInt64(number & 63)) != 0
  }

  /// Inserts a number.
  public mutating func insert(_ number: Int64) {
    let (word, bit) = (Int(number >> 6), UInt64(1) << UInt64(number & 63))
    if word >= words.count {
      words.append(contentsOf: repeatElement(0, count: word + 1 - words.count))
    }
    words[word] |= bit
  }
}
