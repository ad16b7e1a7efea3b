#if Server
  internal import Basics
  internal import CloudModel
  internal import CloudServices
  internal import HTTPTypes

  /// The page on which a person signs in (W2.1): it lists the accounts of the store to everybody
  /// who comes with a valid API token.
  struct SignInPage {
    let server: WebServer
    let token: APIToken
    /// The page that gets the token; nil if the API token has a callback, or it is unknown.
    let origin: String?
    /// The path of the page.
    let path: String

    /// Finds out for which page a person signs in. Throws `WireFailure` without a valid API token,
    /// and for an origin that it does not allow.
    init(_ target: RequestTarget, _ server: WebServer) throws {
      guard let text = target["ckAPIToken"], let token = try server.store.apiToken(text) else {
        throw WireFailure(.authenticationFailed, "the page needs a valid ckAPIToken")
      }
      if let origin = target["origin"], !server.origins.allows(origin, by: token) {
        throw WireFailure(.accessDenied, "the API token does not allow this origin")
      }
      (self.server, self.token, origin) = (server, token, target["origin"])
      path = "\(server.settings.basePath)/sign-in"
    }

    /// The list of accounts.
    func page() throws -> Answer {
      let accounts = try server.store.accounts(for: server.controlRequest)
      let names = Set(accounts.map(\.name)).union(["me"]).sorted(by: utf8Precedes)
      let query = origin.map { "&amp;origin=\(Self.escaped($0))" } ?? ""
      let buttons = names.map { name in
        "<li><button name=\"account\" value=\"\(Self.escaped(name))\">"
          + "\(Self.escaped(name))</button></li>"
      }
      return Self.html(
        """
        <h1>Sign in to \(Self.escaped(token.container.text))</h1>
        <form method="post" action="\(path)?ckAPIToken=\(token.text)\(query)">
        <ul>\(buttons.joined())</ul>
        <label><input type="checkbox" name="keep" value="1"> Keep me signed in</label>
        </form>
        """)
    }

    /// Signs an account in: leads to the callback, or gives the token to the page that opened this
    /// one.
    func signIn(_ form: [UInt8]) throws -> Answer {
      let fields = RequestTarget("/?" + String(decoding: form, as: UTF8.self))
      guard let name = fields?["account"]?.replacing("+", with: " "),
        let account = try? Account(name)
      else { throw WireFailure(status: 400, "the form names no account") }
      let text = try server.store.webAuthToken(
        for: account, by: token, isLasting: fields?["keep"] == "1",
        at: Timestamp(milliseconds: Platform.wallClockMilliseconds))
      if let callback = token.callback {
        var answer = Answer(status: 303)
        let mark = callback.contains("?") ? "&" : "?"
        answer.headers[.location] = "\(callback)\(mark)ckWebAuthToken=\(Self.encoded(text))"
        answer.headers[.cacheControl] = "no-store"
        return answer
      }
      // Only the allowed pages may get it: never any page (`*`).
      let origins = origin.map { [$0] } ?? token.origins
      return Self.html(
        """
        <h1>Signed in as \(Self.escaped(account.name))</h1>
        <p id="done" data-token="\(Self.escaped(text))" \
        data-origins="\(Self.escaped(origins.joined(separator: " ")))">You can close this page.</p>
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

    private static func escaped(_ text: String) -> String {
      var safe = ""
      for scalar in text.unicodeScalars {
        switch scalar {
        case "&": safe += "&amp;"
        case "<": safe += "&lt;"
        case ">": safe += "&gt;"
        case "\"": safe += "&quot;"
        case "'": safe += "&#39;"
        default: safe.unicodeScalars.append(scalar)
        }
      }
      return safe
    }

    private static func encoded(_ token: String) -> String {
      token.replacing("+", with: "%2B").replacing("/", with: "%2F").replacing("=", with: "%3D")
    }
  }
#endif
