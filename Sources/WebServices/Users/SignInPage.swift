#if Server
  internal import Basics
  internal import CloudModel
  internal import CloudServices
  internal import Dashboard
  internal import HTTPTypes
  internal import NIOCore

  /// The page on which a person signs in (W2.1): with a valid API token it lists the accounts of
  /// the store. From another machine it asks for the server's admin token first.
  struct SignInPage {
    let server: WebServer
    let token: APIToken
    /// The page that gets the token; nil if the API token has a callback, or it is unknown.
    let origin: String?
    /// The path of the page.
    let path: String
    /// Whether the request comes from this machine.
    let isLocal: Bool

    /// Reads for which page a person signs in. Throws `WireFailure` without a valid API token,
    /// and for an origin that it does not allow.
    init(_ target: RequestTarget, _ server: WebServer, for client: SocketAddress?) throws {
      guard let text = target["ckAPIToken"], let token = try server.store.apiToken(text) else {
        throw WireFailure(.authenticationFailed, "the page needs a valid ckAPIToken")
      }
      if let origin = target["origin"], !server.origins.allows(origin, by: token) {
        throw WireFailure(.accessDenied, "the API token does not allow this origin")
      }
      (self.server, self.token, origin) = (server, token, target["origin"])
      path = "\(server.settings.basePath)/sign-in"
      isLocal = client?.isOfThisMachine ?? true
    }

    /// The first page.
    func page() throws -> Answer { isLocal ? try accounts() : adminForm() }

    /// The answer to a form of the page.
    func answer(_ form: [UInt8]) throws -> Answer {
      let fields = FormFields(form)
      let admin = fields["adminToken"]
      guard isLocal || admin.map({ server.isAdminToken($0) }) ?? false else {
        throw WireFailure(.accessDenied, "signing in from another machine needs the admin token")
      }
      guard let name = fields["account"] else { return try accounts(admin: admin) }
      return try signIn(name, isLasting: fields["keep"] == "1")
    }

    private var action: String {
      let query = origin.map { "&amp;origin=\($0.asMarkup)" } ?? ""
      return "method=\"post\" action=\"\(path)?ckAPIToken=\(token.text)\(query)\""
    }

    private func adminForm() -> Answer {
      Self.html(
        """
        <h1>Sign in to \(token.container.text.asMarkup)</h1>
        <form \(action)>
        <p><label>Admin token of the server
        <input type="password" name="adminToken" autocomplete="off"></label> <button>Next</button>
        </form>
        """)
    }

    /// The list of accounts.
    private func accounts(admin: String? = nil) throws -> Answer {
      let accounts = try server.store.accounts(for: server.controlRequest)
      let names = Set(accounts.map(\.name)).union(["me"]).sorted(by: utf8Precedes)
      let hidden = admin.map {
        "<input type=\"hidden\" name=\"adminToken\" value=\"\($0.asMarkup)\">"
      }
      let buttons = names.map { name in
        "<li><button name=\"account\" value=\"\(name.asMarkup)\">"
          + "\(name.asMarkup)</button></li>"
      }
      return Self.html(
        """
        <h1>Sign in to \(token.container.text.asMarkup)</h1>
        <form \(action)>\(hidden ?? "")
        <ul>\(buttons.joined())</ul>
        <label><input type="checkbox" name="keep" value="1"> Keep me signed in</label>
        </form>
        """)
    }

    /// Signs an account in: leads to the callback, or gives the token to the page that opened this
    /// one.
    private func signIn(_ name: String, isLasting: Bool) throws -> Answer {
      guard let account = try? Account(name) else {
        throw WireFailure(status: 400, "the form names no account")
      }
      let text = try server.store.webAuthToken(
        for: account, by: token, isLasting: isLasting,
        at: Timestamp(milliseconds: Platform.wallClockMilliseconds))
      if let callback = token.callback {
        var answer = Answer(status: 303)
        let mark = callback.contains("?") ? "&" : "?"
        answer.headers[.location] = "\(callback)\(mark)ckWebAuthToken=\(Self.encoded(text))"
        answer.headers[.cacheControl] = "no-store"
        return answer
      }
      // Only allowed origins get the token, never `*`.
      let origins = origin.map { [$0] } ?? token.origins
      return Self.html(
        """
        <h1>Signed in as \(account.name.asMarkup)</h1>
        <p id="done" data-token="\(text.asMarkup)" \
        data-origins="\(origins.joined(separator: " ").asMarkup)">You can close this page.</p>
        <script src="\(path).js"></script>
        """)
    }

    /// Gives the token to the page that opened this one (W2.1).
    static let script = """
      const done = document.getElementById("done");
      const token = done.dataset.token;
      for (const origin of done.dataset.origins.split(" ").filter(Boolean)) {
        if (window.opener) {
          window.opener.postMessage({ckSession: token, ckWebAuthToken: token}, origin);
        }
      }
      if (window.opener) window.close();

      """

    private static func html(_ body: String) -> Answer {
      var answer = Answer(
        text: """
          <!doctype html>
          <html lang="en"><head><meta charset="utf-8"><title>Sign in</title>
          <meta name="viewport" content="width=device-width"></head>
          <body>
          \(body)
          </body></html>

          """, type: "text/html; charset=UTF-8")
      answer.headers[.contentSecurityPolicy] =
        "default-src 'none'; script-src 'self'; form-action 'self' *; frame-ancestors 'none'; "
        + "base-uri 'none'"
      answer.headers[.cacheControl] = "no-store"
      answer.headers[.referrerPolicy] = "no-referrer"
      return answer
    }

    private static func encoded(_ token: String) -> String {
      token.replacingUTF8("+", with: "%2B").replacingUTF8("/", with: "%2F")
        .replacingUTF8("=", with: "%3D")
    }
  }

  extension SocketAddress {
    /// Whether a peer with this address is on this machine. A socket in the file system has no
    /// address.
    fileprivate var isOfThisMachine: Bool {
      guard let text = ipAddress else { return true }
      return text == "::1" || text.hasPrefix("127.") || text.hasPrefix("::ffff:127.")
    }
  }
#endif
