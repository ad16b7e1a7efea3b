internal import Basics
public import CloudModel

/// The JSON text of a list in its column. Strings, integers and real numbers are ordinary JSON, so
/// that SQL can read them with json_each.
public enum ListCodec {
  /// The column of a list.
  public static let columns = [CodecColumn("", "TEXT")]

  /// Appends the text of a list.
  public static func append(_ members: [FieldValue], to text: inout [UInt8]) {
    text.append(UInt8(ascii: "["))
    for index in members.indices {
      if index > 0 { text.append(UInt8(ascii: ",")) }
      members[index].append(member: &text)
    }
    text.append(UInt8(ascii: "]"))
  }

  /// The text of a list.
  public static func encode(_ members: [FieldValue]) -> [UInt8] {
    var text: [UInt8] = []
    append(members, to: &text)
    return text
  }

  /// Reads the text of a list.
  public static func decode(
    _ text: UnsafeRawBufferPointer, base: FieldType.Base
  ) -> [FieldValue] {
    guard let value = try? JSONParser.parse(text), case .array(let items) = value else {
      return []
    }
    return items.compactMap { base.value(member: $0) }
  }

  /// A member's JSON text, for searching in SQL.
  public static func text(of member: FieldValue) -> String {
    var text: [UInt8] = []
    member.append(member: &text)
    return String(decoding: text, as: UTF8.self)
  }

  /// Whether a non-empty list of references contains only names; a name with a bracket may be taken
  /// for an action.
  public static func isOfNames(_ text: UnsafeRawBufferPointer) -> Bool {
    text.count > 2 && !UnsafeRawBufferPointer(rebasing: text[1...]).has(UInt8(ascii: "["))
  }
}
