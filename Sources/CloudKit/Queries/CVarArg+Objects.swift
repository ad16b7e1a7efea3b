public import CoreLocation
public import Foundation

// On Apple's platforms every object, and every value that converts to one, can be an argument of
// `NSPredicate(format:)`. Foundation on Linux has only numbers and texts.

/// An argument of a format: an object, which whoever calls keeps.
private func words(of object: AnyObject) -> [Int] {
  [Int(bitPattern: Unmanaged.passUnretained(object).toOpaque())]
}

/// An argument of a format: an object made for it, which lives on, as a list of arguments owns
/// none.
private func words(ofNew object: AnyObject) -> [Int] {
  [Int(bitPattern: Unmanaged.passRetained(object).toOpaque())]
}

extension NSNumber: @retroactive CVarArg {
  /// The words that a list of arguments holds.
  public var _cVarArgEncoding: [Int] { words(of: self) }
}

extension NSDate: @retroactive CVarArg {
  /// The words that a list of arguments holds.
  public var _cVarArgEncoding: [Int] { words(of: self) }
}

extension NSData: @retroactive CVarArg {
  /// The words that a list of arguments holds.
  public var _cVarArgEncoding: [Int] { words(of: self) }
}

extension NSArray: @retroactive CVarArg {
  /// The words that a list of arguments holds.
  public var _cVarArgEncoding: [Int] { words(of: self) }
}

extension NSSet: @retroactive CVarArg {
  /// The words that a list of arguments holds.
  public var _cVarArgEncoding: [Int] { words(of: self) }
}

extension Date: @retroactive CVarArg {
  /// The words that a list of arguments holds.
  public var _cVarArgEncoding: [Int] { words(ofNew: self as NSDate) }
}

extension Data: @retroactive CVarArg {
  /// The words that a list of arguments holds.
  public var _cVarArgEncoding: [Int] { words(ofNew: self as NSData) }
}

extension Array: @retroactive CVarArg {
  /// The words that a list of arguments holds.
  public var _cVarArgEncoding: [Int] { words(ofNew: self as NSArray) }
}

extension CLLocation: CVarArg {
  /// The words that a list of arguments holds.
  public var _cVarArgEncoding: [Int] { words(of: self) }
}

extension CKReference: CVarArg {
  /// The words that a list of arguments holds.
  public var _cVarArgEncoding: [Int] { words(of: self) }
}

extension CKRecordID: CVarArg {
  /// The words that a list of arguments holds.
  public var _cVarArgEncoding: [Int] { words(of: self) }
}

extension CKRecord: CVarArg {
  /// The words that a list of arguments holds.
  public var _cVarArgEncoding: [Int] { words(of: self) }
}
