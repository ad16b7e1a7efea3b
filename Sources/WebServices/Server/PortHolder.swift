#if Server
  internal import Basics

  /// The process that listens on a port, on systems with `/proc`.
  enum PortHolder {
    /// The process ID and the name; nil if they cannot be found out.
    static func find(_ port: Int) -> String? {
      guard
        let socket = ["/proc/net/tcp", "/proc/net/tcp6"].lazy.compactMap({ inode(port, $0) }).first
      else { return nil }
      for name in (try? FileSystem.list("/proc")) ?? [] where Int(name) != nil {
        let folder = "/proc/\(name)/fd"
        for descriptor in (try? FileSystem.list(folder)) ?? []
        where FileSystem.target(ofLink: "\(folder)/\(descriptor)") == "socket:[\(socket)]" {
          let program = (try? FileSystem.contents(of: "/proc/\(name)/comm")) ?? []
          let text = String(decoding: program.prefix { $0 != 0x0A }, as: UTF8.self)
          return "\(text.isEmpty ? "a process" : text), process \(name)"
        }
      }
      return nil
    }

    /// The inode of the socket that listens on a port, in a table of the kernel: its second column
    /// ends with the port, the fourth is 0A, the tenth the inode.
    private static func inode(_ port: Int, _ table: String) -> String? {
      let digits = String(port, radix: 16, uppercase: true)
      let end = ":" + String(repeating: "0", count: max(0, 4 - digits.count)) + digits
      let text = String(decoding: (try? FileSystem.contents(of: table)) ?? [], as: UTF8.self)
      for line in text.split(separator: "\n").dropFirst() {
        let columns = line.split(separator: " ")
        if columns.count > 9, columns[1].hasSuffix(end), columns[3] == "0A" {
          return String(columns[9])
        }
      }
      return nil
    }
  }
#endif
