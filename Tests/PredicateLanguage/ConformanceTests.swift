internal import Basics
internal import CloudModel
internal import PredicateLanguage
internal import Testing

#if canImport(Glibc)
  internal import Glibc
#elseif canImport(Darwin)
  internal import Darwin
#endif

/// Cases of other implementations, if they are available (`make conformance`).
@Suite struct ConformanceTests {
  private static let path = getenv("CKDB_CONFORMANCE").map {
    String(cString: $0) + "/predicates.jsonl"
  }

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

  /// The difference from a line's expectation, with and without placeholders; nil for none.
  private static func fault(_ json: JSONValue) -> String? {
    let text = json["predicate"]?.string ?? ""
    if let fault = fault(json, text, text.contains("%") ? arguments(json["args"]) : []) {
      return fault
    }
    // If the text has a key in place of SELF, it is about another record.
    guard let format = json["format"]?.string, !format.contains("SELF") else { return nil }
    return fault(json, format, arguments(json["args"], format))
  }

  private static func fault(
    _ json: JSONValue, _ text: String, _ arguments: [PredicateParser.Argument]
  ) -> String? {
    let expected = json["expect"]?.string
    let predicate: Predicate
    do {
      predicate = try PredicateParser.parse(
        text, arguments: arguments, variables: variables(json["variables"]))
    } catch {
      return expected == "parse-error" ? nil : error.message
    }
    if expected == "parse-error" { return "parsed as \(predicate.text)" }
    if let canonical = json["canonical"]?.string, canonical != predicate.text {
      return "printed as \(predicate.text), not \(canonical)"
    }
    if expected == "parse-ok" { return nil }
    guard let record = record(json["record"]) else { return "the record cannot be read" }
    do {
      let givens = PredicateBinder.Givens(
        now: Timestamp(milliseconds: 1_700_000_000_000))
      let bound = try PredicateBinder.bind(predicate, toValuesOf: record, givens)
      let found = try PredicateEvaluator(bound).matches(record)
      let isExpected = json["expect"] == .bool(found)
      return isExpected ? nil : "\(found) of \(json["record"]?.text ?? "")"
    } catch {
      return expected == "eval-error" ? nil : "\(error)"
    }
  }

  /// The arguments of a text; those of `%K` as text.
  private static func arguments(
    _ json: JSONValue?, _ format: String = ""
  ) -> [PredicateParser.Argument] {
    guard case .array(let items)? = json else { return [] }
    let conversions = format.split(separator: "%", omittingEmptySubsequences: false).dropFirst()
    return items.enumerated().compactMap { index, item in
      guard let type = item["type"]?.string, let json = item["value"] else { return nil }
      if conversions.dropFirst(index).first?.hasPrefix("K") == true {
        return json.string.map { .text($0) }
      }
      return value(json, type).map { .value($0) }
    }
  }

  private static func variables(_ json: JSONValue?) -> [String: PredicateParser.Argument] {
    guard case .object(let members)? = json else { return [:] }
    var variables: [String: PredicateParser.Argument] = [:]
    for member in members {
      variables[member.name] = arguments(.array([member.value])).first
    }
    return variables
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
