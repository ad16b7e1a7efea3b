internal import Basics
internal import CloudModel
internal import PredicateLanguage
internal import SQLite

/// Lists: fields and literals.
extension PredicateCompiler {
  /// Whether a value is one of several; many of them are one binding, as JSON.
  private func among(
    _ sql: SQLFragment, _ values: [FieldValue], isName: Bool
  ) -> CompiledPredicate {
    if values.isEmpty { return .exact(SQLFragment("0")) }
    let test: SQLFragment
    if values.count > Self.mostMarks {
      guard let list = Self.json(values) else { return .undecided }
      test = SQLFragment(" IN (SELECT value FROM json_each(?))", [.text(list)])
    } else {
      let bindings = values.compactMap(\.binding)
      guard bindings.count == values.count else { return .undecided }
      let marks = Array(repeating: "?", count: bindings.count).joined(separator: ", ")
      test = SQLFragment(" IN (\(marks))", bindings)
    }
    return .exact(isName ? named(test) : sql + test)
  }

  /// Up to this number, each value has a binding of its own.
  private static let mostMarks = 100

  /// Values as a list that json_each reads exactly; nil for others: a real number may be read as
  /// its neighbor, and a NUL ends a text.
  private static func json(_ values: [FieldValue]) -> String? {
    let isExact = values.allSatisfy { value in
      switch value {
      case .int64, .timestamp: true
      case .string(let text): !text.utf8.contains(0)
      case .reference(let reference): !reference.name.text.utf8.contains(0)
      case .double, .bytes, .location, .asset, .list: false
      }
    }
    guard isExact else { return nil }
    let members = values.map { value -> JSONValue in
      switch value.binding {
      case .integer(let number)?: .int(number)
      case .text(let text)?: .string(text)
      case .null?, .real?, .blob?, nil: .null
      }
    }
    return JSONValue.array(members).text
  }

  func membership(of element: Operand, in container: Operand) -> CompiledPredicate {
    switch (element, container) {
    case (.null, _), (_, .null): return .exact(SQLFragment("0"))
    case (.scalar(let sql, let family, let isName), .values(let values)):
      let fitting = values.compactMap { $0 }.filter { $0.family == family }
      return among(sql, fitting, isName: isName)
    case (.value(let value), .list(let column)): return member(value, of: column)
    case (.value(.string(let part)), .scalar(let sql, .string, _)):
      if part.isEmpty { return .exact(SQLFragment("0")) }
      return .exact(SQLFragment("instr(") + sql + SQLFragment(", ?) > 0", [.text(part)]))
    default: return .undecided
    }
  }

  /// Whether a list column has a member. Uses an index of members if there is one: it finds the
  /// records, or tests those that another index finds.
  private func member(_ value: FieldValue, of column: FieldColumn) -> CompiledPredicate {
    guard value.family == column.schema.type.base.family else { return .exact(SQLFragment("0")) }
    guard let member = ListMember(value, of: column) else { return .undecided }
    guard let index = keptIndex(of: column) else { return .exact(member.test) }
    return .exact(member.test(by: index, isHidden: hiddenKeys.contains(index.key)))
  }

  /// The index of a list's members, if there is one.
  private func keptIndex(of column: FieldColumn) -> PhysicalIndex? {
    let index = table.index(of: column.schema.name.text)
    return kept.first { $0 == index }
  }

  /// The same index, if it may find records.
  func index(of column: FieldColumn) -> PhysicalIndex? {
    keptIndex(of: column).flatMap { hiddenKeys.contains($0.key) ? nil : $0 }
  }

  /// Whether a list column and some values have a member in common.
  private func anyMember(of column: FieldColumn, among values: [FieldValue]) -> CompiledPredicate {
    let tests = values.prefix(Self.mostMarks).map { member($0, of: column) }
    if tests.isEmpty { return .exact(SQLFragment("0")) }
    guard values.count > Self.mostMarks else {
      return CompiledPredicate(
        sql: .balanced(tests.map(\.sql), " OR "), isExact: tests.allSatisfy(\.isExact))
    }
    let family = column.schema.type.base.family
    guard ![.double, .number].contains(column.schema.type.base),
      let list = Self.json(values.filter { $0.family == family })
    else { return .undecided }
    let isAmong = SQLFragment("IN (SELECT value FROM json_each(?))", [.text(list)])
    let members = "SELECT 1 FROM json_each(t.\(column.parts[0].name)) AS m"
    let ids = index(of: column).map { index in
      SQLFragment("t._id IN (SELECT _id FROM \(index.identifier) WHERE value ") + isAmong
        + SQLFragment(") AND ")
    }
    // json_each ends a text at a NUL: a member may look like one that it begins with.
    return CompiledPredicate(
      sql: (ids ?? SQLFragment(""))
        + SQLFragment("EXISTS (\(members) WHERE \(column.memberSQL) ") + isAmong
        + SQLFragment(")"), isExact: family != .string && family != .reference)
  }

  func any(
    _ left: Operand, _ operation: Comparison.Operation, _ right: Operand
  ) -> CompiledPredicate {
    switch (left, operation, right) {
    case (.list, .equal, .value): return membership(of: right, in: left)
    case (.list(let column), .in, .values(let values)):
      return anyMember(of: column, among: values.compactMap { $0 })
    case (.values(let values), .equal, .scalar(let sql, _, _)):
      var compiled = membership(of: right, in: left)
      if values.contains(where: { $0 == nil }) {
        compiled.sql += SQLFragment(" OR ") + sql + SQLFragment(" IS NULL")
      }
      return compiled
    default: return .undecided
    }
  }
}
