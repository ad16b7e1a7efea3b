internal import Basics
public import CloudModel

// Plain JSON (M4): values as a reader expects them, types left to the schema.

extension [UInt8] {
  /// Appends a value in plain JSON.
  public mutating func append(plain value: FieldValue) {
    switch value {
    case .string(let text): append(jsonString: text)
    case .int64(let number): append(jsonInt: number)
    case .double(let number): append(number)
    case .timestamp(let time): append(jsonString: time.text)
    case .bytes(let bytes): append(jsonString: Base64.encode(bytes))
    case .location(let location): append(location)
    case .reference(let reference):
      append(text: "{\"recordName\":")
      append(jsonString: reference.name.text)
      append(text: ",\"action\":\"")
      append(text: reference.action.name)
      append(text: "\"}")
    case .asset(let asset):
      append(text: "{\"sha256\":\"")
      append(text: asset.sha256)
      append(text: "\",\"size\":")
      append(jsonInt: asset.size)
      append(UInt8(ascii: "}"))
    case .list(let members):
      append(UInt8(ascii: "["))
      for index in members.indices {
        if index > 0 { append(UInt8(ascii: ",")) }
        append(plain: members[index])
      }
      append(UInt8(ascii: "]"))
    }
  }

  /// JSON has no word for what is not finite; such values are refused where they come in.
  private mutating func append(_ number: Double) {
    if number.isFinite { append(jsonDouble: number) } else { append(text: "null") }
  }

  private mutating func append(_ location: Location) {
    append(text: "{\"latitude\":")
    append(location.latitude)
    append(text: ",\"longitude\":")
    append(location.longitude)
    for (name, number) in [
      ("altitude", location.altitude), ("horizontalAccuracy", location.horizontalAccuracy),
      ("verticalAccuracy", location.verticalAccuracy), ("course", location.course),
      ("speed", location.speed),
    ] {
      guard let number else { continue }
      append(text: ",\"\(name)\":")
      append(number)
    }
    if let time = location.timestamp {
      append(text: ",\"timestamp\":")
      append(jsonString: time.text)
    }
    append(UInt8(ascii: "}"))
  }
}
