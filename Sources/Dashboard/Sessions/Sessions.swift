#if Server
  internal import Basics

  /// Who has opened the dashboard. A link with a code that works once opens it (cli.md §16): the
  /// browser then has a cookie, and each of its forms a token that no other page knows.
  final class Sessions: Sendable {
    private let state = Locked(State())
    /// The most sessions; the oldest ends for a new one.
    private static let most = 100

    /// A browser that has opened the dashboard.
    struct Session: Sendable {
      /// The value of its cookie.
      let cookie: String
      /// The token of its forms.
      let formToken: String
    }

    private struct State: Sendable {
      var codes: [String] = []
      var sessions: [Session] = []
    }

    /// Makes a code that works once.
    func makeCode() -> String {
      let code = SystemRandom.bytes(16).hexadecimal
      state.withLock { state in
        if state.codes.count == Self.most { state.codes.removeFirst() }
        state.codes.append(code)
      }
      return code
    }

    /// Begins a session with a code; returns nil for one that is unknown or used.
    func begin(with code: String) -> Session? {
      let session = Session(
        cookie: SystemRandom.bytes(32).hexadecimal, formToken: SystemRandom.bytes(32).hexadecimal)
      return state.withLock { state in
        guard let place = state.codes.firstIndex(where: { utf8Equal($0, code) }) else { return nil }
        state.codes.remove(at: place)
        if state.sessions.count == Self.most { state.sessions.removeFirst() }
        state.sessions.append(session)
        return session
      }
    }

    /// The session of a cookie; nil for an unknown one.
    func session(_ cookie: String) -> Session? {
      state.withLock { $0.sessions.first { utf8Equal($0.cookie, cookie) } }
    }
  }
#endif
