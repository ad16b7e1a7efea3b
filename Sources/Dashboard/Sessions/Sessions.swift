#if Server
  internal import Basics

  /// The browsers that have opened the dashboard. A link with a code that works once gives a
  /// browser a cookie (cli.md §16).
  final class Sessions: Sendable {
    private let state = Locked(State())
    /// The maximum number of sessions, and of codes; a new one replaces the oldest.
    private static let most = 100

    private struct State: Sendable {
      var codes: [String] = []
      var sessions: [(cookie: String, session: Session)] = []
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

    /// Begins a session with a code; returns its cookie, or nil if the code is unknown or was used.
    func begin(with code: String) -> String? {
      let cookie = SystemRandom.bytes(32).hexadecimal
      return state.withLock { state in
        guard let place = state.codes.firstIndex(where: { utf8Equal($0, code) }) else { return nil }
        state.codes.remove(at: place)
        if state.sessions.count == Self.most { state.sessions.removeFirst() }
        state.sessions.append((cookie, Session()))
        return cookie
      }
    }

    /// The session of a cookie; nil for an unknown one.
    subscript(cookie: String) -> Session? {
      state.withLock { $0.sessions.first { utf8Equal($0.cookie, cookie) }?.session }
    }
  }
#endif
