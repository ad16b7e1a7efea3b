/// The names of an object so far, for telling one that stands twice: few are compared, many hashed.
public struct NamesMet {
  private var few: [String] = []
  private var many: Set<[UInt8]> = []

  /// No names.
  public init() {}

  /// Takes a name down; false when it was met before.
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
