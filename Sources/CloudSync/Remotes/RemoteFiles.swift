internal import Basics
internal import CloudModel

#if canImport(Glibc)
  internal import Glibc
#elseif canImport(Darwin)
  internal import Darwin
#endif

/// The user's remotes: a file for each, `$XDG_CONFIG_HOME/ckdb/remotes/NAME.json`, which only its
/// owner may read.
public struct RemoteFiles: Sendable {
  private let folder: String

  /// The remotes of a folder.
  public init(folder: String) { self.folder = folder }

  /// The path of a remote's file.
  public func path(of name: RemoteName) -> String { "\(folder)/\(name.text).json" }

  /// The names of all remotes, in byte order.
  public func names() throws -> [RemoteName] {
    guard try FileSystem.hasFolder(at: folder) else { return [] }
    return try FileSystem.list(folder).filter { $0.hasSuffix(".json") }
      .sorted(by: utf8Precedes).compactMap { try? RemoteName(String($0.dropLast(5))) }
  }

  /// The settings of a remote. Throws `permissionFailure` for a file that others may read or write,
  /// `invalidArguments` for one that is not a remote's, `unknownItem` for none.
  public func settings(of name: RemoteName) throws -> RemoteSettings {
    let path = path(of: name)
    guard FileSystem.exists(path) else { throw try unknown(name) }
    let file = try FileHandle(openRegular: path)
    let status = try file.status()
    guard status.st_mode & 0o077 == 0, status.st_uid == geteuid() else {
      throw CloudError(
        .permissionFailure,
        "\(path) contains secrets, and others than its owner may read or write it",
        remedy: .advice("chmod 600 '\(path)'"))
    }
    let bytes = try FileSystem.contents(of: path)
    guard let json = try? bytes.withUnsafeBytes({ try JSONParser.parse($0) }),
      let settings = RemoteSettings(json, name)
    else { throw CloudError(.invalidArguments, "\(path) is not the file of a remote") }
    return settings
  }

  private func unknown(_ name: RemoteName) throws -> CloudError {
    let near = Suggestion.nearest(to: name.text, among: try names().map(\.text), slips: 2)
    return CloudError(
      .unknownItem, "Remote '\(name.text)' does not exist",
      remedy: near.map { .similarName($0) } ?? .addRemote)
  }

  /// Whether there is a remote of the name.
  public func has(_ name: RemoteName) -> Bool { FileSystem.exists(path(of: name)) }

  /// Writes the settings of a remote.
  public func write(_ settings: RemoteSettings) throws {
    try FileSystem.makeDirectories(folder)
    guard chmod(folder, 0o700) == 0 else { throw SystemError("protect", folder) }
    let path = path(of: settings.name)
    let draft = path + ".new"
    _ = try? FileSystem.remove(draft)
    let file = try FileHandle(create: draft)
    try file.writeAll(Array((settings.json.text + "\n").utf8))
    try file.synchronize()
    try FileSystem.rename(draft, to: path)
  }

  /// Removes a remote. Throws `unknownItem` for none.
  public func remove(_ name: RemoteName) throws {
    guard has(name) else { throw try unknown(name) }
    try FileSystem.remove(path(of: name))
  }
}

extension RemoteSettings {
  fileprivate init?(_ json: JSONValue, _ name: RemoteName) {
    guard let url = json["url"]?.string,
      let container = json["container"]?.string.flatMap({ try? ContainerID($0) }),
      let environment = json["environment"]?.string.flatMap({
        CloudModel.Environment(rawValue: $0)
      })
    else { return nil }
    let credentials: RemoteCredentials
    if let id = json["keyID"]?.string, let pem = json["key"]?.string {
      credentials = .key(id: id, pem: pem)
    } else if let token = json["apiToken"]?.string {
      credentials = .token(token, webAuthToken: json["webAuthToken"]?.string)
    } else {
      return nil
    }
    self.init(name, url: url, container, environment, credentials)
  }

  fileprivate var json: JSONValue {
    var members = [
      JSONMember("url", .string(url)), JSONMember("container", .string(container.text)),
      JSONMember("environment", .string(environment.rawValue)),
    ]
    switch credentials {
    case .key(let id, let pem):
      members += [JSONMember("keyID", .string(id)), JSONMember("key", .string(pem))]
    case .token(let token, let webAuthToken):
      members.append(JSONMember("apiToken", .string(token)))
      if let webAuthToken { members.append(JSONMember("webAuthToken", .string(webAuthToken))) }
    }
    return .object(members)
  }
}
