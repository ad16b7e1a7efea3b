internal import CloudModel
internal import PredicateLanguage
internal import SQLite

/// Indexes that writers maintain: the words of all texts, and indexes that lead to records.
extension PredicateCompiler {
  /// A search for words by their index; without one the evaluator decides.
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

  /// How an index can lead to the records of a part of a predicate, each once; nil if none can.
  func lead(_ part: Predicate) -> Lead? {
    guard case .comparison(let comparison) = part else { return nil }
    if let search = comparison.textSearch {
      guard search.isIndexed, let index = wordIndex else { return nil }
      return Lead(
        index: index, condition: SQLFragment("m.\(index.identifier) MATCH ?", [.text(search.match)])
      )
    }
    guard let member = member(in: comparison), let index = index(of: member.column) else {
      return nil
    }
    return Lead(index: index, condition: SQLFragment("m.value = ?", [member.value]))
  }

  /// What remains to be tested of a part whose index leads to the records.
  func led(_ part: Predicate) -> CompiledPredicate {
    guard case .comparison(let comparison) = part, let member = member(in: comparison) else {
      return CompiledPredicate(sql: SQLFragment("1"), isExact: searchesAll)
    }
    return .exact(member.rest)
  }

  /// The list member that a comparison asks for.
  private func member(in comparison: Comparison) -> ListMember? {
    guard comparison.options.isDisjoint(with: [.caseInsensitive, .diacriticInsensitive]) else {
      return nil
    }
    let sides = (operand(comparison.left), operand(comparison.right))
    switch (comparison.quantifier, comparison.operation, sides.0, sides.1) {
    case (nil, .contains, .list(let column), .value(let value)),
      (nil, .in, .value(let value), .list(let column)),
      (.any?, .equal, .list(let column), .value(let value)):
      return ListMember(value, of: column)
    default: return nil
    }
  }
}

extension TextSearch {
  /// Whether an index of words can be used: there are words, not too many, and FTS5 would truncate
  /// none of them.
  var isIndexed: Bool {
    (1...100).contains(texts.count) && texts.allSatisfy { $0.utf8.count < 32_768 }
  }

  /// The search in FTS5's query syntax.
  var match: String {
    texts.map { "\"\($0)\"" }.joined(separator: need == .any ? " OR " : " AND ")
  }
}
