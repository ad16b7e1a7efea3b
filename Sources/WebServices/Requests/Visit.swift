#if Server
  internal import CloudModel
  internal import CloudServices
  internal import HTTPTypes

  /// What is known about a request, from its head to its answer.
  struct Visit {
    let id = RequestID()
    let method: String
    let isPreflight: Bool
    var path = "-"
    var endpoint: String?
    var base = ""
    var caller: Caller?
    var call: Call?
    /// The container and the environment that the path names; nil outside of Web Services.
    var place: (container: String, environment: String)?
    /// The requests to the services, which know the faults that struck them.
    var served: [CloudServices.Request] = []
    var allowedOrigin: String?
    var renewedToken: String?
    /// The API token, and the page that sent it.
    var signingIn: (token: APIToken, origin: String?)?

    init(_ head: HTTPRequest) {
      method = head.method.rawValue
      isPreflight = head.method == .options
    }

    /// The origin of the server itself.
    var origin: Substring {
      let parts = base.split(separator: "/", maxSplits: 3, omittingEmptySubsequences: false)
      return parts.count < 3 ? "" : base[..<parts[2].endIndex]
    }

    /// Where a person signs in for the API token, and to which page the token is posted; nil
    /// without one.
    var signInURL: String? {
      signingIn.map { token, origin in
        let page = origin.map { "&origin=\($0)" } ?? ""
        return "\(base)/sign-in?ckAPIToken=\(token.text)\(page)"
      }
    }
  }
#endif
