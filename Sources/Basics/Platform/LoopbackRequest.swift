#if canImport(Glibc)
  internal import Glibc
#elseif canImport(Darwin)
  internal import Darwin
#endif

/// An HTTP request to a server on this machine: a POST whose response is only a status.
///
/// Our own, because an HTTP library would be larger than the rest of the program, and nothing
/// leaves the machine: it has no TLS and follows no redirects or proxies.
public struct LoopbackRequest: Sendable {
  private let host: String
  private let port: UInt16
  private let path: String

  /// Parses an address: `http://127.0.0.1:PORT/PATH`, also with `localhost` or `[::1]`. Nil if it
  /// does not lead to this machine.
  public init?(_ address: String) {
    guard address.hasPrefix("http://") else { return nil }
    let rest = address.dropFirst("http://".count)
    let authority = rest.prefix { $0 != "/" && $0 != "?" && $0 != "#" }
    let target = rest.dropFirst(authority.count).prefix { $0 != "#" }
    guard target.utf8.allSatisfy({ $0 > 0x20 && $0 < 0x7F }) else { return nil }
    path = target.isEmpty ? "/" : target.hasPrefix("/") ? String(target) : "/" + target
    guard let host = Self.hosts.first(where: { authority == $0 || authority.hasPrefix($0 + ":") })
    else { return nil }
    let number = authority.dropFirst(host.count + 1)
    guard number.isEmpty || number.utf8.allSatisfy({ $0 >= 0x30 && $0 <= 0x39 }),
      let port = number.isEmpty ? 80 : UInt16(number), port > 0
    else { return nil }
    (self.host, self.port) = (host, port)
  }

  private static let hosts = ["127.0.0.1", "localhost", "[::1]"]

  /// Sends a body with some headers and returns the status of the response; nil if no server
  /// responds before an interruption.
  public func post(
    _ body: [UInt8], headers: [(name: String, value: String)], _ interruption: Interruption
  ) -> Int? {
    guard let connection = connect(interruption) else { return nil }
    defer { close(connection) }
    var head = "POST \(path) HTTP/1.1\r\nHost: \(host):\(port)\r\nConnection: close\r\n"
    head += "Content-Length: \(body.count)\r\n"
    for (name, value) in headers { head += "\(name): \(value)\r\n" }
    guard send(Array((head + "\r\n").utf8) + body, by: connection, interruption) else { return nil }
    return status(from: connection, interruption)
  }

  private func connect(_ interruption: Interruption) -> Int32? {
    #if canImport(Glibc)
      let stream = Int32(SOCK_STREAM.rawValue) | Int32(SOCK_CLOEXEC.rawValue)
    #else
      let stream = SOCK_STREAM
    #endif
    // A server on localhost may listen on only one of the two addresses.
    for isNew in host == "localhost" ? [false, true] : [host == "[::1]"] {
      let connection = socket(isNew ? AF_INET6 : AF_INET, stream, 0)
      guard connection >= 0 else { continue }
      _ = fcntl(connection, F_SETFL, O_NONBLOCK)
      if isNew ? connectNew(connection) : connectOld(connection) { return connection }
      if errno == EINPROGRESS, Self.wait(for: Int32(POLLOUT), on: connection, interruption),
        Self.isConnected(connection)
      {
        return connection
      }
      close(connection)
    }
    return nil
  }

  private func connectOld(_ connection: Int32) -> Bool {
    var address = sockaddr_in()
    address.sin_family = sa_family_t(AF_INET)
    address.sin_port = port.bigEndian
    address.sin_addr.s_addr = UInt32(0x7F00_0001).bigEndian
    return Self.connect(connection, &address)
  }

  private func connectNew(_ connection: Int32) -> Bool {
    var address = sockaddr_in6()
    address.sin6_family = sa_family_t(AF_INET6)
    address.sin6_port = port.bigEndian
    address.sin6_addr = in6addr_loopback
    return Self.connect(connection, &address)
  }

  private static func connect<Address>(_ connection: Int32, _ address: inout Address) -> Bool {
    withUnsafePointer(to: &address) { pointer in
      pointer.withMemoryRebound(to: sockaddr.self, capacity: 1) {
        #if canImport(Glibc)
          Glibc.connect(connection, $0, socklen_t(MemoryLayout<Address>.size)) == 0
        #else
          Darwin.connect(connection, $0, socklen_t(MemoryLayout<Address>.size)) == 0
        #endif
      }
    }
  }

  /// Waits until a connection is ready for `events` of poll(2); returns false if an interruption or
  /// an error comes first.
  private static func wait(
    for events: Int32, on connection: Int32, _ interruption: Interruption
  ) -> Bool {
    while !interruption.isRaised {
      var entry = pollfd(fd: connection, events: Int16(events), revents: 0)
      let count = poll(&entry, 1, Int32(interruption.limit(50)))
      if count > 0 { return true }
      if count < 0, errno != EINTR { return false }
    }
    return false
  }

  private static func isConnected(_ connection: Int32) -> Bool {
    var code: Int32 = 0
    var size = socklen_t(MemoryLayout<Int32>.size)
    return getsockopt(connection, SOL_SOCKET, SO_ERROR, &code, &size) == 0 && code == 0
  }

  private func send(_ bytes: [UInt8], by connection: Int32, _ interruption: Interruption) -> Bool {
    #if canImport(Glibc)
      let flags = Int32(MSG_NOSIGNAL)
    #else
      let flags: Int32 = 0
    #endif
    return bytes.withUnsafeBytes { buffer in
      var done = 0
      while done < buffer.count {
        let part = UnsafeRawBufferPointer(rebasing: buffer[done...])
        #if canImport(Glibc)
          let count = Glibc.send(connection, part.baseAddress, part.count, flags)
        #else
          let count = Darwin.send(connection, part.baseAddress, part.count, flags)
        #endif
        if count < 0, errno == EINTR { continue }
        if count < 0, errno == EAGAIN, Self.wait(for: Int32(POLLOUT), on: connection, interruption)
        {
          continue
        }
        guard count > 0 else { return false }
        done += count
      }
      return true
    }
  }

  /// The number in the first line of the response: `HTTP/1.1 200 OK`.
  private func status(from connection: Int32, _ interruption: Interruption) -> Int? {
    var line: [UInt8] = []
    var byte: UInt8 = 0
    while line.count < 256 {
      let count = recv(connection, &byte, 1, 0)
      if count < 0, errno == EINTR { continue }
      if count < 0, errno == EAGAIN, Self.wait(for: Int32(POLLIN), on: connection, interruption) {
        continue
      }
      guard count == 1, byte != UInt8(ascii: "\n") else { break }
      line.append(byte)
    }
    let words = String(decoding: line, as: UTF8.self).split(separator: " ")
    guard words.count >= 2, words[0].hasPrefix("HTTP/1."), words[1].count == 3 else { return nil }
    return Int(words[1])
  }
}
