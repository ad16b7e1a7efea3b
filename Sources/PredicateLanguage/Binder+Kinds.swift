internal import Basics
internal import CloudModel
internal import FieldCodecs

/// The kinds of expressions, as known without a record.
extension PredicateBinder {
  /// The kind of an expression.
  enum Kind {
    /// Unknown: `nil`, a reference's target, or an untyped argument.
    case open
    /// A field or a value of a type.
    case type(FieldType, isSystem: Bool)
    /// Several values.
    case values

    var type: FieldType? {
      if case .type(let type, _) = self { type } else { nil }
    }

    /// The kind of a member.
    var member: Kind {
      if case .type(let type, let isSystem) = self {
        .type(FieldType(type.base), isSystem: isSystem)
      } else {
        .open
      }
    }

    static func plain(_ type: FieldType) -> Kind { .type(type, isSystem: false) }
  }

  func type(of expression: Expression) throws(PredicateError) -> Kind {
    switch expression {
    case .null, .untyped: return .open
    case .value(let value, _): return value.type.map(Kind.plain) ?? .open
    case .record: return .type(SystemKey.recordName.type, isSystem: true)
    case .key(let key, let span): return try type(ofKey: key, span)
    case .path(let base, let key, let span): return try type(ofKey: key, of: base, span)
    case .variable(let name, let span):
      guard let kind = variables[name] else {
        throw PredicateError(
          "$\(name) has no value", at: span, remedy: .giveVariable(name))
      }
      return kind
    case .assignment(_, let value, _): return try type(of: value)
    case .aggregate(let items, _):
      for item in items { _ = try type(of: item) }
      return .values
    case .distance(let a, let b, _):
      try checkPlace(a)
      try checkPlace(b)
      return .plain(FieldType(.double))
    case .function(let function, let arguments, _): return try type(of: function, arguments)
    case .subquery(let list, _, _, _):
      _ = try type(of: list)
      return .values
    case .conditional(_, let first, let second, _):
      let (first, second) = (try type(of: first), try type(of: second))
      guard let type = first.type, type == second.type else { return .open }
      return first
    }
  }

  private func type(ofKey key: String, _ span: Span) throws(PredicateError) -> Kind {
    if let system = SystemKey(key) { return .type(system.type, isSystem: true) }
    if let field = schema.field(key) { return .plain(field.type.decrypted) }
    if key == allTokens { return .plain(FieldType(.string, isList: true)) }
    if isOpen { return .open }
    throw unknown(key, span)
  }

  private func unknown(_ key: String, _ span: Span) -> PredicateError {
    let names = schema.fields.map(\.name.text) + SystemKey.allCases.map(\.rawValue)
    let known = schema.fields.map(\.name.text).joined(separator: ", ")
    return PredicateError(
      "Did not find field: '\(key)' in type: '\(schema.name.text)'", at: span,
      remedy: .nearest(to: key, among: names) ?? "fields of \(schema.name.text): \(known)")
  }

  /// The type of a key of another expression: only references have keys.
  private func type(
    ofKey key: String, of base: Expression, _ span: Span
  ) throws(PredicateError) -> Kind {
    if key.hasPrefix("@") {
      let names = Function.allCases.filter { $0.form == .collectionOperator }.map {
        $0.rawValue.dropFirst()
      }
      throw PredicateError(
        "unknown collection operator '\(key)'", at: span,
        remedy: .nearest(to: key, among: names.map(String.init)))
    }
    if case .record = base { return try type(ofKey: key, span) }
    if case .function(let function, let arguments, _) = base, function.form == .collectionOperator {
      return try type(of: function, [.path(arguments[0], key, span)])
    }
    guard let type = try type(of: base).type else { return try type(ofTarget: key, span) }
    guard type.base == .reference else {
      throw PredicateError(
        "\(type.schemaName) has no key '\(key)'", at: span,
        remedy: "a key path follows references")
    }
    guard let system = SystemKey(key) else {
      let target = try self.type(ofTarget: key, span)
      guard type.isList, let type = target.type else { return target }
      return .plain(FieldType(type.base, isList: true))
    }
    return .type(FieldType(system.type.base, isList: type.isList), isSystem: true)
  }

  /// The type of a key of a reference's target, if all types that have the key agree.
  private func type(ofTarget key: String, _ span: Span) throws(PredicateError) -> Kind {
    guard let targets = givens.targets, SystemKey(key) == nil else { return .open }
    let types = Set(targets.compactMap { $0.field(key)?.type.decrypted })
    guard let type = types.first else {
      let names = Set(targets.flatMap { $0.fields.map(\.name.text) }).sorted(by: utf8Precedes)
      throw PredicateError(
        "Did not find field: '\(key)' in any type", at: span,
        remedy: .nearest(to: key, among: names))
    }
    return types.count == 1 ? .plain(type) : .open
  }

  private func checkPlace(_ side: Expression) throws(PredicateError) {
    guard let type = try type(of: side).type, type != FieldType(.location) else { return }
    throw PredicateError(
      "distanceToLocation:fromLocation: needs two locations", at: side.span,
      remedy: "a location is written location(latitude, longitude)")
  }

  // MARK: Functions

  private func type(
    of function: Function, _ arguments: [Expression]
  ) throws(PredicateError) -> Kind {
    var first = Kind.open
    for (index, argument) in arguments.enumerated() {
      let kind = try type(of: argument)
      if index == 0 { first = kind }
      if function == .tokenize && index == 1 || function == .item && index == 1 { continue }
      guard let type = kind.type, !function.signature.takes.has(type) else { continue }
      throw PredicateError(
        "\(function.rawValue) cannot take \(type.schemaName)", at: argument.span)
    }
    switch function.signature.gives {
    case .type(let type): return .plain(type)
    case .argument: return first
    case .member: return first.member
    case .extreme: return first.type == nil ? .open : first.member
    case .members: return first.type == nil ? .values : first
    case .values: return .values
    case .text: return .plain(FieldType(.string, isList: first.type?.isList ?? false))
    }
  }
}

extension FieldType {
  /// The type without encryption, which does not matter here.
  fileprivate var decrypted: FieldType { FieldType(base, isList: isList) }

  /// The family of values that this type can be ordered with; nil for none.
  var orderFamily: FieldValue.Family? {
    if isList { return nil }
    switch base.family {
    case .number, .string, .timestamp, .reference: return base.family
    case .bytes, .location, .asset, .list: return nil
    }
  }
}

extension FieldValue {
  /// Parses an argument's bare text as a type; a number may be of either kind. Nil for other text.
  init?(predicateText text: String, as base: FieldType.Base) {
    switch base {
    case .int64, .double: self.init(text: text, as: .number)
    case .reference: self = .reference(Reference(RecordName(stored: text)))
    case .string, .timestamp, .bytes, .location, .asset, .number: self.init(text: text, as: base)
    }
  }
}
