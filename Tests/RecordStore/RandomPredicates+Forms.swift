internal import Basics
internal import CloudModel

/// The forms that only the evaluator supports: SQL then gives more records, and never fewer.
extension RandomPredicates {
  mutating func form() -> Predicate {
    switch source.random.next() % 10 {
    case 0, 1: path()
    case 2: subquery()
    case 3: conditional()
    case 4: matches()
    case 5: search()
    case 6: collection()
    case 7: record()
    case 8: assignment()
    default: function()
    }
  }

  private func path(_ base: Expression, _ name: String) -> Expression {
    .path(base, source.name(of: name), 0..<0)
  }

  private mutating func path() -> Predicate {
    let (field, base) = source.pick(Self.ordered)
    let value = literal(source.value(base))
    let operation = source.pick(Self.orders)
    switch source.random.next() % 4 {
    case 0: return test(path(path(key("r"), "u"), field), operation, value)
    case 1: return test(path(key("lr"), field), operation, value, any: true)
    case 2: return test(path(key("r"), field), .equal, .null(0..<0))
    default: return test(path(key(source.pick(["r", "u"])), field), operation, value)
    }
  }

  private mutating func subquery() -> Predicate {
    let x = Expression.variable("x", 0..<0)
    let inner: Predicate
    let list: String
    if source.chance(50) {
      list = "lr"
      inner = test(path(x, "i"), source.pick(Self.orders), literal(source.value(.number)))
    } else {
      list = source.pick(["li", "ld"])
      inner = test(x, source.pick(Self.orders), literal(source.value(.number)))
    }
    let members = Expression.subquery(key(list), "x", inner, 0..<0)
    let count = Expression.function(.countOf, [members], 0..<0)
    return test(count, source.pick(Self.orders), literal(.int64(source.pick([0, 1, 2]))))
  }

  private mutating func conditional() -> Predicate {
    let condition = next(depth: 0)
    let choice = Expression.conditional(condition, key("i"), key("d"), 0..<0)
    return test(choice, source.pick(Self.orders), literal(source.value(.number)))
  }

  private mutating func matches() -> Predicate {
    let patterns = ["a.*", "[a-z]+", ".", ".?", "(a|b)c?", "\\w*", "[^a]*", "a\\W.*", ""]
    return test(key(source.pick(["s", "t"])), .matches, literal(.string(source.pick(patterns))))
  }

  private mutating func search() -> Predicate {
    let words = literal(.string(source.pick(["a", "abc", "it s", "no", "9 say", "\u{e9}", "the"])))
    let allTokens = Expression.key("allTokens", 0..<0)
    switch source.random.next() % 4 {
    case 0: return test(.record(0..<0), .contains, words)
    case 1: return test(allTokens, .tokenMatches, words)
    case 2: return test(key(source.pick(["s", "ls"])), .tokenMatches, words)
    default:
      let options = literal(.string("Cdl"))
      return .comparison(
        Comparison(
          quantifier: .all, left: .function(.tokenize, [words, options], 0..<0), operation: .in,
          right: allTokens, span: 0..<0, operationSpan: 0..<0))
    }
  }

  private mutating func collection() -> Predicate {
    let list = key(source.pick(["li", "ld"]))
    let function = source.pick([
      Function.countOf, .sumOf, .minOf, .maxOf, .averageOf, .first, .last, .size, .median,
      .standardDeviation,
    ])
    let value = Expression.function(function, [list], 0..<0)
    if source.chance(20) { return test(key("ls"), .equal, source.pick([key("ls"), texts()])) }
    return test(value, source.pick(Self.orders), literal(source.value(.number)))
  }

  private mutating func texts() -> Expression {
    .aggregate([literal(.string(source.pick(RandomRecords.texts)))], 0..<0)
  }

  private mutating func record() -> Predicate {
    let name = "r\(source.random.next() % 24)"
    let reference = literal(.reference(Reference(RecordName(stored: name))))
    if source.chance(50) { return test(.record(0..<0), .in, key("lr")) }
    return test(.record(0..<0), source.pick([.equal, .notEqual]), reference)
  }

  private mutating func assignment() -> Predicate {
    let number = literal(source.value(.number))
    let first = test(.assignment("y", key("i"), 0..<0), .equal, key("j"))
    return .or([first, test(.variable("y", 0..<0), .greater, number)], 0..<0)
  }

  private mutating func function() -> Predicate {
    let number = literal(source.value(.number))
    let operation = source.pick(Self.orders)
    switch source.random.next() % 4 {
    case 0: return test(.function(.length, [key("s")], 0..<0), operation, number)
    case 1:
      let text = literal(.string(source.pick(RandomRecords.texts)))
      return test(.function(.uppercase, [key("s")], 0..<0), .equal, text)
    case 2:
      let function = source.pick([Function.abs, .floor, .ceiling, .trunc, .sqrt])
      return test(.function(function, [key(source.pick(["i", "d"]))], 0..<0), operation, number)
    default:
      let function = source.pick([Function.add, .subtract, .multiply, .divide, .raise])
      return test(.function(function, [key("i"), key("d")], 0..<0), operation, number)
    }
  }
}
