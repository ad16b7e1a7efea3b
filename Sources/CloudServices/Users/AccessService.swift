internal import Basics
public import CloudModel
internal import StoreHome

// Who may use the store over HTTP. Tokens and keys belong to the store: no snapshot has them, and
// a restore leaves them as they are.
extension CloudStore {
  /// The API tokens, oldest first.
  public func apiTokens() throws(CloudError) -> [APIToken] { try currentAccess().tokens }

  /// Returns an API token by its text; nil for none.
  public func apiToken(_ text: String) throws(CloudError) -> APIToken? {
    try found { access in access.tokens.first { utf8Equal($0.text, text) } }
  }

  /// Creates an API token of an environment. Throws `badContainer` for an unknown container.
  public func createAPIToken(
    named name: String?, for container: ContainerID, _ environment: Environment,
    origins: [String], callback: String?, _ request: Request
  ) throws(CloudError) -> APIToken {
    try require(container)
    let token = APIToken(
      SystemRandom.bytes(32).hexadecimal, name: name, container: container,
      environment: environment, origins: origins, callback: callback, created: request.now)
    try changeAccess { $0.tokens.append(token) }
    return token
  }

  /// Deletes an API token, by its text or its name; the web auth tokens that it gave end with it.
  /// Throws `unknownItem` for none.
  public func deleteAPIToken(_ text: String) throws(CloudError) {
    try changeAccess { access in
      try access.tokens.remove(text, "API token", { [$0.text, $0.name] })
    }
  }

  /// The server-to-server keys, oldest first.
  public func serverKeys() throws(CloudError) -> [ServerKey] { try currentAccess().keys }

  /// Returns a server-to-server key by its ID; nil for none.
  public func serverKey(_ id: String) throws(CloudError) -> ServerKey? {
    try found { access in access.keys.first { utf8Equal($0.id, id) } }
  }

  /// Adds a public key to an environment, where it gets an ID. Throws `badContainer` for an unknown
  /// container, `invalidArguments` for a key that the environment has.
  public func addServerKey(
    _ publicKey: [UInt8], named name: String?, to container: ContainerID,
    _ environment: Environment, _ request: Request
  ) throws(CloudError) -> ServerKey {
    try require(container)
    let id = SHA256.hash(Array("\(container.text)\0\(environment.rawValue)\0".utf8) + publicKey)
    let key = ServerKey(
      id.hexadecimal, name: name, container: container, environment: environment,
      publicKey: publicKey, created: request.now)
    try changeAccess { access in
      guard !access.keys.contains(where: { $0.id == key.id }) else {
        throw CloudError(
          .invalidArguments, "The environment has this key already, with the ID \(key.id)")
      }
      access.keys.append(key)
    }
    return key
  }

  /// Deletes a key, by its ID or its name. Throws `unknownItem` for none.
  public func deleteServerKey(_ text: String) throws(CloudError) {
    try changeAccess { access in
      try access.keys.remove(text, "key", { [$0.id, $0.name] })
    }
  }

  /// Finds a token or key. What another process creates is valid at once; what it deletes stays
  /// valid for a moment.
  private func found<T>(_ find: (StoreAccess) -> T?) throws(CloudError) -> T? {
    noteNewAccess()
    if let found = find(try currentAccess()) { return found }
    return noteNewAccess(atOnce: true) ? find(try currentAccess()) : nil
  }

  // MARK: Web auth tokens

  /// How long a web auth token is valid (web-services.md, §2.1).
  private static func life(isLasting: Bool) -> Int64 { isLasting ? 14 * 86_400_000 : 1_800_000 }

  /// Signs an account in: returns a web auth token, which is valid for half an hour, or for two
  /// weeks.
  public func webAuthToken(
    for account: Account, by token: APIToken, isLasting: Bool, at now: Timestamp
  ) throws(CloudError) -> String {
    let end = now.milliseconds + Self.life(isLasting: isLasting)
    return WebAuthToken(
      account: account, isLasting: isLasting, expires: Timestamp(milliseconds: end)
    ).text(by: token, secret: try secret())
  }

  /// Returns the account that a web auth token signs in; nil if the token is invalid or expired, or
  /// belongs to another API token.
  public func signedIn(
    by text: String, of token: APIToken, at now: Timestamp
  ) throws(CloudError) -> WebAuthToken? {
    guard let read = try verified(text, of: token), read.expires.milliseconds > now.milliseconds
    else { return nil }
    return read
  }

  /// The web auth token that replaces a valid one (web-services.md, §0 fact 9); the same for a
  /// second, however often it is asked for.
  public func renewal(
    of text: String, _ signedIn: WebAuthToken, by token: APIToken, at now: Timestamp
  ) throws(CloudError) -> String {
    let secret = try secret()
    if let known = verifiedTokens(secret, { $0.renewal(of: text, at: now) }) { return known }
    let next = try webAuthToken(
      for: signedIn.account, by: token, isLasting: signedIn.isLasting, at: now)
    verifiedTokens(secret) { $0.renew(text, by: next, at: now) }
    return next
  }

  private func verified(_ text: String, of token: APIToken) throws(CloudError) -> WebAuthToken? {
    let secret = try secret()
    if let known = verifiedTokens(secret, { $0.token(text, of: token) }) { return known }
    guard let read = WebAuthToken(text, of: token, secret: secret) else { return nil }
    verifiedTokens(secret) { $0.add(text, read, of: token) }
    return read
  }

  // MARK: Tickets

  /// A text for a URL that only this store can make, for a purpose. No field may contain a NUL.
  public func ticket(_ fields: [String], for purpose: String) throws(CloudError) -> String {
    Base64.encodeURL(SignedTicket.bytes(fields, for: purpose, secret: try secret()))
  }

  /// The fields of a ticket; nil if the text is not a ticket for this purpose.
  public func fields(
    of ticket: String, for purpose: String
  ) throws(CloudError) -> [String]? {
    guard let bytes = Base64.decodeURL(ticket) else { return nil }
    return SignedTicket.fields(of: bytes, for: purpose, secret: try secret())
  }

  private func secret() throws(CloudError) -> [UInt8] {
    let known = try currentAccess().secret
    if !known.isEmpty { return known }
    try changeAccess { _ in }
    return try currentAccess().secret
  }
}

extension Array {
  /// Removes the element that has a text. Throws `unknownItem` unless exactly one fits.
  fileprivate mutating func remove(
    _ text: String, _ what: String, _ texts: (Element) -> [String?]
  ) throws(CloudError) {
    let found = indices.filter { texts(self[$0]).contains(text) }
    guard found.count == 1 else {
      let known = flatMap { texts($0).compactMap(\.self) }
      throw CloudError(
        .unknownItem,
        found.isEmpty
          ? "no \(what) '\(text.visible)'"
          : "\(found.count) have the name '\(text.visible)': write the whole \(what)",
        remedy: .nearest(to: text, among: known))
    }
    remove(at: found[0])
  }
}
