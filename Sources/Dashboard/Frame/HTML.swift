#if Server
  internal import Basics

  /// A piece of HTML. Literals are inserted as they are, interpolated strings are escaped, and
  /// interpolated HTML is not escaped again. So pages show the contents of records as text (T15):
  ///
  ///     let cell: HTML = "<td class=\"num\">\(record.name)</td>"
  ///
  /// Attribute values must be in double quotes.
  struct HTML: Sendable, ExpressibleByStringInterpolation {
    /// The text of the HTML.
    let text: String

    init(stringLiteral text: String) { self.text = text }

    init(stringInterpolation: Interpolation) { text = stringInterpolation.text }

    /// A field that a form sends without showing it.
    static func hidden(_ name: String, _ value: String) -> HTML {
      "<input type=\"hidden\" name=\"\(name)\" value=\"\(value)\">"
    }

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
