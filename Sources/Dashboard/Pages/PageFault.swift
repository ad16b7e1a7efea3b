#if Server
  internal import CloudModel
  internal import PredicateLanguage

  /// An error, or a finding in a predicate, as a page shows it.
  struct PageFault {
    private let message: String
    /// CloudKit's code or that of the rule; nil for a syntax error.
    private var code: String?
    /// How to mend it.
    private var advice: String?
    /// The predicate, with the faulty part underlined.
    private var marked: HTML?
    private var isWarning = false
    /// The button that mends it.
    private var button: HTML?

    /// An error of an operation. `text` is the predicate that its span refers to.
    init(_ error: CloudError, in text: String? = nil) {
      (message, code, advice) = (error.message, error.code.name, error.remedy?.adviceText)
      if let text, let span = error.span { marked = Self.marked(text, span) }
    }

    /// An error of an operation at a place, with the way to what caused it.
    init(_ error: CloudError, at open: OpenPlace) {
      self.init(error)
      button = Self.faultLink(error, open.place)
    }

    /// The link to an injected fault that caused an error; nil for another error.
    private static func faultLink(_ error: CloudError, _ place: Place) -> HTML? {
      guard case .requestedFault(let id)? = error.remedy else { return nil }
      return """
        <a class="button" data-testid="to-fault" href="\(place.address(["faults"]))">\
        Fault \(String(id))</a>
        """
    }

    /// An error of a query, with the button for an index that it needs.
    init(_ error: CloudError, in text: String, at open: OpenPlace, back question: TableQuestion) {
      self.init(error, in: text)
      button =
        Self.faultLink(error, open.place)
        ?? Self.button(error.remedy, error.span, open, question)
    }

    /// A finding in a predicate, with the button for an index that it needs.
    init(_ finding: Finding, in text: String, at open: OpenPlace, back question: TableQuestion) {
      (message, code) = (finding.message, finding.code.rawValue)
      (advice, isWarning) = (finding.remedy?.adviceText, true)
      marked = finding.span.map { Self.marked(text, $0) }
      button = Self.button(finding.remedy, finding.span, open, question)
    }

    /// The button that adds the index, or the link to the query with the name that was meant.
    private static func button(
      _ remedy: Remedy?, _ span: Span?, _ open: OpenPlace, _ question: TableQuestion
    ) -> HTML? {
      if case .similarName(let name)? = remedy, let span {
        let bytes = Array(question.predicate.utf8)
        guard span.lowerBound >= 0, span.upperBound <= bytes.count else { return nil }
        let text = bytes[..<span.lowerBound] + Array(name.utf8) + bytes[span.upperBound...]
        let meant = String(decoding: text, as: UTF8.self)
        return """
          <a class="button" data-testid="rewrite" \
          href="\(question.address(at: open.place, ["where": meant, "after": nil]))">Use \(name)</a>
          """
      }
      guard case .declareIndex(let type, let key, let indexes, _)? = remedy, open.obstacle == nil,
        open.place.environment == .development
      else { return nil }
      let words = indexes.words.joined(separator: " ")
      return open.button(
        "Add this index", AddIndex.action,
        [
          ("type", type.text), ("key", key), ("indexes", words),
          ("back", question.address(at: open.place, [:])),
        ], " data-testid=\"add-index\"")
    }

    /// A syntax error in a predicate.
    init(_ error: PredicateError, in text: String) {
      (message, advice) = (error.message, error.remedy?.adviceText)
      marked = Self.marked(text, error.span)
    }

    /// A text with a span, in UTF-8 bytes, underlined.
    private static func marked(_ text: String, _ span: Span) -> HTML {
      let bytes = Array(text.utf8)
      let start = min(max(0, span.lowerBound), bytes.count)
      let end = min(max(start, span.upperBound), bytes.count)
      func piece(_ range: Range<Int>) -> String { String(decoding: bytes[range], as: UTF8.self) }
      return """
        <code>\(piece(0..<start))<mark>\(piece(start..<end))</mark>\
        \(piece(end..<bytes.count))</code>
        """
    }

    var html: HTML {
      """
      <div class="finding\(if: isWarning, " warn")" role="status" data-testid="fault"><span>\
      \(code.map { "<b>\($0)</b> " as HTML })\(message)</span>\(marked)\
      \(advice.map { "<span class=\"advice\">\($0)</span>" as HTML })\(button)</div>
      """
    }
  }

  extension Remedy {
    /// The remedy in words; nil for those that pages do not show yet.
    fileprivate var adviceText: String? {
      if case .advice(let text) = self { return text }
      if case .requestedFault(let id) = self { return "fault \(id) was switched on" }
      if case .similarName(let name) = self { return "did you mean '\(name)'?" }
      if case .declareIndex(let type, let key, let indexes, _) = self {
        return "add the index \(indexes.words.joined(separator: " ")) to \(type.text).\(key)"
      }
      return nil
    }
  }
#endif
