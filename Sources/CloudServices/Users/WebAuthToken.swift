internal import Basics
public import CloudModel

/// The account that is signed in on a page. The token carries all of its state, so each answer can
/// bring a new one and the store keeps none.
public struct WebAuthToken: Sendable, Equatable {
  /// The account that is signed in.
  public let account: Account
  /// Whether the account stays signed in for two weeks.
  public let isLasting: Bool
  /// When it ends.
  public let expires: Timestamp

  init(account: Account, isLasting: Bool, expires: Timestamp) {
    (self.account, self.isLasting, self.expires) = (account, isLasting, expires)
  }

  /// The token's text, each time another one.
  func text(by token: APIToken, secret: [UInt8]) -> String {
    let fields = [
      String(expires.milliseconds), isLasting ? "1" : "0",
      String(UInt64.random(in: .min ... .max), radix: 36), account.name,
    ]
    return Base64.encode(SignedTicket.bytes(fields, for: Self.purpose(token), secret: secret))
  }

  /// Nil for a text that this store did not sign for the API token.
  init?(_ text: String, of token: APIToken, secret: [UInt8]) {
    guard let bytes = Base64.decode(text),
      let fields = SignedTicket.fields(of: bytes, for: Self.purpose(token), secret: secret),
      fields.count == 4, let expires = Int64(fields[0])
    else { return nil }
    self.init(
      account: Account(stored: fields[3]), isLasting: fields[1] == "1",
      expires: Timestamp(milliseconds: expires))
  }

  private static func purpose(_ token: APIToken) -> String { "web auth \(token.text)" }
}
