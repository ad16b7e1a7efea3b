/// The version of a record: an opaque text that changes with every save (`recordChangeTag`).
///
/// CloudKit's format is opaque; ours is the store's sequence number in base 36.
public struct ChangeTag: Sendable, Hashable {
  /// The tag's text.
  public let text: String

  /// Creates the tag of a sequence number.
  public init(sequence: Int64) { text = String(sequence, radix: 36) }

  /// Appends the text of a sequence number's tag.
  public static func append(_ sequence: Int64, to bytes: inout [UInt8]) {
    let start = bytes.count
    var rest = UInt64(clamping: sequence)
    repeat {
      let digit = UInt8(rest % 36)
      bytes.append(digit < 10 ? UInt8(ascii: "0") + digit : UInt8(ascii: "a") + digit - 10)
      rest /= 36
    } while rest > 0
    bytes[start...].reverse()
  }

  /// Creates a tag given by a client; an unknown tag never matches.
  public init(given text: String) { self.text = text }
}
