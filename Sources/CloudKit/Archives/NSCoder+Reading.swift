internal import Foundation

// Foundation on Linux stops the process when an absent key is read: these ask first.
extension NSCoder {
  /// The text of a key; nil for none.
  func string(forKey key: String) -> String? {
    object(of: NSString.self, forKey: key).map { $0 as String }
  }

  /// The bytes of a key; nil for none.
  func data(forKey key: String) -> Data? {
    object(of: NSData.self, forKey: key).map { $0 as Data }
  }

  /// The date of a key; nil for none.
  func date(forKey key: String) -> Date? {
    object(of: NSDate.self, forKey: key).map { $0 as Date }
  }

  /// The integer of a key; nil for none.
  func integer(forKey key: String) -> Int? {
    containsValue(forKey: key) ? decodeInteger(forKey: key) : nil
  }

  /// The Boolean of a key; false for none.
  func bool(forKey key: String) -> Bool { containsValue(forKey: key) && decodeBool(forKey: key) }

  /// The object of a key; nil for none, and for one of another class.
  func object<Object: NSObject & NSCoding>(of type: Object.Type, forKey key: String) -> Object? {
    containsValue(forKey: key) ? decodeObject(of: type, forKey: key) : nil
  }

  /// The object of a key, of one of some classes; nil for none.
  func object(of types: [AnyClass], forKey key: String) -> Any? {
    containsValue(forKey: key) ? decodeObject(of: types, forKey: key) : nil
  }
}
