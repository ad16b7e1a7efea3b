@_exported public import CoreLocation
@_exported public import Foundation

/// A type whose values a record's field can hold.
public protocol CKRecordValueProtocol {}

/// A value that a record's field holds.
///
/// On Apple's platforms only objects are such values, and Swift's own types are converted to them.
/// Here those types are such values themselves, so that `"text" as CKRecordValue` compiles.
public protocol __CKRecordObjCValue: CKRecordValueProtocol {}

/// A value that a record's field holds.
public typealias CKRecordValue = __CKRecordObjCValue

extension String: __CKRecordObjCValue {}
extension Bool: __CKRecordObjCValue {}
extension Int: __CKRecordObjCValue {}
extension Int8: __CKRecordObjCValue {}
extension Int16: __CKRecordObjCValue {}
extension Int32: __CKRecordObjCValue {}
extension Int64: __CKRecordObjCValue {}
extension UInt: __CKRecordObjCValue {}
extension UInt8: __CKRecordObjCValue {}
extension UInt16: __CKRecordObjCValue {}
extension UInt32: __CKRecordObjCValue {}
extension UInt64: __CKRecordObjCValue {}
extension Float: __CKRecordObjCValue {}
extension Double: __CKRecordObjCValue {}
extension Date: __CKRecordObjCValue {}
extension Data: __CKRecordObjCValue {}
extension NSString: __CKRecordObjCValue {}
extension NSNumber: __CKRecordObjCValue {}
extension NSDate: __CKRecordObjCValue {}
extension NSData: __CKRecordObjCValue {}
extension NSArray: __CKRecordObjCValue {}
extension CLLocation: __CKRecordObjCValue {}
extension CKReference: __CKRecordObjCValue {}
extension CKAsset: __CKRecordObjCValue {}
extension Array: CKRecordValueProtocol where Element: CKRecordValueProtocol {}
extension Array: __CKRecordObjCValue where Element: __CKRecordObjCValue {}
