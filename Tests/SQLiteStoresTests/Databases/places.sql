PRAGMA user_version = 77;

CREATE TABLE moz_origins (id INTEGER PRIMARY KEY, prefix TEXT NOT NULL, host TEXT NOT NULL, frecency INTEGER NOT NULL, recalc_frecency INTEGER NOT NULL DEFAULT 0, UNIQUE (prefix, host));

CREATE TABLE moz_places (
  id INTEGER PRIMARY KEY, url LONGVARCHAR, title LONGVARCHAR, rev_host LONGVARCHAR, visit_count INTEGER DEFAULT 0,
  hidden INTEGER DEFAULT 0 NOT NULL, typed INTEGER DEFAULT 0 NOT NULL, frecency INTEGER DEFAULT -1 NOT NULL,
  last_visit_date INTEGER, guid TEXT, foreign_count INTEGER DEFAULT 0 NOT NULL, url_hash INTEGER DEFAULT 0 NOT NULL,
  description TEXT, preview_image_url TEXT, site_name TEXT, origin_id INTEGER REFERENCES moz_origins(id));

CREATE TABLE moz_historyvisits (id INTEGER PRIMARY KEY, from_visit INTEGER, place_id INTEGER, visit_date INTEGER, visit_type INTEGER, session INTEGER);

CREATE TABLE moz_inputhistory (place_id INTEGER NOT NULL, input LONGVARCHAR NOT NULL, use_count INTEGER, PRIMARY KEY (place_id, input));

CREATE TABLE moz_bookmarks (
  id INTEGER PRIMARY KEY, type INTEGER, fk INTEGER DEFAULT NULL, parent INTEGER, position INTEGER, title LONGVARCHAR,
  keyword_id INTEGER, folder_type TEXT, dateAdded INTEGER, lastModified INTEGER, guid TEXT, syncStatus INTEGER NOT NULL DEFAULT 0);

CREATE TABLE moz_keywords (id INTEGER PRIMARY KEY AUTOINCREMENT, keyword TEXT UNIQUE, place_id INTEGER, post_data TEXT);

CREATE TABLE moz_anno_attributes (id INTEGER PRIMARY KEY, name VARCHAR(32) UNIQUE NOT NULL);

CREATE TABLE moz_annos (id INTEGER PRIMARY KEY, place_id INTEGER NOT NULL, anno_attribute_id INTEGER, content LONGVARCHAR, flags INTEGER DEFAULT 0, expiration INTEGER DEFAULT 0, dateAdded INTEGER DEFAULT 0);

CREATE TABLE moz_meta (key TEXT PRIMARY KEY, value NOT NULL) WITHOUT ROWID;

CREATE INDEX moz_places_url_hashindex ON moz_places (url_hash);

CREATE UNIQUE INDEX moz_places_guid_uniqueindex ON moz_places (guid);

CREATE INDEX moz_bookmarks_itemindex ON moz_bookmarks (fk, type);

INSERT INTO moz_origins VALUES (1, 'https://', 'www.mozilla.org', 137, 0), (2, 'http://', 'example.com', 10, 1);

INSERT INTO moz_places VALUES
  (1, 'https://www.mozilla.org/en-US/', 'Mozilla — Internet for people', 'gro.allizom.www.', 2, 0, 1, 137, 1700000000123456, 'x1yZ_0aB-c2D', 1, 47356370932282, NULL, NULL, NULL, 1),
  (2, 'http://example.com/?q=%F0%9F%98%80', '😀 ' || char(0) || 'x', 'moc.elpmaxe.', 0, 0, 0, -1, NULL, 'abcdefghijkl', 0, 125511568644180, NULL, NULL, NULL, 2);

INSERT INTO moz_historyvisits VALUES (1, 0, 1, 1700000000123456, 2, 0), (2, 1, 1, 1700000001000000, 1, 0);

INSERT INTO moz_inputhistory VALUES (1, 'moz', 1), (1, 'a/b', 3), (2, '', 1);

INSERT INTO moz_bookmarks VALUES (1, 2, NULL, 0, 0, '', NULL, NULL, 1700000000000000, 1700000000000000, 'root________', 1), (2, 1, 1, 1, 0, 'Mozilla', NULL, NULL, 1700000000000000, 1700000000000000, 'bbbbbbbbbbbb', 1);

INSERT INTO moz_anno_attributes VALUES (1, 'downloads/destinationFileURI');

INSERT INTO moz_annos VALUES (1, 1, 1, 'file:///tmp/x', 0, 4, 1700000000000000);

INSERT INTO moz_meta VALUES ('origin_frecency_count', 2), ('origin_frecency_sum', 147.5), ('sync/bookmarks/wipeRemote', 'no');
