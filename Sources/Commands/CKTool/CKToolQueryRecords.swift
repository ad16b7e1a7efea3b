internal import CloudModel
internal import CloudServices
internal import CommandKit
internal import PredicateLanguage
internal import WireFormat

/// `ckdb cktool query-records`
enum CKToolQueryRecords {
  static let sorts = Option(
    "sort-by", nil, ValueKind<String>.text("SORT"), takesMany: true, "Sorts, FIELD [ASC|DESC]")
  static let fields = Option(
    "requested-fields", nil, ValueKind<String>.text("FIELD"), takesMany: true,
    "Fields to print (default: all)")
  static let limit = Option(
    "limit", nil, ValueKind<Int>.count("N", atLeast: 1), default: "200", "Maximum number of records"
  )
  static let token = Option(
    "continuation-token", nil, .cursor, "Continue after the page that returned this token")

  static var command: Command<Context> {
    Command(
      options: CKToolOptions.data + [
        AnyOption(CKToolOptions.type), AnyOption(CKToolOptions.filters), AnyOption(sorts),
        AnyOption(fields), AnyOption(limit), AnyOption(token),
      ],
      discussion: """
        Prints the records that match all filters, and a continuationToken when there are more. \
        Operators are == != < <= > >= or EQUALS NOT_EQUALS LESS_THAN LESS_THAN_OR_EQUALS \
        GREATER_THAN GREATER_THAN_OR_EQUALS NEAR CONTAINS_ALL_TOKENS CONTAINS_ANY_TOKENS \
        LIST_CONTAINS_ANY LIST_NOT_CONTAINS_ANY. A value is read as a number, a date, \
        latitude,longitude or text; stringType:2021-01-01 names the type. Fields must be queryable \
        to filter and sortable to sort by them; without a filter, recordName must be queryable.
        """,
      examples: [
        .init(
          "Query with a filter",
          "ckdb cktool query-records --team-id T --container-id iCloud.org.example.app --environment development --database-type public --record-type CoffeeShop --filters \"latteCost > 4.60\" --sort-by \"latteCost DESC\""
        )
      ]
    ) { arguments, context in
      let place = CKToolPlace(arguments, context)
      let database = try place.database()
      var request: QueryRequest
      if let cursor = arguments[token] {
        var naming = QueryNaming()
        naming.type = arguments[CKToolOptions.type]
        request = try database.continuing(cursor, named: naming)
      } else {
        request = try CKToolRequest.make(arguments, context)
        request.sort = try arguments.all(sorts).map { try SortKey(toolText: $0) }
        request.requiredIndexes += request.sort.map { ($0.key, .sortable) }
      }
      request.limit = arguments[limit] ?? 200
      let keys = arguments.all(fields)
      if !keys.isEmpty { request.keys = try keys.map { try FieldName($0) } }
      try CKToolRequest.printRecords(of: request, database, context)
    }
  }
}
