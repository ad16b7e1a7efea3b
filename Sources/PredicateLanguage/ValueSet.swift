internal import CloudModel

/// Many values to look one up in, by `FieldValue.matches`.
struct ValueSet {
  private var keys: Set<Key> = []

  /// Fewer are looked through as quickly.
  private static let fewest = 16

  /// What is the same for values that match one another.
  private enum Key: Hashable {
    case integer(Int64)
    case real(Double)
    /// Bytes, not characters: those are compared canonically.
    case text([UInt8])
    case name([UInt8])
    case time(Int64)

    init?(_ value: FieldValue) {
      switch value {
      case .int64(let number): self = .integer(number)
      case .double(let number): self = Int64(exactly: number).map(Key.integer) ?? .real(number)
      case .string(let text): self = .text(Array(text.utf8))
      case .reference(let reference): self = .name(Array(reference.name.text.utf8))
      case .timestamp(let time): self = .time(time.milliseconds)
      case .bytes, .location, .asset, .list: return nil
      }
    }
  }

  /// The members of a list; nil for few of them, and where some cannot be looked up.
  init?(_ list: PredicateEvaluator.Operand) {
    let items = list.items
    guard items.count >= Self.fewest else { return nil }
    for item in items {
      switch item {
      case .none: continue
      case .value(let value):
        guard let key = Key(value) else { return nil }
        keys.insert(key)
      case .aggregate: return nil
      }
    }
  }

  func contains(_ value: FieldValue) -> Bool { Key(value).map(keys.contains) ?? false }
}
