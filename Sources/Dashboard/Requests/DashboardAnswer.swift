#if Server
  /// The answer to a request for a page.
  public struct DashboardAnswer: Sendable {
    /// The HTTP status.
    public var status = 200
    /// The media type of the body.
    public var type = "text/html; charset=UTF-8"
    /// The body.
    public var body: [UInt8] = []
    /// The address of a redirection; nil for none.
    public var location: String?
    /// The new value of the cookie; nil to keep it.
    public var cookie: String?
    /// Whether the browser may cache the body.
    public var isKept = false

    static func page(_ html: HTML, status: Int = 200) -> DashboardAnswer {
      DashboardAnswer(status: status, body: Array(html.text.utf8))
    }

    static func file(_ bytes: [UInt8], _ type: String) -> DashboardAnswer {
      DashboardAnswer(type: type, body: bytes, isKept: true)
    }

    /// A redirection after a form: reloading the page does not send the form again.
    static func redirect(to location: String, cookie: String? = nil) -> DashboardAnswer {
      DashboardAnswer(status: 303, location: location, cookie: cookie)
    }
  }
#endif
