#if Server
  internal import Basics

  /// HTML. A literal is HTML itself; an interpolated text is escaped, and interpolated HTML is not.
  /// So whatever a record contains is shown as text (T15), and no page has to escape it:
  ///
  ///     let cell: HTML = "<td class=\"num\">\(record.name)</td>"
  ///
  /// Values of attributes must be in quotes.
  struct HTML: Sendable, ExpressibleByStringInterpolation {
    /// The text of the HTML.
    let text: String

    init(stringLiteral text: String) { self.text = text }

    init(stringInterpolation: Interpolation) { text = stringInterpolation.text }

    struct Interpolation: StringInterpolationProtocol {
      fileprivate var text = ""

      init(literalCapacity: Int, interpolationCount: Int) {
        text.reserveCapacity(literalCapacity + interpolationCount * 16)
      }

      mutating func appendLiteral(_ literal: String) { text += literal }

      mutating func appendInterpolation(_ value: String) { text += value.asMarkup }

      mutating func appendInterpolation(_ html: HTML?) { text += html?.text ?? "" }

      mutating func appendInterpolation(_ pieces: [HTML]) {
        for piece in pieces { text += piece.text }
      }

      /// HTML on a condition, such as an attribute.
      mutating func appendInterpolation(if condition: Bool, _ html: @autoclosure () -> HTML) {
        if condition { text += html().text }
      }
    }
  }
#endif
