/// Splits a path into the directory and the last name; trailing slashes are ignored.
package func splitPath(_ path: String) -> (directory: String, name: String) {
  var end = path.utf8.endIndex
  while end > path.utf8.startIndex, path.utf8[path.utf8.index(before: end)] == UInt8(ascii: "/") {
    end = path.utf8.index(before: end)
  }
  let trimmed = path[..<end]
  guard let slash = trimmed.utf8.lastIndex(of: UInt8(ascii: "/")) else {
    return (".", String(trimmed))
  }
  let name = String(trimmed[trimmed.utf8.index(after: slash)...])
  return (slash == trimmed.startIndex ? "/" : String(trimmed[..<slash]), name)
}

/// Appends a name to the path of a directory.
package func joinPath(_ directory: String, _ name: String) -> String {
  directory.utf8.last == UInt8(ascii: "/") ? directory + name : directory + "/" + name
}

/// The name of a hidden auxiliary file next to the file `name`, never too long for a directory.
///
/// The same name and suffix give the same result. A name that is too long is cut and followed by a
/// digest of the full name, so that two long names do not collide.
package func companionName(of name: String, suffix: String) -> String {
  // 255 bytes, NAME_MAX; one for the dot.
  let room = 255 - 1 - suffix.utf8.count
  guard name.utf8.count > room else { return "." + name + suffix }
  var text = name
  let digest = text.withUTF8 { ContentDigest(of: UnsafeRawBufferPointer($0)) }
  let tail = "~" + hexadecimal(digest.low)
  var head = Substring(name)
  while head.utf8.count > room - tail.utf8.count { head.removeLast() }
  return "." + head + tail + suffix
}

/// A number as sixteen hexadecimal digits.
package func hexadecimal(_ number: UInt64) -> String {
  let digits = String(number, radix: 16)
  return String(repeating: "0", count: 16 - digits.count) + digits
}
