#if Server
  internal import CloudModel
  internal import CloudServices
  internal import PredicateLanguage
  internal import WireFormat

  /// The query in an address: the type, predicate and order, and the cursor of the page.
  struct TableQuestion {
    let type: RecordType
    /// The predicate's text; empty for all records.
    let predicate: String
    let sort: [SortKey]
    /// The cursor of the page; nil for the first one.
    let after: String?
    private let showsAll: Bool
    private let zone: ZoneID?
    /// The number of fields shown by default.
    private static let usualFields = 12

    init(_ type: RecordType, _ query: FormFields, at place: Place) {
      self.type = type
      let text = query["where"] ?? ""
      predicate = text.allSatisfy(\.isWhitespace) ? "" : text
      sort = (query["sort"] ?? "").split(separator: ",").map { key in
        SortKey(
          String(key.hasPrefix("-") ? key.dropFirst() : key), isAscending: !key.hasPrefix("-"))
      }
      after = query.text("after")
      showsAll = query["fields"] == "all"
      zone = place.zone
    }

    /// The equivalent command.
    func command(at place: Place) -> String {
      var options: [String] = []
      if let sortText { options.append("--sort=\(sortText)") }
      options += ["--limit", String(RecordsPage.size)] + (after.map { ["--cursor", $0] } ?? [])
      return place.command(["query"], operands, options: options)
    }

    /// The type and the predicate.
    var operands: [String] { [type.text] + (predicate.isEmpty ? [] : [predicate]) }

    private var sortText: String? {
      sort.isEmpty ? nil : sort.map { ($0.isAscending ? "" : "-") + $0.key }.joined(separator: ",")
    }

    /// The parameters that a new predicate keeps.
    var kept: [(name: String, value: String?)] {
      [("sort", sortText), ("fields", showsAll ? "all" : nil)]
    }

    /// The address with some parameters replaced; nil removes a parameter.
    func address(at place: Place, _ changes: [String: String?]) -> String {
      place.address(
        ["records", type.text], parameters.map { ($0.name, changes[$0.name] ?? $0.value) })
    }

    /// The parameters of the address.
    var parameters: [(name: String, value: String?)] {
      [("where", predicate.isEmpty ? nil : predicate), ("after", after)] + kept
    }

    /// The shown fields, and the number of the others.
    func fields(of schema: RecordTypeSchema?) -> (shown: [FieldSchema], hiddenCount: Int) {
      let all = schema?.fields ?? []
      let shown = showsAll ? all : Array(all.prefix(Self.usualFields))
      return (shown, all.count - shown.count)
    }

    /// The header of a field's column: one click sorts by it, the next reverses the order.
    func head(of field: FieldSchema, at place: Place) -> HTML {
      let name = field.name.text
      let isAscending = sort.first.flatMap { $0.key == name ? $0.isAscending : nil }
      let order = isAscending.map { $0 ? "ascending" : "descending" }
      let label: HTML = "\(name)\(isAscending.map { $0 ? " ↑" : " ↓" } ?? "")"
      let next = isAscending == true ? "-\(name)" : name
      let address = address(at: place, ["sort": next, "after": nil])
      let link: HTML = field.isSorted ? "<a href=\"\(address)\">\(label)</a>" : label
      return """
        <th scope="col"\(if: field.type.isNumber, " class=\"num\"")\
        \(order.map { " aria-sort=\"\($0)\"" as HTML })>\(link) \
        <span class="type">\(field.type.schemaName)</span></th>
        """
    }

    /// Reads the records of the page. `report` receives what CloudKit would refuse.
    func records(
      _ open: OpenPlace, _ fields: [FieldSchema], _ report: @escaping ([Finding]) -> Void
    ) throws -> (records: [Record], cursor: QueryCursor?) {
      var request = try request(open)
      request.limit = RecordsPage.size
      request.keys = fields.map(\.name)
      // Without a predicate, the table is not a query that an app would send to CloudKit.
      request.isForCloudKit = !predicate.isEmpty
      if !predicate.isEmpty { request.report = report }
      var records: [Record] = []
      let cursor = try open.database.query(request) { record in
        records.append(record)
        return true
      }
      return (records, cursor)
    }

    /// The query, from the cursor on, with all fields and records.
    func request(_ open: OpenPlace) throws -> QueryRequest {
      let parsed = try PredicateParser.parse(
        predicate.isEmpty ? "TRUEPREDICATE" : predicate, now: open.request.now)
      var request = QueryRequest(type: type, predicate: parsed)
      (request.sort, request.zone) = (sort, zone)
      if let after {
        guard let cursor = QueryCursor(text: after) else {
          throw CloudError(.invalidArguments, "The address has an invalid cursor")
        }
        var naming = QueryNaming()
        (naming.type, naming.predicate, naming.sort, naming.zone) = (type, parsed, sort, zone)
        request = try open.database.continuing(cursor, named: naming)
      }
      return request
    }
  }

  extension FieldSchema {
    /// Whether its header sorts the table. A sort by a location needs a place to measure from, and
    /// bytes have no cursor.
    fileprivate var isSorted: Bool {
      type.allowedIndexes.contains(.sortable) && type.base != .location && type.base != .bytes
    }
  }

  extension FieldType {
    /// Whether its values are single numbers.
    var isNumber: Bool { !isList && [.int64, .double, .number].contains(base) }
  }
#endif
