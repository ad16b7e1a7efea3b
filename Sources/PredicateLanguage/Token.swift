internal import Basics
internal import CloudModel

/// A word of a predicate's text and where it is.
struct Token: Equatable {
  let kind: Kind
  let span: Span

  enum Kind: Equatable {
    /// A name: a key, a keyword or a function, as it was written.
    case word(String)
    /// A name after `#`, which is never a keyword.
    case escapedWord(String)
    /// A string literal's contents.
    case string(String)
    case integer(Int64)
    /// 9223372036854775808, which is an integer with a minus before it only.
    case minimumWithoutSign
    case double(Double)
    /// `$` and a name
    case variable(String)
    /// `%@`, or a conversion of printf
    case argument(Conversion)
    /// `%K`
    case keyArgument
    /// An operator or a bracket.
    case symbol(String)
    case end
  }

  /// What an argument is read as.
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

  /// The keyword that the token is.
  var keyword: Keyword? {
    if case .word(let text) = kind { Keyword(spelled: text.uppercased()) } else { nil }
  }

  /// The operator that the token is, where that is a word.
  var operatorWord: Comparison.Operation? {
    if case .word(let text) = kind { .init(rawValue: text.uppercased()) } else { nil }
  }
}

extension Comparison.Operation {
  /// The operators that are words.
  static let words = allCases.map(\.rawValue).filter { $0.utf8.first?.isLetterByte == true }
}

/// The reserved words of the format (P1.2) that mean something, but for the
/// operators.
enum Keyword: String, CaseIterable {
  case and = "AND"
  case or = "OR"
  case not = "NOT"
  // Not `some`: a pattern of that name would match every keyword that there is.
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
  /// What a keyword does in a predicate.
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

  /// What it does.
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

/// The words that may not appear bare as a key (P1.2).
let reservedWords: Set<String> = Set(Keyword.allCases.map(\.rawValue))
  .union(Comparison.Operation.words)
  .union([
    "CASEINSENSITIVE", "CI", "FIRST", "LAST", "SIZE", "ANYKEY", "FETCH", "APPLY", "INTERSECTION",
    "MINUS", "UNION",
  ])
