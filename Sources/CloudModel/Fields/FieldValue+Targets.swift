// What values refer to.
extension FieldValue {
  /// Whether the value is a reference, or a list of some.
  public var refers: Bool {
    switch self {
    case .reference: true
    case .list(let members): members.first?.refers ?? false
    case .string, .int64, .double, .timestamp, .bytes, .location, .asset: false
    }
  }

  /// The records that the value refers to.
  public var targets: [RecordName] {
    switch self {
    case .reference(let reference): [reference.name]
    case .list(let members): members.flatMap(\.targets)
    case .string, .int64, .double, .timestamp, .bytes, .location, .asset: []
    }
  }
}
