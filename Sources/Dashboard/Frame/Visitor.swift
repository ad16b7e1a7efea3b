#if Server
  internal import CloudModel
  internal import CloudServices

  /// The browser of a request, and what the server lets it do.
  struct Visitor {
    let store: CloudStore
    let session: Session
    let counts: RecordCounts
    let usage: UsageCache
    let server: any DashboardServer
    /// The prefix of all paths.
    let base: String
    /// The scheme, host and port of the server, for commands that fetch from it.
    let origin: String
    /// Whether the server only shows the store.
    let isReadOnly: Bool
    /// The action that led to the page; nil for none.
    let done: (number: Int, action: Done)?
    /// Creates the request to the services for an account and a device.
    let serving: @Sendable (Account?, Device) -> Request

    static let readOnly = "The server only shows the store (--read-only)."

    /// The field that every form of an action carries.
    var formToken: HTML { .hidden("token", session.formToken) }

    /// A request that does not belong to an account of a place.
    var request: Request { serving(Place.usualAccount, .cli) }

    /// Throws `invalidArguments` if the store cannot be changed.
    func requireChangeable() throws(CloudError) {
      if isReadOnly { throw CloudError(.invalidArguments, Self.readOnly) }
    }
  }
#endif
