internal import Basics
internal import CloudModel
internal import CoreDataModel

extension AttributeType {
  /// The type of its field; nil for types that the mirror refuses (E2).
  var mirroredBase: FieldType.Base? {
    switch self {
    case .integer16, .integer32, .integer64, .boolean: .int64
    case .decimal, .double, .float: .double
    case .string, .uuid, .uri: .string
    case .date: .timestamp
    case .binary, .transformable, .composite: .bytes
    case .objectID, .undefined: nil
    }
  }

  /// Whether a value can be too large for a record, and is then in an asset (E3).
  var isOfVariableLength: Bool {
    switch self {
    case .string, .uri, .binary, .transformable, .composite: true
    case .integer16, .integer32, .integer64, .boolean, .decimal, .double, .float, .uuid, .date,
      .objectID, .undefined:
      false
    }
  }

  /// The value as an attribute of the type has it; nil if it does not fit. `written` is the type
  /// that was written with it, which need not say that the attribute is encrypted.
  func fitted(_ value: FieldValue, as written: FieldType?) -> FieldValue? {
    var plain = written
    plain?.isEncrypted = false
    guard let base = mirroredBase, let held = value.held(by: FieldType(base), as: plain) else {
      return nil
    }
    return isInRange(held) ? normalized(held) : nil
  }

  private func isInRange(_ value: FieldValue) -> Bool {
    guard case .int64(let number) = value else { return true }
    return switch self {
    case .integer16: Int16(exactly: number) != nil
    case .integer32: Int32(exactly: number) != nil
    case .boolean: number == 0 || number == 1
    case .integer64, .decimal, .double, .float, .string, .date, .binary, .uuid, .uri,
      .transformable, .composite, .objectID, .undefined:
      true
    }
  }

  /// A UUID is in capitals (E2); nil for text that is not one.
  private func normalized(_ value: FieldValue) -> FieldValue? {
    guard self == .uuid, case .string(let text) = value else { return value }
    return text.isUUID ? .string(text.uppercased()) : nil
  }
}
