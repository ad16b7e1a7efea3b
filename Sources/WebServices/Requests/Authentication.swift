#if Server
  internal import Basics
  internal import CloudModel
  internal import CloudServices
  internal import Crypto
  internal import HTTPTypes

  /// Identifies the caller of a request (web-services.md, §2).
  struct Authentication {
    let store: CloudStore
    let container: ContainerID
    let environment: Environment
    let target: RequestTarget
    let headers: HTTPFields

    /// The API token of a request, which preflight requests have, too; nil for none. Throws
    /// `WireFailure` for one of another environment.
    func token() throws -> APIToken? {
      guard let text = target["ckAPIToken"], !text.isEmpty, text != "null" else { return nil }
      guard let token = try store.apiToken(text), token.container == container,
        token.environment == environment
      else { throw WireFailure(.authenticationFailed, "Authentication failed") }
      return token
    }

    /// Returns the caller. Throws `WireFailure`.
    func caller(_ token: APIToken?, body: [UInt8]) throws -> Caller {
      let keyID = headers[.keyID]
      guard let token else {
        guard let keyID else { throw WireFailure(.authenticationFailed, "no auth method found") }
        return .key(try key(keyID, body))
      }
      guard keyID == nil else {
        throw WireFailure(
          .authenticationFailed, "an API token and a signature cannot be used together")
      }
      guard let text = webAuthToken else { return .nobody(token) }
      guard let signedIn = try store.signedIn(by: text, of: token, at: now) else {
        throw WireFailure(.authenticationRequired, "request needs authorization")
      }
      return .user(signedIn, token)
    }

    /// The web auth token that the answer brings; nil without a user.
    func renewedToken(for caller: Caller) throws(CloudError) -> String? {
      guard case .user(let signedIn, let token) = caller, let text = webAuthToken else {
        return nil
      }
      return try store.renewal(of: text, signedIn, by: token, at: now)
    }

    /// CloudKit JS 1 calls it ckSession, and sends null while signed out.
    private var webAuthToken: String? {
      let text = target["ckWebAuthToken"] ?? target["ckSession"]
      guard let text, !text.isEmpty, text != "null" else { return nil }
      return text
    }

    private var now: Timestamp { Timestamp(milliseconds: Platform.wallClockMilliseconds) }

    // MARK: Signatures

    /// How far from now the date of a signature may be.
    private static let signatureMilliseconds: Int64 = 600_000

    private func key(_ id: String, _ body: [UInt8]) throws -> ServerKey {
      func failure(_ reason: String) -> WireFailure {
        WireFailure(.authenticationFailed, "Authentication failed: \(reason)")
      }
      guard let key = try store.serverKey(id), key.container == container,
        key.environment == environment
      else { throw failure("the key is unknown in this environment") }
      guard let date = headers[.signatureDate], let time = Timestamp(date) else {
        throw failure("the date of the signature is missing or no date")
      }
      guard abs(time.milliseconds - Platform.wallClockMilliseconds) <= Self.signatureMilliseconds
      else { throw failure("the signature has expired") }
      let hash = Base64.encode(Basics.SHA256.hash(body))
      let message = Array("\(date):\(hash):\(target.raw)".utf8)
      guard let text = headers[.signature], let bytes = Base64.decode(text),
        let signature = try? P256.Signing.ECDSASignature(derRepresentation: bytes),
        let publicKey = try? P256.Signing.PublicKey(x963Representation: key.publicKey),
        publicKey.isValidSignature(signature, for: message)
      else { throw failure("the signature does not match") }
      return key
    }
  }
#endif
