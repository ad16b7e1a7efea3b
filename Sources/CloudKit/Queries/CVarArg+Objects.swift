public import CoreLocation
public import Foundation

// On Apple's platforms every object, and every value that converts to one, can be an argument of
// `NSPredicate(format:)`. Foundation on Linux has only numbers and texts.

/// An argument of a format: an object.
private func words(of object: AnyObject) -> [Int] {
  // A list of arguments owns none of them, and nothing ends the life of a temporary object.
  [Int(bitPattern: Unmanaged.passRetained(object).toOpaque())]
}

extension NSNumber: @retroactive CVarArg {
  public var _cVarArgEncoding: [Int] { words(of: self) }
}

extension NSDate: @retroactive CVarArg {
  public var _cVarArgEncoding: [Int] { words(of: self) }
}

extension NSData: @retroactive CVarArg {
  public var _cVarArgEncoding: [Int] { words(of: self) }
}

extension NSArray: @retroactive CVarArg {
  public var _cVarArgEncoding: [Int] { words(of: self) }
}

extension NSSet: @retroactive CVarArg {
  public var _cVarArgEncoding: [Int] { words(of: self) }
}

extension Date: @retroactive CVarArg {
  public var _cVarArgEncoding: [Int] { words(of: self as NSDate) }
}

extension Data: @retroactive CVarArg {
  public var _cVarArgEncoding: [Int] { words(of: self as NSData) }
}

extension Array: @retroactive CVarArg {
  public var _cVarArgEncoding: [Int] { words(of: self as NSArray) }
}

extension CLLocation: CVarArg {
  public var _cVarArgEncoding: [Int] { words(of: self) }
}

extension CKReference: CVarArg {
  public var _cVarArgEncoding: [Int] { words(of: self) }
}

extension CKRecordID: CVarArg {
  public var _cVarArgEncoding: [Int] { words(of: self) }
}

extension CKRecord: CVarArg {
  public var _cVarArgEncoding: [Int] { words(of: self) }
}
