#if Server
  internal import CloudModel
  internal import CloudServices

  /// Who sends a request.
  enum Caller: Sendable {
    /// A page or an app without a user.
    case nobody(APIToken)
    /// A user who signed in on a page or in an app.
    case user(WebAuthToken, APIToken)
    /// A program with a server-to-server key.
    case key(ServerKey)

    /// The account that acts; nil without a user.
    var account: Account? {
      switch self {
      case .nobody: nil
      case .user(let signedIn, _): signedIn.account
      case .key(let key): key.account
      }
    }

    /// The API token; nil for a key.
    var token: APIToken? {
      switch self {
      case .nobody(let token), .user(_, let token): token
      case .key: nil
      }
    }

    /// The caller in the log.
    var text: String {
      switch self {
      case .nobody: "nobody"
      case .user(let signedIn, _): signedIn.account.name
      case .key(let key): key.name.map { "key \($0)" } ?? key.account.name
      }
    }
  }
#endif
