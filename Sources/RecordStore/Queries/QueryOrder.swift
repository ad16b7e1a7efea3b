internal import CloudModel
internal import SQLite

/// The order of a selection in SQL: its keys, and after them the records' numbers, in the
/// direction of the last key so that an index can be walked either way.
struct QueryOrder {
  let terms: [OrderTerm]
  /// How an order by distance is read ring by ring; nil to read it in one piece.
  var rings: DistanceRings?
  /// The record's number in SQL.
  private let number: String
  private var isAscendingAtLast: Bool { terms.last?.isAscending ?? true }

  init(
    _ sort: [SortKey], _ table: TypeTable, isHidden: Bool = false, number: String = "t._id"
  ) {
    self.number = number
    terms = sort.compactMap { OrderTerm($0, table, isHidden: isHidden) }
  }

  /// The ORDER BY clause.
  var sql: SQLFragment {
    var sql = SQLFragment(" ORDER BY ")
    for term in terms { sql += term.sql + SQLFragment(term.isAscending ? ", " : " DESC, ") }
    sql += isAscendingAtLast ? number : "\(number) DESC"
    return sql
  }

  /// The ORDER BY clause of rows that have the number in the first column and the keys from a given
  /// column on, counted from 0.
  func sql(firstColumn: Int) -> SQLFragment {
    var sql = " ORDER BY "
    for (place, term) in terms.enumerated() {
      sql += "\(firstColumn + place + 1)\(term.isAscending ? "" : " DESC"), "
    }
    return SQLFragment(sql + (isAscendingAtLast ? "1" : "1 DESC"))
  }

  /// The conditions that select, one after the other, everything after a place; nil selects
  /// everything. Each is a range of the first key, which its index finds at once.
  func stretches(after place: QueryPlace?) -> [SQLFragment?] {
    guard let rings else { return plainStretches(after: place) }
    var start: Double?
    if case .double(let distance)?? = place?.values.first { start = distance }
    let after = plainStretches(after: place).first ?? nil
    return rings.conditions(from: start).map { ring in
      after.map { ring + and($0) } ?? ring
    }
  }

  private func plainStretches(after place: QueryPlace?) -> [SQLFragment?] {
    guard let place else { return [nil] }
    let after = after(place, terms[...])
    guard let first = terms.first else { return [after] }
    let isNull = first.sql + SQLFragment(" IS NULL")
    switch (first.isAscending, place.values[0]?.binding) {
    case (true, nil): return [isNull + and(after), first.sql + SQLFragment(" IS NOT NULL")]
    case (true, let value?): return [first.sql + SQLFragment(" >= ?", [value]) + and(after)]
    case (false, nil): return [isNull + and(after)]
    case (false, let value?):
      return [first.sql + SQLFragment(" <= ?", [value]) + and(after), isNull]
    }
  }

  private func and(_ condition: SQLFragment) -> SQLFragment {
    SQLFragment(" AND (") + condition + SQLFragment(")")
  }

  /// The condition that a row follows a place: by the first key, or at an equal one by the others,
  /// and finally by the record's number.
  private func after(_ place: QueryPlace, _ terms: ArraySlice<OrderTerm>) -> SQLFragment {
    guard let term = terms.first else {
      return SQLFragment(
        isAscendingAtLast ? "\(number) > ?" : "\(number) < ?", [.integer(place.number)])
    }
    let value = place.values[terms.startIndex]
    let equal =
      term.sql + SQLFragment(" IS ?", [value?.binding ?? .null])
      + and(after(place, terms.dropFirst()))
    guard let later = term.later(than: value) else { return equal }
    return later + SQLFragment(" OR ") + equal
  }
}

/// One key of an order in SQL.
struct OrderTerm {
  let sql: SQLFragment
  let isAscending: Bool
  private let base: FieldType.Base

  /// `isHidden` keeps SQLite from walking the key's index.
  init?(_ key: SortKey, _ table: TypeTable, isHidden: Bool) {
    isAscending = key.isAscending
    let sign = isHidden ? "+" : ""
    if let system = SystemKey(key.key) {
      sql = SQLFragment(sign + (system.sql ?? "t._sequence"))
      base = system == .changeTag ? .int64 : system.type.base
      return
    }
    guard let column = table.column(key.key) else { return nil }
    if column.schema.type.base == .location {
      guard let origin = key.origin else { return nil }
      sql =
        SQLFragment("ifnull(") + PlaceDistance(column: column, origin: origin).sql
        + SQLFragment(", \(PlaceDistance.farthest))")
      base = .double
    } else {
      sql = SQLFragment(sign + "t." + column.parts[0].name)
      base = column.schema.type.base
    }
  }

  /// The value of this key in a row that has it in `column`.
  func value(in row: Statement, at column: Int) -> FieldValue? {
    if row.isNull(column) { return nil }
    switch base {
    case .string: return .string(row.text(column))
    case .int64: return .int64(row.int64(column))
    case .double: return .double(row.double(column))
    case .timestamp: return .timestamp(Timestamp(milliseconds: row.int64(column)))
    case .reference: return .reference(Reference(RecordName(stored: row.text(column))))
    case .number:
      return row.isInteger(column) ? .int64(row.int64(column)) : .double(row.double(column))
    case .bytes: return .bytes(row.bytes(column))
    case .location, .asset: return nil
    }
  }

  /// The condition that the key alone puts a row after a value; nil if nothing follows.
  fileprivate func later(than value: FieldValue?) -> SQLFragment? {
    switch (isAscending, value?.binding) {
    case (true, nil): sql + SQLFragment(" IS NOT NULL")
    case (true, let binding?): sql + SQLFragment(" > ?", [binding])
    case (false, nil): nil
    case (false, let binding?):
      SQLFragment("(") + sql + SQLFragment(" < ? OR ", [binding]) + sql
        + SQLFragment(" IS NULL)")
    }
  }
}
