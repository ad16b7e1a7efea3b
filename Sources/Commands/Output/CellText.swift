internal import Basics
internal import CloudModel
internal import FieldCodecs

extension FieldValue {
  /// The text of a table's cell: references by name, the members of lists and the coordinates of
  /// locations separated by commas.
  func tableText(_ dates: DateStyle) -> String {
    switch self {
    case .reference(let reference): reference.name.text
    case .location(let location):
      [location.latitude, location.longitude].map { FieldValue.double($0).cellText }
        .separated(by: ", ")
    case .list(let members): members.map { $0.tableText(dates) }.separated(by: ", ")
    case .timestamp(let time): dates.text(time)
    case .string, .int64, .double, .bytes, .asset: cellText
    }
  }
}

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
