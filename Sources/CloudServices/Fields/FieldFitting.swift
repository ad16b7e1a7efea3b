internal import CloudModel
internal import FieldCodecs

extension FieldValue {
  /// Returns the value converted to a field type; nil if it does not fit.
  ///
  /// Whole numbers convert between INT64 and DOUBLE (R3.4.7), an empty list fits every list, and
  /// encryption does not affect the value.
  func fitted(to type: FieldType) -> FieldValue? {
    if case .list(let members) = self {
      guard type.isList else { return nil }
      if members.allSatisfy({ $0.isOf(type.base) }) { return self }
      var fitted: [FieldValue] = []
      fitted.reserveCapacity(members.count)
      for member in members {
        guard let value = member.fitted(to: FieldType(type.base)) else { return nil }
        fitted.append(value)
      }
      return .list(fitted)
    }
    if type.isList { return nil }
    if isOf(type.base) { return self }
    switch (self, type.base) {
    case (.int64(let number), .double): return .double(Double(number))
    case (.double(let number), .int64): return Int64(exactly: number).map { .int64($0) }
    default: return nil
    }
  }

  /// Returns the value converted to a field type; `written` is the type given in the text. Plain
  /// text is parsed again as the field's type if `rereads` is true. Nil if it does not fit.
  func held(
    by type: FieldType, as written: FieldType?, rereads: Bool = true
  ) -> FieldValue? {
    if let written, !type.accepts(written: written) { return nil }
    return fitted(to: type) ?? (rereads ? reread(as: type) : nil)
  }

  /// The error for a value that does not fit its field's type (R3.4.6).
  func mismatch(
    _ field: FieldName, in type: RecordType, expected: FieldType, written: FieldType?
  ) -> CloudError {
    let found = written ?? self.type ?? FieldType(.string, isList: true)
    return .typeMismatch(found, field, in: type, expected: expected)
  }

  /// Whether the value can be converted to the field type.
  func isHeld(by type: FieldType, as written: FieldType?) -> Bool {
    written == nil && isExactly(type) || held(by: type, as: written) != nil
  }

  /// Whether the value has the field type without conversion.
  func isExactly(_ type: FieldType) -> Bool {
    if case .list(let members) = self {
      return type.isList && members.allSatisfy { $0.isOf(type.base) }
    }
    return !type.isList && isOf(type.base)
  }

  /// Whether the value is a single value of a type without conversion.
  private func isOf(_ base: FieldType.Base) -> Bool {
    switch self {
    case .string: base == .string
    case .int64: base == .int64 || base == .number
    case .double: base == .double || base == .number
    case .timestamp: base == .timestamp
    case .bytes: base == .bytes
    case .location: base == .location
    case .reference: base == .reference
    case .asset: base == .asset
    case .list: false
    }
  }

  /// A list of integers and real numbers as a list of real numbers; other values unchanged.
  var withUniformNumbers: FieldValue {
    guard case .list(let members) = self else { return self }
    let hasInteger = members.contains { if case .int64 = $0 { true } else { false } }
    let hasDouble = members.contains { if case .double = $0 { true } else { false } }
    guard hasInteger && hasDouble else { return self }
    return fitted(to: FieldType(.double, isList: true)) ?? self
  }

  /// Returns the type of a new field for this value. Throws for an empty list (R3.4.4), and for a
  /// list with members of several types (R3.4.3).
  func typeOfNewField(
    _ name: FieldName, in type: RecordType
  ) throws(CloudError) -> FieldType {
    guard let valueType = self.type else { throw .emptyListForNewField(name, in: type) }
    guard fitted(to: valueType) != nil else {
      throw CloudError(
        .invalidArguments,
        "the list for field '\(name.text)' in record type '\(type.text)' has members of different "
          + "types", serverCode: 2006)
    }
    return valueType
  }
}
