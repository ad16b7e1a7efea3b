internal import CloudModel
internal import PredicateLanguage
internal import Testing

/// A predicate's text with `⟦` and `⟧` around the part that an error should point at.
struct Marked {
  let text: String
  let span: Span

  init(_ marked: String) {
    let before = marked.prefix { $0 != "⟦" }.utf8.count
    let plain = marked.filter { $0 != "⟦" && $0 != "⟧" }
    let end = marked.prefix { $0 != "⟧" }.utf8.count - (marked.contains("⟦") ? 3 : 0)
    text = plain
    span = before..<end
  }
}

/// Expects an error of reading or binding a predicate, exactly at the marks.
@discardableResult
func expectError(
  _ marked: String, _ arguments: [PredicateParser.Argument] = [], schema: RecordTypeSchema? = nil,
  sourceLocation: SourceLocation = #_sourceLocation
) -> PredicateError? {
  let marked = Marked(marked)
  do throws(PredicateError) {
    let predicate = try PredicateParser.parse(marked.text, arguments: arguments)
    if let schema { _ = try PredicateBinder.bind(predicate, to: schema) }
    Issue.record("no error in \(marked.text)", sourceLocation: sourceLocation)
    return nil
  } catch {
    #expect(error.span == marked.span, "\(marked.text)", sourceLocation: sourceLocation)
    #expect(!error.message.isEmpty, sourceLocation: sourceLocation)
    return error
  }
}
