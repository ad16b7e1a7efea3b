internal import Basics

extension JSONValue {
  /// The text of a cell: texts and numbers as they are, lists and objects as JSON (M4.6); nil for
  /// null.
  var cellText: String? {
    switch self {
    case .null: nil
    case .string(let text): text
    case .bool, .int, .double, .outOfRange, .array, .object: self.text
    }
  }
}
