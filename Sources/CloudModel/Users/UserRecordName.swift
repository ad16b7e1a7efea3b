internal import Basics

/// A user's record name in a container: `_` and 32 hexadecimal digits (R1.1.8).
public struct UserRecordName: Sendable, Hashable {
  /// The name's text.
  public let text: String

  /// Creates a name that was derived or stored.
  public init(stored text: String) { self.text = text }
}

extension RecordName {
  /// The name of a user's own record (R11.2.1).
  public init(_ user: UserRecordName) { self.init(stored: user.text) }

  /// Whether the name is reserved for a user's own record: other names cannot begin with `_`.
  public var isOfUser: Bool { text.utf8.first == UInt8(ascii: "_") }

  /// Whether a text is `_` and 32 lowercase hexadecimal digits.
  public static func isUserName(_ text: String) -> Bool {
    text.utf8.count == 33 && text.utf8.first == UInt8(ascii: "_")
      && text.utf8.dropFirst().allSatisfy {
        $0 >= UInt8(ascii: "0") && $0 <= UInt8(ascii: "9")
          || $0 >= UInt8(ascii: "a") && $0 <= UInt8(ascii: "f")
      }
  }
}

extension RecordType {
  /// The type of users' records; every schema has it (R1.1.9).
  public static let users = RecordType(stored: "Users")
}

extension FieldName {
  /// The field of a user's record with the numbers of the user's roles (L2.3).
  public static let roles = FieldName(stored: "roles")
}

extension FieldType {
  /// The type of that field.
  public static let ofRoles = FieldType(.int64, isList: true)
}
