// The targets of values.
extension FieldValue {
  /// Whether the value is a reference, or a list of references.
  public var refers: Bool {
    switch self {
    case .reference: true
    case .list(let members): members.first?.refers ?? false
    case .string, .int64, .double, .timestamp, .bytes, .location, .asset: false
    }
  }

  /// The zones that the value's references name; none for references into their record's zone.
  public var namedZones: [ZoneID] {
    switch self {
    case .reference(let reference): reference.zone.map { [$0] } ?? []
    case .list(let members): members.flatMap(\.namedZones)
    case .string, .int64, .double, .timestamp, .bytes, .location, .asset: []
    }
  }

  /// The value with references that name no zone, as stored.
  public var withoutZones: FieldValue {
    switch self {
    case .reference(var reference):
      reference.zone = nil
      return .reference(reference)
    case .list(let members): return .list(members.map(\.withoutZones))
    case .string, .int64, .double, .timestamp, .bytes, .location, .asset: return self
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
