internal import Basics
internal import CloudModel
internal import CloudServices
internal import CommandKit
internal import PredicateLanguage
internal import WireFormat

/// The query of a cktool verb.
enum CKToolRequest {
  static func make(_ arguments: Arguments, _ context: Context) throws -> QueryRequest {
    let place = CKToolPlace(arguments, context)
    let filters = try arguments.all(CKToolOptions.filters).map { try CKToolFilter($0) }
    let format = filters.map(\.format).joined(separator: " AND ")
    var request = QueryRequest(
      type: try place.type(),
      predicate: try context.parse(
        format.isEmpty ? "TRUEPREDICATE" : format, filters.flatMap(\.arguments)))
    request.zone = place.zone
    request.requiredIndexes =
      filters.isEmpty ? [("recordName", .queryable)] : filters.map { ($0.key, $0.indexes) }
    return request
  }

  /// Prints the records of a page and the continuation token of the next one.
  static func printRecords(
    of request: QueryRequest, _ database: CloudDatabase, _ context: Context
  ) throws {
    let types = try database.environment.fieldTypes(of: request.type)
    var bytes = Array("{\"records\":[".utf8)
    var isFirst = true
    let damage = DamageList()
    var request = request
    request.damaged = damage.note
    let next = try database.query(request) { record in
      bytes += Array((isFirst ? "\n  " : ",\n  ").utf8)
      isFirst = false
      bytes.append(tool: record, types: types)
      return true
    }
    bytes += Array((isFirst ? "]" : "\n]").utf8)
    if let next {
      bytes += Array(",\"continuationToken\":".utf8)
      bytes.append(jsonString: next.text)
    }
    bytes += Array("}\n".utf8)
    context.output.write(String(decoding: bytes, as: UTF8.self))
    try damage.finish()
  }
}

extension CloudEnvironment {
  /// The field types of a record type, by field name.
  func fieldTypes(of type: RecordType) throws -> [FieldName: FieldType] {
    Dictionary(
      uniqueKeysWithValues: (try schema(of: type)?.fields ?? []).map { ($0.name, $0.type) })
  }
}
