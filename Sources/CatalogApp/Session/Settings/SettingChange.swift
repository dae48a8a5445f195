import OpenSwiftData

/// A change of a setting.
package struct SettingChange: Hashable, Sendable {
  let setting: Setting
  /// The new value; nil to show the present one.
  let value: String?

  init(_ setting: Setting, _ value: String?) { (self.setting, self.value) = (setting, value) }

  /// Reads `NAME=VALUE`, `NAME` or `noNAME`.
  ///
  /// - Throws: `CommandError` with what was expected.
  init(_ text: String) throws(CommandError) {
    let parts = text.split(separator: "=", maxSplits: 1, omittingEmptySubsequences: false)
    let name = String(parts[0])
    if parts.count == 2, let setting = Setting(rawValue: name) {
      let value = String(parts[1])
      var trial = Settings()
      try trial.set(setting, to: value)
      if value.isEmpty {
        throw CommandError("\(name): expected a value after \"=\", found nothing")
      }
      self.init(setting, value)
    } else if parts.count == 1, let setting = Setting(rawValue: name) {
      self.init(setting, setting.isSwitch ? "on" : nil)
    } else if parts.count == 1, let setting = Setting.switchedOff(by: name) {
      self.init(setting, "off")
    } else {
      let names = Setting.allCases.map(\.rawValue)
      throw CommandError(Suggestion.message("unknown setting", name, among: names))
    }
  }
}

extension Setting {
  /// The setting that `noNAME` switches off.
  static func switchedOff(by text: String) -> Setting? {
    guard text.hasPrefix("no"), let setting = Setting(rawValue: String(text.dropFirst(2))),
      setting.isSwitch
    else { return nil }
    return setting
  }
}
