internal import Basics
internal import CloudModel
internal import PredicateLanguage
internal import Testing

/// The canonical text (P1.6; DS9: parse(print(x)) = x).
@Suite struct PrinterTests {
  @Test("a printed predicate parses to one that prints the same, with the same literals")
  func roundTrip() throws {
    var source = RandomPredicates(seed: 1)
    for _ in 0..<3000 {
      let predicate = source.next()
      let text = predicate.text
      let read = try PredicateParser.parse(text)
      #expect(utf8Equal(read.text, text))
      #expect(read.literals == predicate.literals, "\(text)")
    }
  }

  @Test("P1.2.12: a whole number beyond 64 bits is a double with either sign")
  func mostNegativeDouble() throws {
    let text = "a == -9.223372036854776e+18"
    #expect(try PredicateParser.parse(text).text == text)
    let large = try PredicateParser.parse("a == -9223372036854775809")
    #expect(large.literals == [.double(-0x1p63)])
  }

  @Test("each part's span covers only its own text")
  func spans() throws {
    var source = RandomPredicates(seed: 2)
    for _ in 0..<500 {
      let text = source.next().text
      let read = try PredicateParser.parse(text)
      #expect(read.span == 0..<text.utf8.count || text.hasPrefix("("))
      for part in read.parts {
        let piece = String(decoding: Array(text.utf8)[part.span], as: UTF8.self)
        #expect(try PredicateParser.parse(piece).text == part.text)
      }
      for comparison in read.comparisons {
        let piece = { String(decoding: Array(text.utf8)[$0], as: UTF8.self) }
        #expect(piece(comparison.operationSpan) == comparison.operation.rawValue)
        #expect(utf8Equal(piece(comparison.left.span), comparison.left.text))
        #expect(utf8Equal(piece(comparison.right.span), comparison.right.text))
      }
    }
  }

  @Test("P1.6: no control character is unescaped in a canonical text")
  func controlCharacters() throws {
    for code in UInt8(0)..<0x20 {
      let value = FieldValue.string("a" + String(Unicode.Scalar(code)) + "b")
      let predicate = Predicate.comparison(
        Comparison(
          left: .key("k", 0..<0), operation: .equal, right: .value(value, 0..<0), span: 0..<0,
          operationSpan: 0..<0))
      #expect(predicate.text.utf8.allSatisfy { $0 >= 0x20 })
      #expect(try PredicateParser.parse(predicate.text).literals == [value])
    }
  }
}

extension Predicate {
  /// The predicate and all its parts.
  fileprivate var parts: [Predicate] {
    switch self {
    case .constant, .comparison: [self]
    case .and(let parts, _), .or(let parts, _): [self] + parts.flatMap(\.parts)
    case .not(let part, _): [self] + part.parts
    }
  }

  fileprivate var comparisons: [Comparison] {
    parts.compactMap { if case .comparison(let comparison) = $0 { comparison } else { nil } }
  }

  /// The literal values, in the order of the text.
  fileprivate var literals: [FieldValue] {
    var literals: [FieldValue] = []
    visit { if case .value(let value, _) = $0 { literals.append(value) } }
    return literals
  }
}
