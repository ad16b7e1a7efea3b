public import Basics
public import CloudModel
internal import FieldCodecs

/// The key-value store as JSON.
public enum KeyValueJSON {
  /// An event as the app meets it.
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

  /// Keys with their values, each with its type: `{"level":{"integer":13}}`.
  public static func object(_ values: [PropertyListValue.Member]) -> JSONValue {
    .object(values.map { JSONMember($0.key, $0.value.tagged) })
  }

  /// Reads what `object` writes.
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

/// Why a value of a text cannot be one of the key-value store, and where it begins.
public struct PlacedValueError: Error, Sendable {
  /// The reason, as a sentence without its end.
  public let message: String
  /// Where, in bytes from the beginning.
  public let offset: Int
}
