internal import Basics

/// A new field whose name is similar to another's: it may be a typing error.
public struct FieldSlip: Sendable, Equatable {
  /// The record type.
  public let type: String
  /// The new field.
  public let field: FieldName
  /// The field that may be meant: one of the schema, or one that more records have.
  public let near: FieldName
  /// The first position of the field.
  public let position: TextPosition
}

extension Fixture {
  /// The fields of its records that a schema's types lack and that are similar to a field of the
  /// same type, in the order of the text. Fields of one record are never slips of each other.
  public func slips(beyond types: [RecordTypeSchema]) -> [FieldSlip] {
    var uses: [String: TypeUses] = [:]
    for zone in zones {
      for record in zone.records {
        uses[record.type, default: TypeUses()].add(record.fields + (defaults[record.type] ?? []))
      }
    }
    var slips: [FieldSlip] = []
    for (type, uses) in uses {
      let known = types.first { $0.name.text == type }?.fields.map(\.name.text) ?? []
      slips += uses.slips(of: type, beyond: known)
    }
    slips = slips.filter { slip in !haveBoth(slip) }
    return slips.sorted { $0.position < $1.position }
  }

  private func haveBoth(_ slip: FieldSlip) -> Bool {
    zones.contains { zone in
      zone.records.contains { record in
        guard record.type == slip.type else { return false }
        let fields = record.fields + (defaults[record.type] ?? [])
        return fields.contains { $0.name == slip.field } && fields.contains { $0.name == slip.near }
      }
    }
  }
}

/// How often the records of a type have each field.
private struct TypeUses {
  private var counts: [String: (count: Int, first: TextPosition)] = [:]

  mutating func add(_ fields: [FieldText]) {
    for field in fields { counts[field.name.text, default: (0, field.position)].count += 1 }
  }

  func slips(of type: String, beyond known: [String]) -> [FieldSlip] {
    counts.compactMap { name, use in
      if known.contains(name) { return nil }
      let others = counts.filter { $0.value.count > use.count }.keys.sorted(by: utf8Precedes)
      return Suggestion.nearest(to: name, among: known + others, slips: 2).map {
        FieldSlip(
          type: type, field: FieldName(stored: name), near: FieldName(stored: $0),
          position: use.first)
      }
    }
  }
}
