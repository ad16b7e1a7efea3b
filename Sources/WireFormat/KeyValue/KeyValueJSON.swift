public import Basics
public import CloudModel
internal import FieldCodecs

/// The key-value store as JSON.
public enum KeyValueJSON {
  /// An event as the app receives it.
  public static func object(_ event: KeyValueEvent) -> JSONValue {
    .object([
      JSONMember("notification", .string("didChangeExternally")),
      JSONMember("reason", .int(Int64(event.reason.rawValue))),
      JSONMember("reasonName", .string(event.reason.name)),
      JSONMember("changedKeys", .array(event.keys.map { .string($0) })),
      JSONMember("device", .string(event.device.name)),
      JSONMember("at", .string(event.at.text)),
      JSONMember("number", .int(event.number)),
    ])
  }

  /// Keys with values and their types: `{"level":{"integer":13}}`.
  public static func object(_ values: [PropertyListValue.Member]) -> JSONValue {
    .object(values.map { JSONMember($0.key, $0.value.tagged) })
  }

  /// Parses the output of `object`.
  public static func values(
    _ json: JSONValue
  ) throws(PlacedValueError) -> [PropertyListValue.Member] {
    guard case .object(let members) = json else {
      throw PlacedValueError(
        message: "expected an object of keys, found \(json.kind)", offset: 0)
    }
    var values: [PropertyListValue.Member] = []
    for member in members {
      do throws(ValueReadingError) {
        values.append(.init(member.name, try PropertyListValue(tagged: member.value)))
      } catch {
        throw PlacedValueError(
          message: "\(member.name.visible): \(error.message)", offset: member.offset)
      }
    }
    return values
  }
}

/// The error for a value that cannot be in the key-value store, with its position.
public struct PlacedValueError: Error, Sendable {
  /// The reason, without a final period.
  public let message: String
  /// The position, in bytes from the beginning.
  public let offset: Int
}
