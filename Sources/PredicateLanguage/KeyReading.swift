internal import CloudModel

/// The key for the words of all strings in a record (R7.2.2).
public let allTokens = "allTokens"

/// Keys and key paths.
extension PredicateEvaluator {
  static func reading(_ key: String) -> Term {
    let read = reader(key)
    guard key == allTokens else { return { scope in read(scope.record) } }
    return { scope in
      if case .value(let value) = read(scope.record) { return .value(value) }
      return .value(.list(TextWords.list(of: scope.searchedValues).map { .string($0) }))
    }
  }

  /// Reads a key of a record: a system field or a field.
  private static func reader(_ key: String) -> (Record) -> Operand {
    if let system = SystemKey(key) {
      return { record in system.value(in: record).map { .value($0) } ?? .none }
    }
    let name = FieldName(key: key)
    return { record in record.fields[name].map { .value($0) } ?? .none }
  }

  /// A key of another expression's target. After a collection operator it is a key of the members:
  /// `list.@max.price` is the maximum of `list.price`.
  static func path(_ base: Expression, _ key: String, _ span: Span) -> Term {
    if case .function(let function, let arguments, _) = base, function.form == .collectionOperator {
      let members = path(arguments[0], key, span)
      return { scope in function.value(of: [try members(scope)]) }
    }
    if case .record = base { return reading(key) }
    let base = term(base)
    let read = reader(key)
    // The name is known without reading the record, even if it is missing.
    let isName = SystemKey(key) == .recordName
    func follow(_ operand: Operand, _ scope: Scope) throws -> Operand {
      switch operand {
      case .none: return .none
      case .value(.reference) where isName: return operand
      case .value(.reference(let reference)):
        guard let target = try scope.following(reference, scope.record) else { return .none }
        guard SystemKey(key) != nil || target.schema.field(key) != nil else {
          throw PredicateError(
            "Did not find field: '\(key)' in type: '\(target.schema.name.text)'", at: span)
        }
        return read(target.record)
      case .value(.list), .aggregate:
        return .aggregate(
          try operand.items.flatMap { item in
            let value = try follow(item, scope)
            return value.isCollection ? value.items : [value]
          })
      case .value:
        throw PredicateError("\(operand.typeName) has no key '\(key)'", at: span)
      }
    }
    return { scope in try follow(try base(scope), scope) }
  }
}
