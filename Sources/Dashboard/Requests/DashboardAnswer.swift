#if Server
  public import Basics

  /// The answer to a request for a page.
  public struct DashboardAnswer: Sendable {
    /// The HTTP status.
    public var status = 200
    /// The media type of the body.
    public var type = "text/html; charset=UTF-8"
    /// The body.
    public var body: [UInt8] = []
    /// The contents of an asset, which are sent instead of the body; nil for none.
    public var contents: Contents?
    /// The name under which the browser saves the body; nil to show it.
    public var fileName: String?
    /// The address of a redirection; nil for none.
    public var location: String?
    /// The new value of the cookie; nil to keep it.
    public var cookie: String?
    /// Whether the browser may cache the body.
    public var isKept = false

    /// An open file, and its size in bytes.
    public struct Contents: @unchecked Sendable {
      /// The file, which only the answer uses.
      public let file: FileHandle
      /// Its size.
      public let size: Int64

      init(_ file: FileHandle, _ size: Int64) { (self.file, self.size) = (file, size) }
    }

    static func page(_ html: HTML, status: Int = 200) -> DashboardAnswer {
      DashboardAnswer(status: status, body: Array(html.text.utf8))
    }

    static func file(_ bytes: [UInt8], _ type: String) -> DashboardAnswer {
      DashboardAnswer(type: type, body: bytes, isKept: true)
    }

    static func download(_ bytes: [UInt8], _ type: String, as name: String) -> DashboardAnswer {
      DashboardAnswer(type: type, body: bytes, fileName: name)
    }

    /// A redirection after a form: reloading the page does not send the form again.
    static func redirect(to location: String, cookie: String? = nil) -> DashboardAnswer {
      DashboardAnswer(status: 303, location: location, cookie: cookie)
    }
  }
#endif
