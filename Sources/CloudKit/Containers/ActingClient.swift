internal import Basics
package import CloudModel
internal import CloudServices
internal import Foundation

/// Who acts where code names no account: the process, or the task that runs as another account.
package struct ActingClient: Sendable {
  /// The cloud. An error is that of each request.
  private let cloud: Result<Cloud, CloudError>
  private let account: Account?
  private let device: Device
  private let container: String?
  private let containers: Containers

  /// The task's, which a container keeps that is made inside.
  @TaskLocal static var ofTask: ActingClient?
  private static let ofProcess = ActingClient(ProcessCloud.shared)

  /// The task's, else the process's.
  static var current: ActingClient { ofTask ?? ofProcess }

  /// The cloud of the process. Throws the error of its first use.
  package static func cloudOfProcess() throws(CloudError) -> Cloud { try ofProcess.cloud.get() }

  /// Acts as an account on a device in a container; without one, in the cloud's own.
  package init(
    in cloud: Cloud, as account: Account?, on device: Device, container: String?
  ) {
    self.cloud = .success(cloud)
    (self.account, self.device, self.container) = (account, device, container)
    containers = Containers()
  }

  private init(_ defaults: Result<ProcessCloud.Defaults, CloudError>) {
    cloud = defaults.map(\.cloud)
    let known = try? defaults.get()
    (account, device) = (known?.account, known?.device ?? .cli)
    (container, containers) = (known?.container, Containers())
  }

  /// Runs `body` as this client.
  package func run<T>(
    isolation: isolated (any Actor)? = #isolation, _ body: () async throws -> T
  ) async rethrows -> T {
    try await Self.$ofTask.withValue(self, operation: body)
  }

  /// The app of a container.
  func client(of identifier: String) -> Client {
    let container = cloud.flatMap { _ in
      Result { () throws(CloudError) in try ContainerID(identifier) }
    }
    return Client(
      known: try? cloud.get(), container: container, account: account, device: device)
  }

  /// The same container each time.
  func defaultContainer() -> CKContainer {
    containers.default {
      let identifier = container ?? only ?? Self.ofProgram
      return CKContainer(client(of: identifier), identifier)
    }
  }

  /// The key-value store of the default container: the same each time.
  var keyValueStore: NSUbiquitousKeyValueStore {
    let client = defaultContainer().client
    return containers.keyValueStore { NSUbiquitousKeyValueStore(client) }
  }

  /// The only container of the cloud; nil for none or several.
  private var only: String? {
    guard let all = try? cloud.get().store.containers(), all.count == 1 else { return nil }
    return all[0].text
  }

  /// `iCloud.` and the name of the program, without what no identifier can contain.
  private static var ofProgram: String {
    let name = ProcessInfo.processInfo.processName.utf8.map { byte in
      byte.isIdentifierByte || byte == UInt8(ascii: "-") || byte == UInt8(ascii: ".")
        ? byte : UInt8(ascii: "-")
    }
    return "iCloud." + String(decoding: name, as: UTF8.self)
  }
}

/// The default container of a client, which is decided once, and its key-value store.
private final class Containers: Sendable {
  private let known = Locked<CKContainer?>(nil)
  private let keys = Locked<NSUbiquitousKeyValueStore?>(nil)

  func keyValueStore(_ make: () -> NSUbiquitousKeyValueStore) -> NSUbiquitousKeyValueStore {
    keys.withLock { known in
      let store = known ?? make()
      known = store
      return store
    }
  }

  func `default`(_ make: () -> CKContainer) -> CKContainer {
    known.withLock { known in
      let container = known ?? make()
      known = container
      return container
    }
  }
}
