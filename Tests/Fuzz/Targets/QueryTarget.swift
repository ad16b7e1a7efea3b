internal import Basics
internal import CloudModel
internal import CloudServices
internal import PredicateLanguage

/// Queries of fifty records: SQL finds the records that the evaluator matches.
final class QueryTarget {
  nonisolated(unsafe) static let shared = QueryTarget()

  private let database: CloudDatabase
  private let schema: RecordTypeSchema
  private var records: [Record] = []

  private init() {
    do {
      let store = try FuzzStore.make("query")
      database = try store.database()
      for index in 0..<50 { try Self.save(index, in: database) }
      guard let found = try database.environment.schema(of: RecordType(stored: "Thing")) else {
        preconditionFailure("no type")
      }
      schema = found
      let list = database
      var all: [Record] = []
      try list.list(nil, in: .defaultZone) { record in
        all.append(record)
        return true
      }
      records = all
    } catch { preconditionFailure("no store to be had: \(error)") }
  }

  private static func save(_ index: Int, in database: CloudDatabase) throws {
    let texts = ["", "a", "B", "ä", "é\u{301}", "the fox", "100%", "_x", "Z\u{0}z"]
    var fields: [(String, FieldValue)] = []
    if index % 7 != 0 {
      fields.append(("text", .string(texts[index % texts.count] + "\(index % 4)")))
    }
    if index % 5 != 0 { fields.append(("n", .int64(Int64(index % 11) - 5))) }
    if index % 3 != 0 { fields.append(("w", .double(Double(index) / 4 - 3))) }
    if index % 4 != 0 {
      fields.append(("day", .timestamp(Timestamp(milliseconds: Int64(index) * 86_400_000))))
    }
    if index % 6 != 0 {
      fields.append(("tags", .list([.string(texts[index % 3]), .string("t\(index % 5)")])))
      fields.append(("numbers", .list([.int64(Int64(index % 3)), .int64(7)])))
    }
    if let place = Location(latitude: Double(index) - 25, longitude: Double(index) * 7 - 170) {
      fields.append(("place", .location(place)))
    }
    fields.append(("up", .reference(Reference(RecordName(stored: "r\(index / 2)"), action: .none))))
    fields.append(("data", .bytes([UInt8(index), 0, 255])))
    let assignments = try fields.map { FieldAssignment(try FieldName($0.0), $0.1) }
    _ = try database.save(
      SaveRequest(
        name: RecordName("r\(index)"), type: RecordType(stored: "Thing"),
        assignments: assignments, policy: .unchanged), in: .defaultZone)
  }

  func run(_ bytes: [UInt8]) {
    guard let predicate = try? PredicateParser.parse(String(decoding: bytes, as: UTF8.self)),
      !predicate.hasPaths
    else { return }
    var request = QueryRequest(type: schema.name, predicate: predicate)
    request.isForCloudKit = false
    request.zone = .defaultZone
    var found: Set<String>? = []
    do {
      _ = try database.query(request) { record in
        found?.insert(record.name.text)
        return true
      }
    } catch { found = nil }
    let wanted = evaluated(predicate)
    FuzzTarget.law(
      found == wanted,
      "\(predicate.text): SQL \(found?.sorted() ?? ["an error"]), "
        + "evaluator \(wanted?.sorted() ?? ["an error"])")
  }

  /// The evaluator's matches; nil for an error.
  private func evaluated(_ predicate: Predicate) -> Set<String>? {
    let request = database.environment.request
    let givens = PredicateBinder.Givens(
      now: request.now, seed: request.seed(at: request.now))
    guard let bound = try? PredicateBinder.bind(predicate, to: schema, givens) else { return nil }
    let evaluator = PredicateEvaluator(bound)
    var names: Set<String> = []
    for record in records {
      guard let matches = try? evaluator.matches(record) else { return nil }
      if matches { names.insert(record.name.text) }
    }
    return names
  }
}
