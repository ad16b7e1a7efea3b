internal import Basics
internal import CloudModel

/// The web auth tokens whose codes were verified with a secret, and the ones that replace them: a
/// client sends the same token many times, and each code costs two hashes.
struct VerifiedTokens: Sendable {
  private let secret: [UInt8]
  private var entries: [String: Entry] = [:]
  /// More than the clients that are active at once.
  private static let most = 1000
  /// How long the same token is given again, in milliseconds.
  private static let renewalMilliseconds: Int64 = 1000

  private struct Entry: Sendable {
    let text: String
    let apiToken: String
    let token: WebAuthToken
    var renewal: (text: String, until: Int64)?
  }

  /// Knows no token yet.
  init(secret: [UInt8]) { self.secret = secret }

  /// Whether the codes were verified with a secret.
  func isOf(_ secret: [UInt8]) -> Bool { self.secret == secret }

  /// The token of a text that was verified for an API token; nil for others.
  func token(_ text: String, of token: APIToken) -> WebAuthToken? {
    // A dictionary compares canonically: it takes the Kelvin sign for a K.
    guard let entry = entries[text], utf8Equal(entry.text, text),
      utf8Equal(entry.apiToken, token.text)
    else { return nil }
    return entry.token
  }

  /// Keeps a token that was verified.
  mutating func add(_ text: String, _ read: WebAuthToken, of token: APIToken) {
    if entries.count >= Self.most { entries = [:] }
    entries[text] = Entry(text: text, apiToken: token.text, token: read, renewal: nil)
  }

  /// The text that replaced a token within the last second; nil for none.
  func renewal(of text: String, at now: Timestamp) -> String? {
    guard let renewal = entries[text]?.renewal, now.milliseconds < renewal.until else { return nil }
    return renewal.text
  }

  /// Keeps the text that replaces a token.
  mutating func renew(_ text: String, by next: String, at now: Timestamp) {
    entries[text]?.renewal = (next, now.milliseconds + Self.renewalMilliseconds)
  }
}
