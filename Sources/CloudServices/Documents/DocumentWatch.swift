internal import Basics
public import CloudModel
internal import StoreFiles
internal import UbiquityStore

/// Watches the events of a device's documents, including those that other processes cause.
public final class DocumentWatch {
  private let documents: DocumentStore
  private let watch: UbiquityWatch
  private var last: Int64

  /// Begins after an event number; nil for the last event.
  public init(_ documents: DocumentStore, after number: Int64?) throws(CloudError) {
    self.documents = documents
    let watch = try UbiquityWatch(documents)
    self.watch = watch
    if let number { last = number } else { last = try serving { try watch.lastSequence() } }
  }

  /// Passes the next events to `body` until it returns false. Returns false when the time `end`
  /// passes first (`Platform.monotonicMilliseconds`; nil for no limit). Throws `operationCancelled`
  /// when interrupted, and what `body` throws.
  public func next(until end: Int64?, _ body: (DocumentEvent) throws -> Bool) throws -> Bool {
    try documents.request.follow(until: end) {
      try documents.events(after: last)
    } wait: {
      try watch.wait($0)
    } _: { event in
      last = event.number
      return try body(event)
    }
  }
}
