internal import Basics
internal import CloudModel
internal import CloudServices
internal import CommandKit
internal import FieldCodecs

/// `query … --facet FIELD`: counts the matching records by value.
enum FacetOutput {
  static let facet = Option(
    "facet", nil, ValueKind<String>.text("FIELD", candidates: .question("fields")),
    "Count the matching records by the values of a field")
  private static let (narrowestBar, widestBar) = (5, 30)

  private struct Row {
    let value: String?
    let count: Int
  }

  /// Prints the values of a field, the most common first; a list counts once for each member.
  /// Throws `CloudError`, `CommandError`.
  static func print(
    _ field: String, of request: QueryRequest, _ context: Context, _ database: CloudDatabase
  ) throws {
    let schema = try database.environment.schema(of: request.type).map { [$0] } ?? []
    try FieldsOption.check([field], of: schema)
    var request = request
    let most = request.limit
    request.limit = nil
    request.keys = FieldsOption.keys([field])
    request.sort = []
    var counts: [String: Int] = [:]
    var missing = 0
    _ = try database.query(request) { record in
      guard let value = RecordOutput.value(field, record) else {
        missing += 1
        return true
      }
      for text in value.facets { counts[text, default: 0] += 1 }
      return true
    }
    var rows = counts.map { Row(value: $0.key, count: $0.value) }
    if missing > 0 { rows.append(Row(value: nil, count: missing)) }
    rows.sort { left, right in
      if left.count != right.count { return left.count > right.count }
      return utf8Precedes(left.value ?? "", right.value ?? "")
    }
    try write(rows, most, named: field, context)
  }

  private static func write(
    _ rows: [Row], _ most: Int?, named field: String, _ context: Context
  ) throws {
    let hasBars = try context.format() == .table
    let output = try RowOutput(
      context, noun: "value", columns: [field, "records"] + (hasBars ? ["share"] : []))
    let left = rows.count - min(rows.count, most ?? .max)
    let rows = rows.prefix(most ?? .max)
    let largest = rows.first?.count ?? 1
    let names = ([field] + rows.map { $0.value ?? "NULL" }).map(\.visible.columnWidth)
    let room = context.tableWidth - (names.max() ?? 0) - max(7, "\(largest)".count) - 4
    for row in rows {
      let bar: [JSONValue] = hasBars ? [.string(self.bar(row.count, of: largest, in: room))] : []
      output.row([row.value.map { .string($0) } ?? .null, .int(Int64(row.count))] + bar)
    }
    output.finish(more: left > 0 ? "\(left) more" : nil)
  }

  /// A bar in eighths of a column, for a space of `room` columns.
  static func bar(_ count: Int, of largest: Int, in room: Int) -> String {
    let width = min(widestBar, max(narrowestBar, room))
    let eighths = max(1, count * width * 8 / max(1, largest))
    let parts = ["", "▏", "▎", "▍", "▌", "▋", "▊", "▉"]
    return String(repeating: "█", count: eighths / 8) + parts[eighths % 8]
  }
}

extension FieldValue {
  /// The texts that the value counts as.
  fileprivate var facets: [String] {
    switch self {
    case .list(let members):
      members.map { $0.tableText(.iso) }.reduce(into: []) { texts, text in
        if !texts.contains(text) { texts.append(text) }
      }
    case .string, .int64, .double, .timestamp, .bytes, .location, .reference, .asset:
      [tableText(.iso)]
    }
  }
}
