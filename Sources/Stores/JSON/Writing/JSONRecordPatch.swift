import OpenSwiftData

/// The changes to the text of one record; the rest of the text is unchanged.
struct JSONRecordPatch {
  /// Members with new values, by name: replaced if present, else appended; null only if it must be
  /// written.
  var values: [(name: String, value: Value, mustShowNull: Bool)] = []
  /// A member to insert before all others.
  var identifier: (key: String, text: String)?
  var renames: [(from: String, to: String)] = []
  /// Members to remove, by their names in the text.
  var removals: [String] = []
  /// How values are spelled, by name, if they had a spelling before.
  var spellings: [String: [UInt8]] = [:]
  /// The former text that replaces the whole record, if it has all its values.
  var text: [UInt8]?
  /// True if the text of the record is kept, and former ones are looked for.
  var isRemembered = false
  /// Members to remove, by their names after the renaming.
  private var cleared: [String] = []

  /// True if the record stays as it is.
  var isEmpty: Bool {
    values.isEmpty && identifier == nil && renames.isEmpty && removals.isEmpty && cleared.isEmpty
  }

  /// The new value of a member; nil if it does not change.
  func value(of name: String) -> Value? {
    values.first { $0.name == name }?.value ?? (cleared.contains(name) ? .null : nil)
  }

  /// Sets a member to a value.
  mutating func set(_ attribute: Schema.Attribute, _ value: Value, isCatalog: Bool) {
    let hasDefault = isCatalog && !attribute.defaultValue.isNull
    if isCatalog, attribute.type == .json, value.isNull, !hasDefault {
      // In a catalog an explicit null is a JSON value.
      cleared.append(attribute.name)
    } else {
      values.append((attribute.name, value.written(for: attribute), hasDefault))
    }
  }

  /// Takes over how former texts of the record spell its new values; in JSON, some have no member for them.
  mutating func takeSpellings(
    of entity: Schema.Entity,
    from former: [FormerRecord],
    _ format: TextFormat
  ) {
    for (name, value, _) in values {
      guard let slot = entity.layout.slot(of: name),
        let found = former.first(where: { $0.has(value, at: slot) })
      else { continue }
      spellings[name] = found.spelling(at: slot)
      guard !format.isSeparated, spellings[name] == nil else { continue }
      values.removeAll { $0.name == name }
      cleared.append(name)
    }
  }

  /// Appends the patched text.
  ///
  /// The style is for a record without members.
  func apply(to record: JSONRecordText, style: JSONStyle, output: inout JSONOutput) {
    let text = record.text
    let style = JSONStyle(record) ?? style
    let changes = values.map { (name: Array($0.name.utf8), change: $0) }
    let removed = removals.map { Array($0.utf8) }
    let renamed = renames.map { (from: Array($0.from.utf8), to: $0.to) }
    let cleared = cleared.map { (name: $0, key: Array($0.utf8)) }
    func isCleared(_ member: JSONRecordText.Member, _ newName: String?) -> Bool {
      cleared.contains { entry in
        newName.map { $0 == entry.name } ?? record.isKey(member, entry.key)
      }
    }
    var pending = Array(changes.indices)
    var count = 0
    output.put("{")
    output.put(style.open)
    if let identifier {
      put(identifier.key, .text(identifier.text), style, &output)
      count += 1
    }
    for (place, member) in record.members.enumerated() {
      let rename = renamed.first { record.isKey(member, $0.from) }
      if removed.contains(where: { record.isKey(member, $0) }) || isCleared(member, rename?.to) {
        continue
      }
      if count > 0 {
        if place > 0 {
          output.put(text[record.members[place - 1].value.upperBound..<member.key.lowerBound])
        } else {
          output.put(style.comma)
        }
      }
      count += 1
      if let rename {
        output.put(quoting: rename.to)
      } else {
        output.put(text[member.key])
      }
      output.put(text[member.key.upperBound..<member.value.lowerBound])
      let found = pending.firstIndex { place in
        rename.map { changes[place].change.name == $0.to }
          ?? record.isKey(member, changes[place].name)
      }
      if let found {
        let change = changes[pending.remove(at: found)].change
        if let spelling = spellings[change.name] {
          output.put(spelling)
        } else {
          let former = UnsafeBufferPointer(rebasing: text[member.value])
          output.put(change.value, over: former, style.indent)
        }
      } else {
        output.put(text[member.value])
      }
    }
    for place in pending
    where !changes[place].change.value.isNull || changes[place].change.mustShowNull {
      if count > 0 { output.put(style.comma) }
      count += 1
      put(changes[place].change.name, changes[place].change.value, style, &output)
    }
    if count == 0 {
      output.bytes.removeLast(style.open.count)
    } else {
      output.put(style.close)
    }
    output.put("}")
  }

  /// Appends the patched text of a record in an object of records, whose name may change.
  func apply(to member: JSONNamedRecord, style: JSONStyle, output: inout JSONOutput) {
    var inner = self
    let name = values.first { $0.name == JSONLayout.nameField }
    inner.values.removeAll { $0.name == JSONLayout.nameField }
    if let name {
      if let spelling = spellings[name.name] {
        output.put(spelling)
      } else {
        output.put(quoting: name.value.text)
      }
    } else {
      output.put(member.name)
    }
    output.put(member.colon)
    inner.apply(to: JSONRecordText(member.record), style: style, output: &output)
  }

  private func put(_ key: String, _ value: Value, _ style: JSONStyle, _ output: inout JSONOutput) {
    output.put(quoting: key)
    output.put(style.colon)
    if let spelling = spellings[key] { return output.put(spelling) }
    output.put(value, style.indent)
  }
}
