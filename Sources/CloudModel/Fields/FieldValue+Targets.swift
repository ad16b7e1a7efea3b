// The references in values. A value of another type has none, so that none of these asks about each
// type.
extension FieldValue {
  /// The references in the value or its members.
  public var references: [Reference] {
    if case .reference(let reference) = self { return [reference] }
    // The members of a list have the same type.
    guard case .list(let members) = self, case .reference? = members.first else { return [] }
    return members.flatMap(\.references)
  }

  /// Whether the value is a reference, or a list of references.
  public var refers: Bool {
    if case .list(let members) = self { return members.first?.refers ?? false }
    if case .reference = self { return true }
    return false
  }

  /// The zones that the value's references name; none for references into their record's zone.
  public var namedZones: [ZoneID] { references.compactMap(\.zone) }

  /// The value with references that name no zone, as stored.
  public var withoutZones: FieldValue {
    if case .list(let members) = self, refers { return .list(members.map(\.withoutZones)) }
    guard case .reference(var reference) = self else { return self }
    reference.zone = nil
    return .reference(reference)
  }

  /// The records that the value refers to.
  public var targets: [RecordName] { references.map(\.name) }
}
