import Foundation
import Testing

/// Files of kinds that are not opened: each is named, with one command that converts it.
@Suite struct FileKindTests {
  let folder: TemporaryFolder

  init() throws { folder = try TemporaryFolder() }

  static let kinds: [(name: String, start: [UInt8], message: String)] = [
    ("a.yaml", Array("a: 1\nb: [2]\n".utf8), "is a YAML file; run: yq -o=json . a.yaml > out.json"),
    ("a.YML", Array("- a\n".utf8), "is a YAML file; run: yq"),
    ("a", Array("---\na: 1\n".utf8), "is a YAML file; run: yq -o=json . a > out.json"),
    ("a.toml", Array("[package]\nname = \"x\"\n".utf8), "is a TOML file; run: python3 -c"),
    ("a.ini", Array("[section]\na=1\n".utf8), "is an INI file; run: jc --ini < a.ini > out.json"),
    ("a.rec", Array("%rec: Book\n\nTitle: x\n".utf8), "is a recfile; run: rec2csv a.rec > out.csv"),
    ("b", Array("\n%rec: Book\n".utf8), "is a recfile; run: rec2csv b > out.csv"),
    (
      "a.tar", [UInt8](repeating: 0x61, count: 257) + Array("ustar\0".utf8),
      "is a tar archive; run: tar -xf a.tar"
    ),
    ("a.zip", Array("PK\u{3}\u{4}a.csv".utf8), "is a ZIP archive; run: unzip a.zip"),
    ("a.7z", [0x37, 0x7A, 0xBC, 0xAF, 0x27, 0x1C], "is a 7z archive; run: 7z x a.7z"),
    (
      "a.xlsx", Array("PK\u{3}\u{4}docProps/app.xml".utf8), "is an Excel workbook; run: libreoffice"
    ),
    ("a.xls", [0xD0, 0xCF, 0x11, 0xE0], "is an Excel workbook; run: libreoffice"),
    ("a.docx", Array("PK\u{3}\u{4}[Content_Types].xml".utf8), "is a text document; "),
    (
      "a.ods", Array("PK\u{3}\u{4}mimetypeapplication/vnd.oasis.opendocument.spreadsheet".utf8),
      "is an OpenDocument spreadsheet; run: libreoffice --headless --convert-to csv a.ods"
    ),
    (
      "a b.parquet", Array("PAR1".utf8),
      "is a Parquet file; run: duckdb -c \"copy (from 'a b.parquet') to 'out.csv'\""
    ),
    (
      "a.feather", Array("ARROW1\0\0".utf8),
      "is an Arrow file; run: python3 -c \"import pandas, sys; pandas.read_feather("
    ),
    (
      "a.avro", Array("Obj\u{1}".utf8), "is an Avro file; run: avro-tools tojson a.avro > out.jsonl"
    ),
    (
      "a.pdf", Array("%PDF-1.7".utf8),
      "is a PDF document; get its text with: pdftotext -layout a.pdf"
    ),
    ("a.html", Array("\n<!DOCTYPE html><html>".utf8), "is an HTML page; run: python3 -c"),
    ("c", Array("<HTML><body>".utf8), "is an HTML page; run: python3 -c"),
    (
      "a.xml", Array("<films><film/></films>".utf8),
      "is an XML document; run: yq -p=xml -o=json . a.xml > out.json"
    ),
    ("d", Array("<?xml version=\"1.0\"?>".utf8), "is an XML document; run: yq"),
    ("a.pkl", [0x80, 0x03, 0x5D], "is a pickled Python object; run: python3 -c"),
    ("e", [0x80, 0x04, 0x95, 0x10], "is a pickled Python object; run: python3 -c"),
    ("a.msgpack", [0x93, 0x01, 0x02, 0x03], "is a MessagePack file; run: python3 -c"),
    (
      "a.dbf", [0x03, 0x5F], "is a dBase table; run: libreoffice --headless --convert-to csv a.dbf"
    ),
    (
      "a.sql", Array("create table a (b);".utf8), "is a SQL script; run: sqlite3 out.sqlite < a.sql"
    ),
    ("f", Array("BEGIN:VCARD\r\n".utf8), "is a vCard file; "),
    ("a.ics", Array("BEGIN:VCALENDAR\r\n".utf8), "is an iCalendar file; run: jc --ical < a.ics"),
    ("a.bz2", Array("BZh9".utf8), "is a file compressed with bzip2; run: bzip2 -dk a.bz2"),
    ("a.json5", Array("{a: 1}".utf8), "is a JSON5 file; run: json5 a.json5 > out.json"),
  ]

  @Test(arguments: kinds.indices) func aFileOfAnotherKindIsNamed(_ number: Int) throws {
    let (name, start, message) = Self.kinds[number]
    let bytes = Data(start)
    try bytes.write(to: URL(fileURLWithPath: folder.file(name)))
    let run = try folder.run([name, "-e", "list"])
    #expect(run.status == 4)
    #expect(run.errors.hasPrefix("catalog: \(name): \(message)"), "\(run.errors)")
    #expect(run.errors.count { $0 == "\n" } == 1)
    #expect(try Data(contentsOf: URL(fileURLWithPath: folder.file(name))) == bytes)
  }

  @Test func theContentOfAPipeIsNamed() throws {
    let run = try folder.inShell(#"printf 'PAR1' | "$catalog" - -e list"#)
    #expect(run.status == 4)
    #expect(
      run.errors
        == "catalog: standard input: is a Parquet file; save it as FILE; run: duckdb -c \"copy (from 'FILE') to 'out.csv'\"\n"
    )
  }

  @Test func anImportNamesTheKind() throws {
    try Data("PAR1".utf8).write(to: URL(fileURLWithPath: folder.file("a.parquet")))
    let run = try folder.run(["--store", "memory", "-e", "import a.parquet into A"])
    #expect(
      run.status == 1 && run.errors.contains("a.parquet: is a Parquet file; run: duckdb"),
      "\(run.errors)"
    )
  }

  /// Text that is a store in spite of its name or its beginning.
  @Test(arguments: [
    ("a.yaml", "[{\"a\": 1}]"), ("a.conf", "{\"x\": [{\"a\": 1}]}"), ("a.csv", "a\n---\n"),
    ("csv:a.ini", "a\n1\n"), ("b.csv", "PK,a\n1,2\n"), ("c.csv", "ORCID\n1\n"),
    ("d.csv", "%rec\n1\n"),
  ])
  func aFileWithRecordsIsOpened(name: String, text: String) throws {
    let path = name.hasPrefix("csv:") ? String(name.dropFirst(4)) : name
    try folder.write(text, to: path)
    let run = try folder.run([name, "-e", "count"])
    #expect(run.status == 0 && run.output == "1\n", "\(run.errors)")
  }
}
