CREATE TABLE [Artist] ([ArtistId] INTEGER NOT NULL, [Name] NVARCHAR(120), CONSTRAINT [PK_Artist] PRIMARY KEY ([ArtistId]));

CREATE TABLE [Album] (
  [AlbumId] INTEGER NOT NULL, [Title] NVARCHAR(160) NOT NULL, [ArtistId] INTEGER NOT NULL,
  CONSTRAINT [PK_Album] PRIMARY KEY ([AlbumId]),
  FOREIGN KEY ([ArtistId]) REFERENCES [Artist] ([ArtistId]) ON DELETE NO ACTION ON UPDATE NO ACTION);

CREATE TABLE [Track] (
  [TrackId] INTEGER NOT NULL, [Name] NVARCHAR(200) NOT NULL, [AlbumId] INTEGER, [Composer] NVARCHAR(220),
  [Milliseconds] INTEGER NOT NULL, [Bytes] INTEGER, [UnitPrice] NUMERIC(10,2) NOT NULL,
  CONSTRAINT [PK_Track] PRIMARY KEY ([TrackId]),
  FOREIGN KEY ([AlbumId]) REFERENCES [Album] ([AlbumId]) ON DELETE NO ACTION ON UPDATE NO ACTION);

CREATE TABLE [Playlist] ([PlaylistId] INTEGER NOT NULL, [Name] NVARCHAR(120), CONSTRAINT [PK_Playlist] PRIMARY KEY ([PlaylistId]));

CREATE TABLE [PlaylistTrack] (
  [PlaylistId] INTEGER NOT NULL, [TrackId] INTEGER NOT NULL,
  CONSTRAINT [PK_PlaylistTrack] PRIMARY KEY ([PlaylistId], [TrackId]),
  FOREIGN KEY ([PlaylistId]) REFERENCES [Playlist] ([PlaylistId]),
  FOREIGN KEY ([TrackId]) REFERENCES [Track] ([TrackId]));

CREATE TABLE [Employee] (
  [EmployeeId] INTEGER NOT NULL, [LastName] NVARCHAR(20) NOT NULL, [ReportsTo] INTEGER, [BirthDate] DATETIME,
  CONSTRAINT [PK_Employee] PRIMARY KEY ([EmployeeId]),
  FOREIGN KEY ([ReportsTo]) REFERENCES [Employee] ([EmployeeId]));

CREATE UNIQUE INDEX [IPK_Artist] ON [Artist] ([ArtistId]);

CREATE INDEX [IFK_AlbumArtistId] ON [Album] ([ArtistId]);

CREATE VIEW [AlbumsByArtist] AS SELECT a.Name AS Artist, count(*) AS Albums FROM Artist a JOIN Album b USING (ArtistId) GROUP BY 1;

INSERT INTO Artist VALUES (1, 'AC/DC'), (2, 'Accept'), (3, NULL);

INSERT INTO Album VALUES (1, 'For Those About To Rock We Salute You', 1), (2, 'Balls to the Wall', 2), (3, 'Restless and Wild', 2);

INSERT INTO Track VALUES (1, 'For Those About To Rock', 1, 'Angus Young', 343719, 11170334, 0.99), (2, 'Balls to the Wall', 2, NULL, 342562, 5510424, 0.99), (3, 'Fast As a Shark', 3, 'F. Baltes', 230619, 3990994, 1);

INSERT INTO Playlist VALUES (1, 'Music'), (8, 'Music');

INSERT INTO PlaylistTrack VALUES (1, 1), (1, 3), (8, 1);

INSERT INTO Employee VALUES (1, 'Adams', NULL, '1962-02-18 00:00:00'), (2, 'Edwards', 1, '1958-12-08 00:00:00');
