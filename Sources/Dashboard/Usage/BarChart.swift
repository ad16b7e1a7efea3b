#if Server
  internal import Basics

  /// Numbers over time as bars, drawn as SVG, and the same numbers as a table.
  struct BarChart {
    /// The name of the chart.
    let name: String
    /// What the numbers count: the bars, and the lower parts of them.
    let series: (all: String, part: String?)
    /// The bars from left to right.
    let bars: [Bar]

    /// A bar with its label, its number, that of its lower part, and the numbers of users.
    struct Bar {
      let label: String
      let number: Int
      var part = 0
      var users: [String: Int] = [:]

      /// The users with the largest numbers.
      fileprivate var usersText: String {
        let sorted = users.largestFirst
        let most = 10
        let more = sorted.count > most ? ", and \(sorted.count - most) more" : ""
        return sorted.prefix(most).map { "\($0.name) \($0.number.grouped)" }.joined(separator: ", ")
          + more
      }
    }

    private static let (width, height, top) = (720, 120, 16)

    var html: HTML {
      let most = max(bars.map(\.number).max() ?? 0, 1)
      let step = max(1, Self.width / max(bars.count, 1))
      let pieces = bars.enumerated().map { place, bar -> HTML in
        let (whole, part) = (Self.length(bar.number, most), Self.length(bar.part, most))
        let x = place * step
        return """
          \(if: whole > 0, Self.rectangle(x, step, whole, "all"))\
          \(if: part > 0, Self.rectangle(x, step, part, "part"))
          """
      }
      let bottom = Self.height + Self.top + 16
      return """
        <figure class="tablebox" tabindex="0" role="region" aria-label="\(name)">\
        <svg class="chart" viewBox="0 0 \(String(Self.width)) \(String(bottom + 4))" role="img" \
        aria-label="\(summary)">\
        <text x="0" y="12">\(most.grouped) \(series.all)</text>\
        <path d="M0 \(String(Self.top + Self.height))H\(String(Self.width))"/>\(pieces)\
        <text x="0" y="\(String(bottom))">\(bars.first?.label ?? "")</text>\
        <text x="\(String(Self.width))" y="\(String(bottom))" class="end">\
        \(bars.last?.label ?? "")</text></svg></figure>
        <details><summary>The numbers</summary>\(table)</details>
        """
    }

    private var summary: String {
      let total = bars.reduce(0) { $0 + $1.number }
      return "\(name): \(bars.count) bars, \(total.grouped) \(series.all) in total"
    }

    private var table: HTML {
      let heads = ["from", series.all] + (series.part.map { [$0] } ?? []) + ["by user"]
      let rows = bars.filter { $0.number > 0 }.map { bar -> HTML in
        """
        <tr><th scope="row">\(bar.label)</th><td class="num">\(bar.number.grouped)</td>\
        \(if: series.part != nil, "<td class=\"num\">\(bar.part.grouped)</td>")\
        <td>\(bar.usersText)</td></tr>
        """
      }
      return .table("\(name), numbers", heads, rows, "narrow wraps")
    }

    /// The length of a bar; a number that is not 0 can be seen.
    private static func length(_ number: Int, _ most: Int) -> Int {
      number == 0 ? 0 : max(2, number * height / most)
    }

    private static func rectangle(_ x: Int, _ step: Int, _ length: Int, _ kind: HTML) -> HTML {
      """
      <rect class="\(kind)" x="\(String(x))" y="\(String(top + height - length))" \
      width="\(String(max(1, step - 2)))" height="\(String(length))"/>
      """
    }
  }

  extension [String: Int] {
    /// The numbers with their names, the largest first.
    var largestFirst: [(name: String, number: Int)] {
      sorted {
        $0.value == $1.value ? utf8Precedes($0.key, $1.key) : $0.value > $1.value
      }.map { ($0.key, $0.value) }
    }
  }
#endif
