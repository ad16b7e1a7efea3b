#if Server
  internal import Basics
  internal import CloudModel
  internal import CloudServices
  internal import PredicateLanguage
  internal import WireFormat

  /// The records of a type, or those that match a predicate, as a table.
  struct RecordsPage {
    private let open: OpenPlace
    private let question: TableQuestion
    private let schema: RecordTypeSchema?
    private let fields: (shown: [FieldSchema], hiddenCount: Int)
    private var records: [Record] = []
    private var cursor: String?
    private var faults: [PageFault] = []
    private var isRefused = true

    /// The number of records on a page.
    static let size = 50

    /// Reads a page. Errors of the query are shown on it.
    init(_ open: OpenPlace, _ type: RecordType, _ query: FormFields) throws {
      self.open = open
      question = TableQuestion(type, query, at: open.place)
      schema = try open.database.environment.schema(of: type)
      fields = question.fields(of: schema)
      let text = question.predicate
      var findings: [Finding] = []
      do {
        let page = try question.records(open, fields.shown) { findings = $0 }
        (records, cursor, isRefused) = (page.records, page.cursor?.text, false)
        faults = findings.map { PageFault($0, in: text, at: open, back: question) }
      } catch let error as PredicateError {
        faults = [PageFault(error, in: text)]
      } catch let error as CloudError {
        faults = [PageFault(error, in: text, at: open, back: question)]
      }
    }

    /// The page.
    func html() throws -> HTML {
      let type = question.type.text
      var frame = try Frame(type, open, rest: ["records", type])
      frame.command = question.command(at: open.place)
      frame.isLive = true
      frame.keys =
        [("/", "predicate")] + (open.obstacle == nil ? [("c", "new record")] : [])
        + (cursor == nil ? [] : [("n", "next page")])
      return frame.page(
        """
        <div class="title"><h1>\(type)</h1><p data-testid="summary">\(summary)</p>\(actions)</div>
        \(predicateForm)\(faults.map(\.html))\(records.isEmpty ? emptiness : table)\(pages)
        """)
    }

    /// The links beside the title.
    private var actions: HTML {
      let place = open.place
      let type = question.type.text
      let changes: HTML = """
        <a class="button" data-key="i" \
        href="\(place.address(["import"], [("type", type)]))">Import…</a>\
        <a class="button primary" data-key="c" data-testid="new" \
        href="\(place.address(["new", type]))">New record</a>
        """
      return """
        <div class="actions"><a class="button" data-testid="export" \
        href="\(place.address(["export", type], question.parameters))">Export</a>\
        \(if: open.obstacle == nil, changes)</div>
        """
    }

    private var summary: String {
      if isRefused { return "" }
      let count = records.count == 1 ? "1 record" : "\(records.count.grouped) records"
      if cursor != nil { return "\(count) on this page, more on the next" }
      return question.after == nil ? count : "\(count) on the last page"
    }

    private var predicateForm: HTML {
      let kept = (open.place.own + question.kept).compactMap { name, value -> HTML? in
        value.map { HTML.hidden(name, $0) }
      }
      return """
        <form class="ask" role="search" \
        action="\(open.place.address(["records", question.type.text]))">
        \(kept)<kbd aria-hidden="true">/</kbd><input id="predicate" name="where" \
        value="\(question.predicate)" aria-label="Predicate" \
        placeholder="a predicate, such as year &gt; 1900" spellcheck="false" autocomplete="off" \
        autocapitalize="off" list="words"\(if: isRefused, " aria-invalid=\"true\"")>\(words)\
        <button class="quiet">Find</button></form>
        """
    }

    /// The words that complete a predicate: fields, operators and system fields.
    private var words: HTML {
      let names = (schema?.fields ?? []).map(\.name.text) + SystemKey.allCases.map(\.rawValue)
      return """
        <datalist id="words">\((names + Self.operators).map { "<option value=\"\($0)\">" as HTML })\
        </datalist>
        """
    }

    private static let operators = [
      "BEGINSWITH", "CONTAINS", "IN", "BETWEEN", "AND", "NOT", "ANY", "TRUEPREDICATE",
      "distanceToLocation:fromLocation:(", "SELF CONTAINS",
    ]

    private var emptiness: HTML? {
      if isRefused { return nil }
      if !question.predicate.isEmpty {
        return "<div class=\"empty\"><p>No record matches.</p></div>"
      }
      return """
        <div class="empty"><p>No records here. Another account, database or zone may have \
        some.</p></div>
        """
    }

    private var table: HTML? {
      let own = question.address(at: open.place, [:])
      let all: HTML = """
        <th scope="col" class="pick"><input type="checkbox" data-all="" class="with-script-only" \
        aria-label="Select all records of the page" data-testid="all"></th>
        """
      return """
        <form method="post" action="\(open.place.address(["do", DeleteRecords.action.name]))">\
        \(open.visitor.formToken)\(HTML.hidden("back", own))
        <div class="tablebox" tabindex="0" role="region" \
        aria-label="Records of \(question.type.text)">\
        <table><thead><tr>\(all)<th scope="col">recordName</th>\
        \(fields.shown.map { question.head(of: $0, at: open.place) })\
        <th scope="col">modified</th></tr></thead><tbody>
        \(records.map(row))</tbody></table></div>
        \(selectionActions)</form>
        """
    }

    /// The buttons for the selected records.
    private var selectionActions: HTML {
      let place = open.place
      func address(_ words: String...) -> String { place.address(words) }
      let changes: HTML = """
        <button formaction="\(address("do", EditRecords.action.name))" data-testid="edit">Edit…\
        </button><button data-testid="delete">Delete…</button>
        """
      return """
        <div class="pages selection"><span class="quiet" data-count="" aria-live="polite">Selected \
        records:</span><div class="actions">\
        <button formaction="\(address("do", CopyFixture.action.name))" data-testid="fixture">\
        Copy as fixture</button>\(if: open.obstacle == nil, changes)</div></div>
        """
    }

    private func row(_ record: Record) -> HTML {
      var place = open.place
      place.zone = record.zone
      let cells = fields.shown.map { field -> HTML in
        let value = record.fields[field.name]
        let isHidden = field.type.isEncrypted && value != nil
        let text = isHidden ? .hidden : ValueText(value, of: field.type, at: place)
        return "<td\(if: text.isNumber, " class=\"num\"")>\(text.html)</td>"
      }
      let name = record.name.text
      return """
        <tr><td class="pick"><input type="checkbox" name="record" \
        value="\(Selection.value(record.zone, record.name))" aria-label="Select \(name)"></td>\
        <td><a href="\(place.address(["record", name]))" class="mono" \
        data-testid="record">\(name)</a></td>\(cells)\
        <td>\(record.modified?.at.shortText ?? "")</td></tr>

        """
    }

    private var pages: HTML {
      func link(_ parameters: [String: String?], _ label: HTML, _ attributes: HTML) -> HTML {
        "<a href=\"\(question.address(at: open.place, parameters))\"\(attributes)>\(label)</a>"
      }
      let other = "\(fields.hiddenCount) more fields"
      let first = link(["after": nil], "From the beginning", " class=\"button\"")
      let next = cursor.map {
        link(["after": $0], "Next page", " class=\"button\" rel=\"next\" data-testid=\"next\"")
      }
      return """
        <div class="pages">\(if: fields.hiddenCount > 0, link(["fields": "all"], "\(other)", ""))
        <div class="actions">\
        \(if: question.after != nil, first)\(next)</div></div>
        """
    }
  }

  extension Timestamp {
    /// The time to the second, in UTC: `2026-05-01 12:00:00`.
    var shortText: String { String(text.prefix(19)).replacingUTF8("T", with: " ") }
  }
#endif
