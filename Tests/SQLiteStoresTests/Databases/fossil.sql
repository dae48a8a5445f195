PRAGMA application_id = 252006673;

CREATE TABLE blob (rid INTEGER PRIMARY KEY, rcvid INTEGER, size INTEGER, uuid TEXT UNIQUE NOT NULL, content BLOB, CHECK (length(uuid) >= 40 AND rid > 0));

CREATE TABLE delta (rid INTEGER PRIMARY KEY, srcid INTEGER NOT NULL REFERENCES blob);

CREATE TABLE rcvfrom (rcvid INTEGER PRIMARY KEY, uid INTEGER REFERENCES user, mtime DATETIME, nonce TEXT UNIQUE, ipaddr TEXT);

CREATE TABLE user (uid INTEGER PRIMARY KEY, login TEXT UNIQUE, pw TEXT, cap TEXT, cookie TEXT, ipaddr TEXT, cexpire DATETIME, info TEXT, mtime DATE, photo BLOB, jx TEXT DEFAULT '{}');

CREATE TABLE config (name TEXT PRIMARY KEY NOT NULL, value CLOB, mtime DATE, CHECK (typeof(name) = 'text' AND length(name) >= 1)) WITHOUT ROWID;

CREATE TABLE reportfmt (rn INTEGER PRIMARY KEY, owner TEXT, title TEXT UNIQUE, mtime INTEGER, cols TEXT, sqlcode TEXT, jx TEXT DEFAULT '{}');

CREATE TABLE mlink (mid INTEGER, fid INTEGER, pmid INTEGER, pid INTEGER, fnid INTEGER REFERENCES filename, pfnid INTEGER, mperm INTEGER, isaux BOOLEAN DEFAULT 0);

CREATE TABLE filename (fnid INTEGER PRIMARY KEY, name TEXT UNIQUE);

CREATE TABLE plink (pid INTEGER REFERENCES blob, cid INTEGER REFERENCES blob, isprim BOOLEAN, mtime DATETIME, baseid INTEGER REFERENCES blob, UNIQUE (pid, cid));

CREATE TABLE event (
  type TEXT, mtime DATETIME, objid INTEGER PRIMARY KEY, tagid INTEGER, uid INTEGER REFERENCES user, bgcolor TEXT, euser TEXT,
  user TEXT, ecomment TEXT, comment TEXT, brief TEXT, omtime DATETIME);

CREATE TABLE phantom (rid INTEGER PRIMARY KEY);

CREATE TABLE tag (tagid INTEGER PRIMARY KEY, tagname TEXT UNIQUE);

CREATE TABLE tagxref (tagid INTEGER REFERENCES tag, tagtype INTEGER, srcid INTEGER REFERENCES blob, origid INTEGER REFERENCES blob, value TEXT, mtime TIMESTAMP, rid INTEGER REFERENCES blob, UNIQUE (rid, tagid));

CREATE TABLE ticket (tkt_id INTEGER PRIMARY KEY, tkt_uuid TEXT UNIQUE, tkt_mtime DATE, tkt_ctime DATE, type TEXT, status TEXT, title TEXT, comment TEXT);

CREATE TABLE ticketchng (tkt_id INTEGER REFERENCES ticket, tkt_rid INTEGER, tkt_mtime DATE, tkt_user TEXT, login, username, mimetype, icomment);

CREATE VIRTUAL TABLE ftsidx USING fts5(title, body);

CREATE VIEW artifact (rid, rcvid, size, atype, srcid, hash, content) AS SELECT blob.rid, rcvid, size, 1, srcid, uuid, content FROM blob LEFT JOIN delta ON (blob.rid = delta.rid);

INSERT INTO blob VALUES (1, 1, 8, '0123456789abcdef0123456789abcdef01234567', x'000000087801f3'), (2, 1, -1, 'ffffffffffffffffffffffffffffffffffffffff', NULL);

INSERT INTO delta VALUES (2, 1);

INSERT INTO user VALUES (1, 'ann', 'secret', 's', NULL, NULL, NULL, '', 1700000000, NULL, '{}'), (2, 'anonymous', '8EA5C', 'hz', NULL, NULL, NULL, 'Anon', NULL, NULL, '{}');

INSERT INTO rcvfrom VALUES (1, 1, 2460266.5, NULL, NULL);

INSERT INTO config VALUES ('project-code', 'a0b1', 1700000000), ('timeline-max', 50, 1700000000.5), ('hash-policy', 2, NULL);

INSERT INTO filename VALUES (1, 'README.md');

INSERT INTO mlink VALUES (1, 2, 0, 0, 1, 0, 0, 0), (1, 2, 0, 0, 1, 0, 0, 1);

INSERT INTO plink VALUES (1, 2, 1, 2460266.52083333, NULL);

INSERT INTO event VALUES ('ci', 2460266.5, 1, NULL, 1, NULL, NULL, 'ann', NULL, 'initial empty check-in', NULL, 2460266.5);

INSERT INTO tag VALUES (1, 'bgcolor'), (8, 'branch'), (11, 'sym-trunk');

INSERT INTO tagxref VALUES (8, 2, 1, 1, 'trunk', 2460266.5, 1), (11, 2, 1, 1, NULL, 2460266.5, 1);

INSERT INTO ticket VALUES (1, 'abc', 2460266.5, 2460266.25, 'Code_Defect', 'Open', 'It''s slow', NULL);

INSERT INTO ticketchng VALUES (1, 1, 2460266.5, 'ann', 'ann', 'ann', 'text/plain', 'still');

INSERT INTO ftsidx VALUES ('README', 'hello world');
