internal import Basics

/// The pages of a feed or a query: a thread fetches the next one while one is worked on.
final class PageStream {
  private let fetch: @Sendable (String?) throws -> RemoteDatabase.Page
  private let channel = Channel<Result<RemoteDatabase.Page, any Error>>(capacity: 1)
  private let first: String?
  /// The token of the page that is worked on, or was to be fetched.
  private(set) var token: String?

  /// Begins with a token; `fetch` returns the page after one.
  init(
    from token: String?, _ fetch: @escaping @Sendable (String?) throws -> RemoteDatabase.Page
  ) {
    (first, self.token, self.fetch) = (token, token, fetch)
  }

  /// Passes each page to `body`. Throws what `fetch` and `body` throw.
  func forEach(_ body: (RemoteDatabase.Page) throws -> Void) throws {
    let (channel, fetch, first) = (channel, fetch, first)
    let worker = try Worker {
      defer { channel.close() }
      var token = first
      while true {
        let page = Result { try fetch(token) }
        guard channel.send(page), let page = try? page.get(), !page.isLast else { return }
        token = page.token
      }
    }
    defer {
      channel.close()
      worker.join()
    }
    while let result = channel.receive() {
      let page = try result.get()
      try body(page)
      token = page.token
    }
  }
}
