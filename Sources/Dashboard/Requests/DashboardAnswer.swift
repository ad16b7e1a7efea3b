#if Server
  /// What the dashboard answers.
  public struct DashboardAnswer: Sendable {
    /// The status of HTTP.
    public var status = 200
    /// The type of the body.
    public var type = "text/html; charset=UTF-8"
    /// The body.
    public var body: [UInt8] = []
    /// Where the browser goes next; nil to stay.
    public var location: String?
    /// A new value of the cookie; nil to leave it.
    public var cookie: String?
    /// Whether the browser may keep the body.
    public var isKept = false

    static func page(_ html: HTML, status: Int = 200) -> DashboardAnswer {
      DashboardAnswer(status: status, body: Array(html.text.utf8))
    }

    static func file(_ bytes: [UInt8], _ type: String) -> DashboardAnswer {
      DashboardAnswer(type: type, body: bytes, isKept: true)
    }

    /// After a form: the browser gets the page, and going back does not send the form again.
    static func redirect(to location: String, cookie: String? = nil) -> DashboardAnswer {
      DashboardAnswer(status: 303, location: location, cookie: cookie)
    }
  }
#endif
