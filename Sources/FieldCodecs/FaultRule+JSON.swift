public import Basics
public import CloudModel

extension FaultRule {
  /// Reads the output of `json`; nil for anything else, such as a code of a later version.
  public init?(_ json: JSONValue) {
    guard let operation = json["operation"]?.string.flatMap({ Operation(rawValue: $0) }),
      case .int(let id)? = json["id"], case .string(let seed)? = json["seed"]
    else { return nil }
    // Pushes had a code in earlier versions.
    let name = operation == .push ? nil : json["code"]?.string
    let code = name.flatMap { CloudError.Code(text: $0) }
    let effect = json["effect"]?.string.flatMap { PushEffect(rawValue: $0) }
    guard (code == nil) == (name == nil), (effect == nil) == (json["effect"] == nil) else {
      return nil
    }
    self.init(code, of: operation)
    self.effect = effect
    self.id = Int(id)
    self.seed = UInt64(seed) ?? 0
    type = json["type"]?.string.map { RecordType(stored: $0) }
    zone = json["zone"]?.string.map { ZoneID(stored: $0) }
    self.name = json["name"]?.string.map { RecordName(stored: $0) }
    if case .int(let number)? = json["every"], number > 0 { every = Int(number) }
    isAfter = json["after"] == .bool(true)
    rate = json["rate"]?.string.flatMap { Rate($0) }
    if case .int(let time)? = json["free"] { free = time }
    if case .double(let seconds)? = json["retryAfter"] { retryAfter = seconds }
    if case .double(let seconds)? = json["latency"] { latency = seconds }
    if case .double(let share)? = json["probability"] { probability = share }
    if case .int(let count)? = json["times"] { times = Int(count) }
    if case .int(let count)? = json["met"] { met = Int(count) }
    if code == nil, latency == nil, effect == nil { return nil }
  }

  /// The rule as JSON, with its state.
  public var json: JSONValue {
    let members: [(String, JSONValue?)] = [
      ("id", .int(Int64(id))), ("operation", .string(operation.rawValue)),
      ("code", code.map { .string($0.name) }), ("latency", latency.map { .double($0) }),
      ("effect", effect.map { .string($0.rawValue) }),
      ("type", type.map { .string($0.text) }),
      ("zone", zone.map { .string($0.text) }),
      ("name", name.map { .string($0.text) }), ("every", every.map { .int(Int64($0)) }),
      ("after", isAfter ? .bool(true) : nil), ("rate", rate.map { .string($0.text) }),
      ("free", rate.map { _ in .int(free) }), ("retryAfter", retryAfter.map { .double($0) }),
      ("times", times.map { .int(Int64($0)) }),
      ("probability", probability.map { .double($0) }), ("seed", .string(String(seed))),
      ("met", .int(Int64(met))),
    ]
    return .object(
      members.compactMap { name, value in value.map { JSONMember(name, $0) } })
  }
}
