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

    /// A list to choose from, by values and their labels. It has no label of its own inside a
    /// `label` element.
    static func select(
      _ name: String, _ label: String?, _ choices: [(value: String, label: String)],
      chosen: String? = nil
    ) -> HTML {
      let options = choices.map { value, text -> HTML in
        """
        <option value="\(value)"\(if: value == chosen, " selected")>\(text)</option>
        """
      }
      return """
        <select class="framed" name="\(name)"\
        \(label.map { " aria-label=\"\($0)\"" as HTML })>\(options)</select>
        """
    }

    /// Says that only the first of several are shown; nil if all are.
    static func first(_ count: Int, of total: Int) -> HTML? {
      if count >= total { return nil }
      return "<p class=\"quiet\">The first \(count.grouped) of \(total.grouped) are shown.</p>"
    }

    /// A table in a box of its own, which scrolls if it is wide. `name` is what the table shows.
    static func table(
      _ name: String, _ heads: [String], _ rows: [HTML], id: String = "", _ kind: String = ""
    ) -> HTML {
      let cells = heads.map { "<th scope=\"col\">\($0)</th>" as HTML }
      return """
        <div class="tablebox \(kind)" tabindex="0" role="region" aria-label="\(name)">\
        <table\(if: !id.isEmpty, " data-testid=\"\(id)\"")><thead><tr>\(cells)</tr></thead>\
        <tbody>\(rows)</tbody></table></div>
        """
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
