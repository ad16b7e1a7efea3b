internal import CloudModel
@_exported public import Foundation

/// A place in a change feed, opaque to the app (R9.1).
public final class CKServerChangeToken: NSObject, NSSecureCoding, NSCopying, Sendable {
  /// The bytes of the token: the store's text, or what a device got from iCloud.
  private let data: Data

  init(_ token: ChangeToken) { data = Data(token.text.utf8) }

  private init(data: Data) { self.data = data }

  /// A token as `text` gave it.
  convenience init(text: String) { self.init(data: Data(text.utf8)) }

  /// The token as text.
  var text: String { String(decoding: data, as: UTF8.self) }

  /// The token as the store knows it. Throws `changeTokenExpired` for the token of another service.
  func token() throws(CloudError) -> ChangeToken {
    guard let token = ChangeToken(text: text) else {
      throw .tokenExpired
    }
    return token
  }

  // MARK: Copying and archiving

  /// Returns the token itself, which never changes.
  public func copy(with zone: NSZone? = nil) -> Any { self }

  /// Tokens can be read from archives that name their classes.
  public static var supportsSecureCoding: Bool { true }

  private static let dataKey = "ChangeTokenData"

  /// Writes the token to a keyed archive.
  public func encode(with coder: NSCoder) {
    coder.encode(data as NSData, forKey: Self.dataKey)
  }

  /// Reads a token from a keyed archive; nil without its data.
  public convenience init?(coder: NSCoder) {
    guard let data = coder.data(forKey: Self.dataKey) else { return nil }
    self.init(data: data)
  }

  // MARK: Comparing

  /// Whether the bytes are the same.
  public override func isEqual(_ object: Any?) -> Bool {
    (object as? CKServerChangeToken)?.data == data
  }

  public override var hash: Int { data.hashValue }

  /// `<CKServerChangeToken: 0x7f…; data=…>`.
  public override var description: String {
    "<CKServerChangeToken: \(address(of: self)); data=\(data.base64EncodedString())>"
  }
}
