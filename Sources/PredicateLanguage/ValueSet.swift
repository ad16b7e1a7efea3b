internal import CloudModel
internal import FieldCodecs

/// A key that is the same for values that match by `FieldValue.matches`.
enum ValueKey: Hashable {
  case integer(Int64)
  case real(Double)
  /// Bytes, not characters: those are compared canonically.
  case text([UInt8])
  case name([UInt8])
  case time(Int64)
  /// Any other value, by its canonical text.
  case other([UInt8])

  init(_ value: FieldValue) {
    switch value {
    case .int64(let number): self = .integer(number)
    case .double(let number): self = Int64(exactly: number).map(ValueKey.integer) ?? .real(number)
    case .string(let text): self = .text(Array(text.utf8))
    case .reference(let reference): self = .name(Array(reference.name.text.utf8))
    case .timestamp(let time): self = .time(time.milliseconds)
    case .location(let place):
      // Adds 0 to remove the signs of zeros.
      self = .other(Array("\(place.latitude + 0),\(place.longitude + 0)".utf8))
    case .bytes, .asset, .list: self = .other(Array(value.predicateText.utf8))
    }
  }
}

/// A set of values for fast lookup.
struct ValueSet {
  private var keys: Set<ValueKey> = []

  /// Fewer values are searched as fast.
  private static let fewest = 16

  /// Creates a set of a list's members; nil for few members, and for lists of lists.
  init?(_ list: PredicateEvaluator.Operand) {
    let items = list.items
    guard items.count >= Self.fewest else { return nil }
    for item in items {
      switch item {
      case .none: continue
      case .value(let value): keys.insert(ValueKey(value))
      case .aggregate: return nil
      }
    }
  }

  func contains(_ value: FieldValue) -> Bool { keys.contains(ValueKey(value)) }
}
