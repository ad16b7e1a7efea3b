#if Server
  internal import Basics

  /// The browser of the user who started the server.
  enum Browser {
    /// Opens a page; returns false if no browser is available, for example in an SSH session.
    static func open(_ link: String) -> Bool {
      let variables = Platform.environmentVariables
      guard let program = program(variables) else { return false }
      return (try? ChildProcess.start([program, link], variables)) != nil
    }

    /// The program that `BROWSER` names, or the system's.
    private static func program(_ variables: [String: String]) -> String? {
      if let named = variables["BROWSER"], !named.isEmpty { return named }
      guard Platform.needsDisplay else { return Platform.openingProgram }
      let hasDisplay = ["DISPLAY", "WAYLAND_DISPLAY"].contains { variables[$0]?.isEmpty == false }
      return hasDisplay ? Platform.openingProgram : nil
    }
  }
#endif
