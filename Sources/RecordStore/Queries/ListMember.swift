internal import CloudModel
internal import FieldCodecs
internal import PredicateLanguage
internal import SQLite

/// A member of a list in a column, and the SQL that finds it.
struct ListMember {
  let column: FieldColumn
  let value: SQLFragment.Binding
  /// Its text in the column's JSON.
  private let text: String

  /// Nil for a value of another type, and for one that SQL cannot compare reliably: a real number
  /// may be written in several ways, and json_each ends a text at a NUL.
  init?(_ value: FieldValue, of column: FieldColumn) {
    let base = column.schema.type.base
    guard value.family == base.family, ![.double, .number].contains(base),
      let binding = value.memberBinding
    else { return nil }
    switch value {
    // A comma in quotes also separates any two texts.
    case .string(let text) where text.utf8.contains(0) || text == ",": return nil
    case .string, .int64, .timestamp, .bytes: text = ListCodec.text(of: value)
    case .reference(let reference): text = ListCodec.text(of: .string(reference.name.text))
    case .double, .location, .asset, .list: return nil
    }
    self.column = column
    self.value = binding
  }

  private var list: String { "t.\(column.parts[0].name)" }

  /// The condition that a record has it: searches the list's text, which excludes most records,
  /// then compares the members.
  var test: SQLFragment {
    SQLFragment(
      """
      instr(\(list), ?) > 0 AND EXISTS (SELECT 1 FROM json_each(\(list)) AS m \
      WHERE \(column.memberSQL) = ?)
      """, [.text(text), value])
  }

  /// The same condition by an index of members, which finds the records or, hidden, tests each.
  func test(by index: PhysicalIndex, isHidden: Bool) -> SQLFragment {
    let found =
      isHidden
      ? "EXISTS (SELECT 1 FROM \(index.identifier) m WHERE m.value = ? AND m._id = t._id)"
      : "t._id IN (SELECT _id FROM \(index.identifier) WHERE value = ?)"
    return SQLFragment("\(found) AND ", [value]) + rest
  }

  /// What remains to be tested after an index of members: in a list with a NUL, a member may look
  /// like one that it begins with.
  var rest: SQLFragment {
    guard case .text = value else { return SQLFragment("1") }
    return SQLFragment("(instr(\(list), '\\u0000') = 0 OR ") + test + SQLFragment(")")
  }
}
