/// A side of a comparison.
public indirect enum Expression: Sendable, Equatable {
  /// A literal value.
  case value(FieldValue, Span)
  /// `nil` or `NULL`.
  case null(Span)
  /// The bare text of an argument, which takes the type it is compared with.
  case untyped(String, Span)
  /// A field or a system key.
  case key(String, Span)
  /// A key of the records that another expression refers to: `artist.name`.
  case path(Expression, String, Span)
  /// `SELF`: the record.
  case record(Span)
  /// `$x`
  case variable(String, Span)
  /// `$x := y`: the value of `y`, which is then assigned to the variable.
  case assignment(String, Expression, Span)
  /// `{a, b}`.
  case aggregate([Expression], Span)
  /// `distanceToLocation:fromLocation:(a, b)`, in metres.
  case distance(Expression, Expression, Span)
  /// Arithmetic, or another function of the fixed table.
  case function(Function, [Expression], Span)
  /// `SUBQUERY(list, $x, p)`: the members of the list for which, as `$x`, `p` is true.
  case subquery(Expression, String, Predicate, Span)
  /// `TERNARY(p, a, b)`: `a` if `p` is true, otherwise `b`.
  case conditional(Predicate, Expression, Expression, Span)

  /// The position of the expression in its text.
  public var span: Span {
    switch self {
    case .value(_, let span), .null(let span), .untyped(_, let span), .key(_, let span),
      .path(_, _, let span), .record(let span), .variable(_, let span),
      .assignment(_, _, let span), .aggregate(_, let span), .distance(_, _, let span),
      .function(_, _, let span), .subquery(_, _, _, let span), .conditional(_, _, _, let span):
      span
    }
  }

  /// Calls `body` with this expression and all expressions in it, outer ones first.
  public func visit(_ body: (Expression) -> Void) {
    body(self)
    switch self {
    case .value, .null, .untyped, .key, .record, .variable: break
    case .path(let base, _, _), .assignment(_, let base, _): base.visit(body)
    case .aggregate(let items, _), .function(_, let items, _):
      for item in items { item.visit(body) }
    case .distance(let a, let b, _):
      a.visit(body)
      b.visit(body)
    case .subquery(let list, _, let predicate, _):
      list.visit(body)
      predicate.visit(body)
    case .conditional(let predicate, let a, let b, _):
      predicate.visit(body)
      a.visit(body)
      b.visit(body)
    }
  }
}
