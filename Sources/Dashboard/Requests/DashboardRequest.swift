#if Server
  public import CloudModel
  public import CloudServices

  /// A browser's request for a page.
  public struct DashboardRequest: Sendable {
    /// Whether it posts a form.
    public var isForm: Bool
    /// The parts of the path below the dashboard, decoded.
    public var path: [String]
    /// The query parameters.
    public var query: FormFields
    /// The fields of the form.
    public var form: FormFields
    /// The scheme, host and port of the server.
    public var origin: String
    /// The value of the dashboard's cookie; nil for none.
    public var cookie: String?
    /// The id of the last event that a browser got before its connection broke; nil for none.
    public var lastEvent: String?
    /// The server.
    public var server: any DashboardServer
    /// Creates the request to the services for an account and a device.
    public var serving: @Sendable (Account?, Device) -> Request

    /// Creates a request.
    public init(
      isForm: Bool, path: [String], query: FormFields, form: FormFields, origin: String,
      cookie: String?, lastEvent: String?, server: any DashboardServer,
      serving: @escaping @Sendable (Account?, Device) -> Request
    ) {
      (self.isForm, self.path, self.query, self.form) = (isForm, path, query, form)
      (self.origin, self.cookie, self.lastEvent) = (origin, cookie, lastEvent)
      (self.server, self.serving) = (server, serving)
    }
  }
#endif
