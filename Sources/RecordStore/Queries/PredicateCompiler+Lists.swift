internal import Basics
internal import CloudModel
internal import PredicateLanguage
internal import SQLite

/// Lists: fields that hold them, and literals; and the words of all texts, another list.
extension PredicateCompiler {
  /// Whether a value is one of some; many of them are one binding, as JSON.
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

  /// So many values have bindings of their own.
  private static let mostMarks = 100

  /// Values as a list that json_each reads exactly; nil for others: a real number may be read as
  /// its neighbour, a NUL ends a text.
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
      default: .null
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

  /// Whether a list column has a member: first its text is searched, which rules out most
  /// records, then its members are looked at.
  private func member(_ value: FieldValue, of column: FieldColumn) -> CompiledPredicate {
    guard value.family == column.schema.type.base.family else { return .exact(SQLFragment("0")) }
    let name = "t." + column.parts[0].name
    guard ![.double, .number].contains(column.schema.type.base),
      let text = Self.searchText(value), let binding = value.memberBinding
    else { return .undecided }
    if let index = kept.first(where: { $0.key == column.schema.name.text }) {
      // Finds the records, or is asked for those that another index finds.
      let found =
        hiddenKeys.contains(index.key)
        ? "EXISTS (SELECT 1 FROM \(index.identifier) m WHERE m.value = ? AND m._id = t._id)"
        : "t._id IN (SELECT _id FROM \(index.identifier) WHERE value = ?)"
      return .exact(SQLFragment("\(found) AND ", [binding]) + isWhole(column, binding))
    }
    let search = SQLFragment("instr(\(name), ?) > 0 AND ", [.text(text)])
    return .exact(search + has(column, binding))
  }

  private func has(_ column: FieldColumn, _ member: SQLFragment.Binding) -> SQLFragment {
    let members = "SELECT 1 FROM json_each(t.\(column.parts[0].name)) AS m"
    return SQLFragment("EXISTS (\(members) WHERE \(column.memberSQL) = ?)", [member])
  }

  /// What an index of members leaves to be tested: a NUL ends a text for json_each, so a member
  /// may look like one that it begins with.
  private func isWhole(_ column: FieldColumn, _ member: SQLFragment.Binding) -> SQLFragment {
    guard case .text = member else { return SQLFragment("1") }
    let name = "t.\(column.parts[0].name)"
    return SQLFragment("(instr(\(name), '\\u0000') = 0 OR ") + has(column, member)
      + SQLFragment(")")
  }

  /// A text that stands in a list's column whenever the value is a member; nil where none is
  /// sure to (a number may be written in several ways) or JSON in SQL cannot hold it.
  private static func searchText(_ value: FieldValue) -> String? {
    switch value {
    case .string(let text): text.utf8.contains(0) ? nil : ListText.text(of: value)
    case .int64, .timestamp, .bytes: ListText.text(of: value)
    case .reference(let reference): ListText.text(of: .string(reference.name.text))
    case .double, .location, .asset, .list: nil
    }
  }

  /// The index of a list's members, if it may be used.
  private func index(of column: FieldColumn) -> PhysicalIndex? {
    kept.first { $0.key == column.schema.name.text && !hiddenKeys.contains($0.key) }
  }

  /// Whether a list column shares a member with some values.
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
    // A NUL ends a text for json_each: a member may look like one that it begins with.
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

// MARK: Indexes that writers keep

extension PredicateCompiler {
  /// A search for words by their index; left to the evaluator without one. The index has the
  /// words of all texts.
  func words(_ search: TextSearch) -> CompiledPredicate {
    guard search.isIndexed else {
      return search.texts.isEmpty ? .exact(SQLFragment("0")) : .undecided
    }
    guard let index = wordIndex else { return .undecided }
    let found = SQLFragment(
      "t._id IN (SELECT rowid FROM \(index.identifier) WHERE \(index.identifier) MATCH ?)",
      [.text(search.match)])
    return CompiledPredicate(sql: found, isExact: searchesAll)
  }

  private var wordIndex: PhysicalIndex? {
    kept.first { $0.key == allTokens && !hiddenKeys.contains(allTokens) && $0 == table.wordIndex }
  }

  /// How an index can lead to the records of a part of a predicate, each once; nil for none.
  func lead(_ part: Predicate) -> Lead? {
    guard case .comparison(let comparison) = part else { return nil }
    if let search = comparison.textSearch {
      guard search.isIndexed, let index = wordIndex else { return nil }
      return Lead(
        index: index, condition: SQLFragment("m.\(index.identifier) MATCH ?", [.text(search.match)])
      )
    }
    guard let (column, member) = membership(comparison), let index = index(of: column) else {
      return nil
    }
    return Lead(index: index, condition: SQLFragment("m.value = ?", [member]))
  }

  /// What is left to be tested of a part whose index leads to the records.
  func led(_ part: Predicate) -> CompiledPredicate {
    guard case .comparison(let comparison) = part, let (column, member) = membership(comparison)
    else {
      return CompiledPredicate(sql: SQLFragment("1"), isExact: searchesAll)
    }
    return .exact(isWhole(column, member))
  }

  /// The list and the member of a comparison that asks for one.
  private func membership(
    _ comparison: Comparison
  ) -> (FieldColumn, SQLFragment.Binding)? {
    guard comparison.options.isDisjoint(with: [.caseInsensitive, .diacriticInsensitive]) else {
      return nil
    }
    let sides = (operand(comparison.left), operand(comparison.right))
    switch (comparison.quantifier, comparison.operation, sides.0, sides.1) {
    case (nil, .contains, .list(let column), .value(let value)),
      (nil, .in, .value(let value), .list(let column)),
      (.any?, .equal, .list(let column), .value(let value)):
      guard value.family == column.schema.type.base.family, Self.searchText(value) != nil,
        let member = value.memberBinding
      else { return nil }
      return (column, member)
    default: return nil
    }
  }
}
