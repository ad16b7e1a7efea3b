#if Server
  internal import Basics

  /// The browser of the person who started the server.
  enum Browser {
    /// Opens a page; returns false where there is no browser, such as on another machine's
    /// terminal.
    static func open(_ link: String) -> Bool {
      let variables = Platform.environmentVariables
      guard let program = program(variables) else { return false }
      return (try? ChildProcess.start([program, link], variables)) != nil
    }

    /// `BROWSER`, as in other tools, or the system's own program.
    private static func program(_ variables: [String: String]) -> String? {
      if let named = variables["BROWSER"], !named.isEmpty { return named }
      guard Platform.needsDisplay else { return Platform.openingProgram }
      let hasDisplay = ["DISPLAY", "WAYLAND_DISPLAY"].contains { variables[$0]?.isEmpty == false }
      return hasDisplay ? Platform.openingProgram : nil
    }
  }
#endif
