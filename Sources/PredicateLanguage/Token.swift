internal import Basics
internal import CloudModel

/// A token of a predicate's text, with its position.
struct Token: Equatable {
  let kind: Kind
  let span: Span

  enum Kind: Equatable {
    /// A name as written: a key, a keyword or a function.
    case word(String)
    /// A name after `#`, which is never a keyword.
    case escapedWord(String)
    /// A string literal's contents.
    case string(String)
    case integer(Int64)
    /// 9223372036854775808, which is an integer only after a minus sign.
    case minimumWithoutSign
    case double(Double)
    /// `$` and a name
    case variable(String)
    /// `%@`, or a conversion of printf.
    case argument(Conversion)
    /// `%K`
    case keyArgument
    /// An operator or a bracket.
    case symbol(String)
    case end
  }

  /// How an argument is read.
  enum Conversion: Equatable {
    case any
    case integer
    case real
    case text
  }

  /// The token for an error message.
  var description: String {
    switch kind {
    case .word(let text): "'\(text)'"
    case .escapedWord(let text): "'#\(text)'"
    case .string(let text): "the string \"\(text)\""
    case .integer(let number): "\(number)"
    case .minimumWithoutSign: "9223372036854775808"
    case .double(let number): "\(number)"
    case .variable(let name): "$\(name)"
    case .argument: "a placeholder"
    case .keyArgument: "%K"
    case .symbol(let text): "'\(text)'"
    case .end: "the end"
    }
  }

  /// The token's keyword; nil for other tokens.
  var keyword: Keyword? {
    if case .word(let text) = kind { Keyword(spelled: text.uppercased()) } else { nil }
  }

  /// The token's operator, if it is written as a word.
  var operatorWord: Comparison.Operation? {
    if case .word(let text) = kind { .init(rawValue: text.uppercased()) } else { nil }
  }
}

extension Comparison.Operation {
  /// The operators written as words.
  static let words = allCases.map(\.rawValue).filter { $0.utf8.first?.isLetterByte == true }
}

/// The reserved words (P1.2) that have a meaning, except operators.
enum Keyword: String, CaseIterable {
  case and = "AND"
  case or = "OR"
  case not = "NOT"
  // Not `some`: a pattern with that name would match every keyword.
  case anyMember = "ANY"
  case someMember = "SOME"
  case allMembers = "ALL"
  case noMember = "NONE"
  case null = "NULL"
  case nilWord = "NIL"
  case `true` = "TRUE"
  case yes = "YES"
  case `false` = "FALSE"
  case no = "NO"
  case truePredicate = "TRUEPREDICATE"
  case falsePredicate = "FALSEPREDICATE"
  case `self` = "SELF"
  case subquery = "SUBQUERY"
  case ternary = "TERNARY"
  case function = "FUNCTION"
  case cast = "CAST"
}

extension Keyword {
  /// A keyword's role in a predicate.
  enum Role {
    case connective
    case quantifier(Comparison.Quantifier)
    /// A whole predicate.
    case constant(Bool)
    case null
    case flag(Bool)
    case record
    case subquery
    case conditional
    case function
  }

  /// The role.
  var role: Role {
    switch self {
    case .and, .or, .not: .connective
    case .anyMember, .someMember: .quantifier(.any)
    case .allMembers: .quantifier(.all)
    case .noMember: .quantifier(.notOne)
    case .null, .nilWord: .null
    case .true, .yes: .flag(true)
    case .false, .no: .flag(false)
    case .truePredicate: .constant(true)
    case .falsePredicate: .constant(false)
    case .self: .record
    case .subquery: .subquery
    case .ternary: .conditional
    case .function, .cast: .function
    }
  }
}

/// The words that must be escaped as keys (P1.2).
let reservedWords: Set<String> = Set(Keyword.allCases.map(\.rawValue))
  .union(Comparison.Operation.words)
  .union([
    "CASEINSENSITIVE", "CI", "FIRST", "LAST", "SIZE", "ANYKEY", "FETCH", "APPLY", "INTERSECTION",
    "MINUS", "UNION",
  ])
