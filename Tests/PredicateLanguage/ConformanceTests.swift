internal import Basics
internal import CloudModel
internal import PredicateLanguage
internal import Testing

#if canImport(Glibc)
  internal import Glibc
#elseif canImport(Darwin)
  internal import Darwin
#endif

/// Cases of other implementations, where they are at hand (`make conformance`).
@Suite struct ConformanceTests {
  private static let path = getenv("CKDB_CONFORMANCE").map { String(cString: $0) }

  @Test("predicates of other implementations", .enabled(if: path != nil, "make conformance"))
  func predicates() throws {
    let path = try #require(Self.path)
    let lines = LineReader(try FileHandle(open: path, O_RDONLY))
    var total = 0
    var failures: [String] = []
    while let line = try lines.next() {
      let json = try JSONParser.parse(line)
      total += 1
      if let fault = Self.fault(json) {
        failures.append("\(json["id"]?.string ?? ""): \(json["predicate"]?.string ?? ""): \(fault)")
      }
    }
    for failure in failures { print(failure) }
    print("\(total - failures.count) of \(total) as expected")
    #expect(failures.isEmpty)
  }

  /// What is not as a line expects; nil for nothing.
  private static func fault(_ json: JSONValue) -> String? {
    let text = json["predicate"]?.string ?? ""
    let predicate: Predicate
    do { predicate = try PredicateParser.parse(text) } catch {
      return json["expect"]?.string == "parse-error" ? nil : error.message
    }
    if json["expect"]?.string == "parse-error" { return "parsed as \(predicate.text)" }
    if let canonical = json["canonical"]?.string, canonical != predicate.text {
      return "printed as \(predicate.text), not \(canonical)"
    }
    guard case .bool(let expected)? = json["expect"] else { return nil }
    guard let record = record(json["record"]) else { return "the record cannot be read" }
    do {
      let bound = try PredicateBinder.bind(predicate, toValuesOf: record)
      let found = PredicateEvaluator.evaluate(bound, record)
      return found == expected ? nil : "\(found) of \(json["record"]?.text ?? "")"
    } catch {
      return error.message
    }
  }

  private static func record(_ json: JSONValue?) -> Record? {
    var record = Record(
      name: RecordName(stored: "r"), type: RecordType(stored: "T"), zone: .defaultZone)
    guard case .object(let members)? = json else { return record }
    for member in members {
      guard let value = member.value["value"], value != .null else { continue }
      let type = member.value["type"]?.string ?? ""
      guard let read = Self.value(value, type) else { return nil }
      record.fields[FieldName(stored: member.name)] = read
    }
    return record
  }

  private static func value(_ json: JSONValue, _ type: String) -> FieldValue? {
    switch (json, type) {
    case (.array(let items), _):
      let values = items.compactMap { value($0, String(type.dropLast(5))) }
      return values.count == items.count ? .list(values) : nil
    case (.string(let text), "STRING"): return .string(text)
    case (.int(let number), "INT64"): return .int64(number)
    case (.bool(let flag), "INT64"): return .int64(flag ? 1 : 0)
    case (.int(let number), "TIMESTAMP"): return .timestamp(Timestamp(milliseconds: number))
    case (.int(let number), "DOUBLE"): return .double(Double(number))
    case (.double(let number), "DOUBLE"): return .double(number)
    case (.object, "LOCATION"):
      guard let latitude = number(json["latitude"]), let longitude = number(json["longitude"])
      else { return nil }
      return Location(latitude: latitude, longitude: longitude).map { .location($0) }
    default: return nil
    }
  }

  private static func number(_ json: JSONValue?) -> Double? {
    switch json {
    case .int(let number)?: Double(number)
    case .double(let number)?: number
    default: nil
    }
  }
}
