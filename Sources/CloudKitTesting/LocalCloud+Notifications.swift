internal import Basics
internal import CloudKit
internal import CloudModel
internal import CloudServices
internal import WireFormat

extension LocalCloud {
  /// The pushes to a device of an account, as an app's delegate gets them:
  /// `CKNotification(fromRemoteNotificationDictionary:)` reads each. They begin with the first push
  /// after this call; a device that is offline gets them when it is online again.
  public func notifications(
    account: String = "me", device: String? = nil, in container: String
  ) -> Notifications {
    let acting = actor(account, device)
    return Notifications(
      PushReader(
        cloud, Result { () throws(CloudError) in try ContainerID(container) }, acting.account,
        acting.device))
  }

  /// The pushes to a device. They end when the task is cancelled.
  public struct Notifications: AsyncSequence, Sendable {
    private let reader: PushReader

    init(_ reader: PushReader) { self.reader = reader }

    /// Begins with the first push that was not read yet.
    public func makeAsyncIterator() -> Iterator { Iterator(reader: reader) }

    /// Reads push by push.
    public struct Iterator: AsyncIteratorProtocol {
      let reader: PushReader

      /// Waits for the next push; nil if the task is cancelled.
      public mutating func next() async -> [AnyHashable: Any]? {
        guard let payload = await reader.next(),
          let push = try? JSONSerialization.jsonObject(with: Data(payload)) as? [String: Any]
        else { return nil }
        return push
      }
    }
  }
}
