/// Detects duplicate names in an object: compares a few names one by one, and hashes many.
public struct NamesMet {
  private var few: [String] = []
  private var many: Set<[UInt8]> = []

  /// No names.
  public init() {}

  /// Adds a name; returns false for a duplicate.
  public mutating func insert(_ name: String) -> Bool {
    if few.count < 32 {
      if few.contains(where: { utf8Equal($0, name) }) { return false }
      few.append(name)
      return true
    }
    if many.isEmpty { many = Set(few.map { Array($0.utf8) }) }
    return many.insert(Array(name.utf8)).inserted
  }
}
