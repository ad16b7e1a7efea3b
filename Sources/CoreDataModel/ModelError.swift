internal import Basics
public import CloudModel

/// An error in a model file, with its position.
public struct ModelError: Error, Sendable, Equatable {
  /// The message, without a final period.
  public let message: String
  /// The position; nil if the file as a whole is meant.
  public let position: TextPosition?
  /// The remedy.
  public let remedy: Remedy?

  init(_ message: String, at position: TextPosition? = nil, remedy: Remedy? = nil) {
    self.message = message
    self.position = position
    self.remedy = remedy
  }
}
