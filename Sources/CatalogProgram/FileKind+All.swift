extension FileKind {
  /// Every kind that is recognized; earlier ones take precedence.
  static let all: [FileKind] = databases + tables + archives + documents + texts

  private static let spreadsheet = "run: libreoffice --headless --convert-to csv FILE"
  private static let noRecords = "only files with records can be opened"

  /// A line that converts a file with a reader of pandas.
  private static func pandas(_ reader: String, _ part: String = "") -> String {
    "run: python3 -c \"import pandas, sys; pandas.\(reader)(sys.argv[1])\(part).to_csv('out.csv', index=False)\" FILE"
  }

  private static let databases: [FileKind] = [
    FileKind(
      "a SQLite database",
      "open it with: catalog sqlite:FILE",
      starts: Array("SQLite format 3\0".utf8)
    ),
    FileKind("a DuckDB database", "run: duckdb FILE \"export database 'out' (format csv)\"") {
      start,
      _ in start.dropFirst(8).starts(with: Array("DUCK".utf8))
    },
    FileKind(
      "an Access database",
      "list its tables with: mdb-tables FILE, and run: mdb-export FILE TABLE > out.csv",
      starts: Array("\0\u{1}\0\0Standard".utf8)
    ),
    FileKind("a dBase table", spreadsheet, endings: ".dbf"),
    FileKind(
      "a SQL script",
      "run: sqlite3 out.sqlite < FILE, and open out.sqlite",
      endings: ".sql"
    ),
  ]

  /// Tables in binary form.
  private static let tables: [FileKind] = [
    FileKind(
      "a Parquet file",
      "run: duckdb -c \"copy (from 'FILE') to 'out.csv'\"",
      starts: Array("PAR1".utf8)
    ),
    FileKind(
      "an Arrow file",
      pandas("read_feather"),
      starts: Array("ARROW1".utf8),
      Array("FEA1".utf8)
    ),
    FileKind(
      "an Avro file",
      "run: avro-tools tojson FILE > out.jsonl",
      starts: Array("Obj\u{1}".utf8)
    ),
    FileKind("an ORC file", pandas("read_orc"), endings: ".orc"),
    FileKind("an HDF5 file", pandas("read_hdf"), starts: [0x89] + Array("HDF".utf8)),
    FileKind(
      "a NumPy array",
      "run: python3 -c \"import numpy, sys; numpy.savetxt('out.csv', numpy.load(sys.argv[1]), fmt='%s', delimiter=',')\" FILE",
      starts: [0x93] + Array("NUMPY".utf8)
    ),
    FileKind("a Stata file", pandas("read_stata"), starts: Array("<stata_dta>".utf8)),
    FileKind("an SPSS file", pandas("read_spss"), starts: Array("$FL2".utf8), Array("$FL3".utf8)),
    FileKind(
      "an R data file",
      "run: Rscript -e \"write.csv(readRDS('FILE'), 'out.csv', row.names = FALSE)\"",
      starts: Array("RDX2\n".utf8),
      Array("RDX3\n".utf8),
      Array("X\n\0\0".utf8)
    ),
    FileKind("a pickled Python object", pandas("read_pickle") + " (only if you trust it)") {
      start,
      name in
      let isNamed = name.hasSuffix(".pkl") || name.hasSuffix(".pickle")
      guard start.count > 2, start[0] == 0x80, (2...5).contains(start[1]) else { return false }
      return isNamed || start[2] == 0x95
    },
    FileKind(
      "a MessagePack file",
      "run: python3 -c \"import json, msgpack, sys; json.dump(msgpack.load(open(sys.argv[1], 'rb')), open('out.json', 'w'))\" FILE",
      endings: ".msgpack",
      ".mpack",
      ".mp"
    ),
    FileKind(
      "a CBOR file",
      "run: python3 -c \"import cbor2, json, sys; json.dump(cbor2.load(open(sys.argv[1], 'rb')), open('out.json', 'w'))\" FILE",
      endings: ".cbor"
    ),
    FileKind("a BSON file", "run: bsondump --outFile=out.jsonl FILE", endings: ".bson"),
  ]

  private static let zip = Array("PK\u{3}\u{4}".utf8)

  /// True for an archive whose beginning names a file.
  private static func isZip(_ start: [UInt8], containing text: String) -> Bool {
    start.starts(with: zip) && String(decoding: start, as: UTF8.self).contains(text)
  }

  private static let archives: [FileKind] = [
    FileKind("an OpenDocument spreadsheet", spreadsheet) { start, _ in
      isZip(start, containing: "opendocument.spreadsheet")
    },
    FileKind("a text document", "save its table as CSV in the word processor") { start, name in
      isZip(start, containing: "opendocument.text") || isZip(start, containing: "word/")
        || start.starts(with: Array("{\\rtf".utf8))
        || name.hasSuffix(".docx") && start.starts(with: zip)
    },
    FileKind("an Excel workbook", spreadsheet) { start, name in
      let isOld = start.starts(with: [0xD0, 0xCF, 0x11, 0xE0]) && !name.hasSuffix(".doc")
      return isOld || isZip(start, containing: "xl/")
        || isZip(start, containing: "[Content_Types]")
        || name.hasSuffix(".xlsx") && start.starts(with: zip)
    },
    FileKind(
      "a ZIP archive",
      "run: unzip FILE, and open one of its files",
      starts: zip
    ),
    FileKind("a tar archive", "run: tar -xf FILE, and open one of its files") { start, _ in
      start.count > 262 && Array(start[257..<262]) == Array("ustar".utf8)
    },
    FileKind(
      "a 7z archive",
      "run: 7z x FILE, and open one of its files",
      starts: [0x37, 0x7A, 0xBC, 0xAF, 0x27, 0x1C]
    ),
    FileKind("a file compressed with bzip2", "run: bzip2 -dk FILE", starts: Array("BZh".utf8)),
    FileKind(
      "a file compressed with xz",
      "run: xz -dk FILE",
      starts: [0xFD, 0x37, 0x7A, 0x58, 0x5A, 0x00]
    ),
    FileKind("a file compressed with LZ4", "run: lz4 -dk FILE", starts: [0x04, 0x22, 0x4D, 0x18]),
  ]

  private static let documents: [FileKind] = [
    FileKind(
      "a PDF document",
      "get its text with: pdftotext -layout FILE",
      starts: Array("%PDF-".utf8)
    ),
    FileKind(
      "an image",
      noRecords,
      starts: [0x89, 0x50, 0x4E, 0x47],
      [0xFF, 0xD8, 0xFF],
      Array("GIF8".utf8)
    ),
    FileKind("a program", noRecords, starts: [0x7F, 0x45, 0x4C, 0x46]),
    FileKind(
      "an HTML page",
      pandas("read_html", "[0]") + " for its first table",
      words: "<!doctype html",
      "<html"
    ),
    FileKind(
      "an XML document",
      "run: yq -p=xml -o=json . FILE > out.json",
      words: "<?xml",
      "<!doctype"
    ),
    FileKind("an XML document", "run: yq -p=xml -o=json . FILE > out.json") { start, name in
      [".xml", ".rss", ".gpx", ".kml", ".plist"].contains { name.hasSuffix($0) }
        && start.first == UInt8(ascii: "<")
    },
  ]

  /// Texts of another syntax.
  private static let texts: [FileKind] = [
    FileKind(
      "a YAML file",
      "run: yq -o=json . FILE > out.json",
      endings: ".yaml",
      ".yml"
    ),
    FileKind(
      "a YAML file",
      "run: yq -o=json . FILE > out.json",
      words: "%yaml",
      "---\n",
      "---\r\n"
    ),
    FileKind(
      "a TOML file",
      "run: python3 -c \"import json, sys, tomllib; json.dump(tomllib.load(open(sys.argv[1], 'rb')), open('out.json', 'w'), default=str)\" FILE",
      endings: ".toml"
    ),
    FileKind("an INI file", "run: jc --ini < FILE > out.json", endings: ".ini", ".cfg", ".conf"),
    FileKind("a recfile", "run: rec2csv FILE > out.csv", endings: ".rec"),
    FileKind("a recfile", "run: rec2csv FILE > out.csv", words: "%rec:"),
    FileKind(
      "a vCard file",
      "export the contacts as CSV in the address book",
      words: "begin:vcard"
    ),
    FileKind("an iCalendar file", "run: jc --ical < FILE > out.json", words: "begin:vcalendar"),
    FileKind(
      "a JSON5 file",
      "run: json5 FILE > out.json",
      recognizes: { _, name in name.hasSuffix(".json5") }
    ),
  ]
}
