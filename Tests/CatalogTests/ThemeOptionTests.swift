import Testing

/// Themes from files, with the real program.
@Suite struct ThemeOptionTests {
  @Test(arguments: [
    (["--theme", "mine"], "theme nosuch\n", 0, ""),
    (["--theme", "auto"], "", 0, ""),
    ([], "theme mine\n", 0, ""),
    ([], "theme broken\n", 2, "themes/broken.theme:2:8: header: expected a color (default, "),
    (["--theme", "broken"], "", 2, "catalog: --theme: "),
    (
      ["--theme", "mien"], "", 2,
      "unknown theme \"mien\"; did you mean \"mine\"?; own themes are files "
    ),
    (["--theme", "../mine"], "", 2, "unknown theme \"../mine\""),
    (
      [], "theme nosuch\n", 2,
      "/catalog/config:1:7: unknown theme \"nosuch\"; available: auto, dark, light, high-contrast, none, broken, mine"
    ),
  ])
  func themesOfTheUserAreFiles(
    options: [String],
    configuration: String,
    status: Int32,
    message: String
  ) throws {
    let folder = try TemporaryFolder()
    _ = try folder.inShell("mkdir -p \(folder.path)/catalog/themes")
    try folder.write("base light\nheader #88c0d0 on 236 bold\n", to: "catalog/themes/mine.theme")
    try folder.write("base light\nheader pink\n", to: "catalog/themes/broken.theme")
    try folder.write(configuration, to: "catalog/config")
    let run = try folder.run(
      options + ["--store", "memory", "--sample", "-e", "count"],
      environment: ["XDG_CONFIG_HOME": folder.path]
    )
    #expect(run.status == status && run.errors.contains(message), "\(run.errors)")
  }
}
