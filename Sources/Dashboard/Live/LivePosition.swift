#if Server
  internal import CloudModel

  /// How far a live page has come. It is the id of an event, after which a page that lost its
  /// connection continues: `RUN-REQUEST-CHANGE-NOTIFICATION`.
  struct LivePosition {
    /// The run of the server, which numbers its requests from 1.
    var run: UInt64
    /// The numbers of the last request, change and notification.
    var request, change, notification: Int64

    init(run: UInt64, request: Int64, change: Int64, notification: Int64) {
      (self.run, self.request) = (run, request)
      (self.change, self.notification) = (change, notification)
    }

    /// Parses the text of a position.
    init?(_ text: String) {
      let parts = text.split(separator: "-")
      guard parts.count == 4, let run = UInt64(parts[0]), let request = Int64(parts[1]),
        let change = Int64(parts[2]), let notification = Int64(parts[3])
      else { return nil }
      self.init(run: run, request: request, change: change, notification: notification)
    }

    var text: String { "\(run)-\(request)-\(change)-\(notification)" }
  }

  /// What a live page shows.
  struct LiveFilter {
    /// The kinds of events; all if none is chosen.
    var kinds: Set<Kind>
    /// Whether only failed requests are shown.
    var onlyErrors: Bool
    /// A text that the events contain; empty for all.
    var text: String

    /// The kinds of events.
    enum Kind: String, CaseIterable {
      case request, change, push

      var label: String {
        switch self {
        case .request: "requests"
        case .change: "changes"
        case .push: "notifications"
        }
      }
    }

    init(_ query: FormFields) {
      let chosen = Set(query.all("show").compactMap(Kind.init))
      kinds = chosen.isEmpty ? Set(Kind.allCases) : chosen
      (onlyErrors, text) = (query["errors"] != nil, query["text"] ?? "")
    }

    /// The parameters of an address with this filter.
    var parameters: [(name: String, value: String?)] {
      let shown =
        kinds.count == Kind.allCases.count ? [] : Kind.allCases.filter(kinds.contains)
      return shown.map { ("show", $0.rawValue) }
        + [("errors", onlyErrors ? "1" : nil), ("text", text.isEmpty ? nil : text)]
    }

    /// Whether one of the texts contains the text that is looked for.
    func matches(_ texts: String?...) -> Bool {
      text.isEmpty || texts.contains { $0?.containsIgnoringCase(text) ?? false }
    }
  }

  extension String {
    /// Whether the text contains another, ignoring the case of ASCII letters.
    fileprivate func containsIgnoringCase(_ other: String) -> Bool {
      func folded(_ text: String) -> [UInt8] {
        text.utf8.map { (0x41...0x5A).contains($0) ? $0 + 0x20 : $0 }
      }
      return folded(self).contains(folded(other))
    }
  }
#endif
