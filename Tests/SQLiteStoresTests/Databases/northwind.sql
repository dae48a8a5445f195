CREATE TABLE [Categories] ([CategoryID] INTEGER PRIMARY KEY AUTOINCREMENT, [CategoryName] TEXT, [Picture] BLOB);

CREATE TABLE [Customers] ([CustomerID] TEXT, [CompanyName] TEXT, [Phone] TEXT, PRIMARY KEY (`CustomerID`));

CREATE TABLE [Products] (
  [ProductID] INTEGER NOT NULL PRIMARY KEY AUTOINCREMENT, [ProductName] TEXT NOT NULL, [CategoryID] INTEGER,
  [UnitPrice] NUMERIC NULL DEFAULT 0, [UnitsInStock] INTEGER NULL DEFAULT 0,
  [Discontinued] TEXT NOT NULL DEFAULT '0', CHECK ([UnitPrice] >= 0),
  FOREIGN KEY ([CategoryID]) REFERENCES [Categories] ([CategoryID]));

CREATE TABLE [Orders] (
  [OrderID] INTEGER NOT NULL PRIMARY KEY AUTOINCREMENT, [CustomerID] TEXT, [OrderDate] DATETIME, [Freight] NUMERIC DEFAULT 0,
  FOREIGN KEY ([CustomerID]) REFERENCES [Customers] ([CustomerID]));

CREATE TABLE [Order Details] (
  [OrderID] INTEGER NOT NULL, [ProductID] INTEGER NOT NULL, [UnitPrice] NUMERIC NOT NULL DEFAULT 0,
  [Quantity] INTEGER NOT NULL DEFAULT 1, [Discount] REAL NOT NULL DEFAULT 0,
  PRIMARY KEY ("OrderID", "ProductID"), CHECK ([Discount] >= 0 AND [Discount] <= 1),
  FOREIGN KEY ([OrderID]) REFERENCES [Orders] ([OrderID]), FOREIGN KEY ([ProductID]) REFERENCES [Products] ([ProductID]));

CREATE TABLE [EmployeeTerritories] ([EmployeeID] INTEGER NOT NULL, [TerritoryID] TEXT NOT NULL, PRIMARY KEY ("EmployeeID", "TerritoryID"));

CREATE TABLE [Changes] (what TEXT, at TEXT DEFAULT CURRENT_TIMESTAMP);

CREATE VIEW [Order Subtotals] AS SELECT OrderID, sum(UnitPrice * Quantity * (1 - Discount)) AS Subtotal FROM [Order Details] GROUP BY OrderID;

CREATE VIEW [Products Above Average Price] AS SELECT ProductName, UnitPrice FROM Products WHERE UnitPrice > (SELECT avg(UnitPrice) FROM Products);

INSERT INTO Categories VALUES (1, 'Beverages', x'151c2f00020000000d000e'), (2, 'Condiments', NULL);

INSERT INTO Customers VALUES ('ALFKI', 'Alfreds Futterkiste', '030-0074321'), ('ANATR', 'Ana Trujillo', '(5) 555-4729');

INSERT INTO Products VALUES (1, 'Chai', 1, 18, 39, '0'), (2, 'Chang', 1, 19.5, 17, '0'), (3, 'Aniseed Syrup', 2, 10, 13, '1');

INSERT INTO Orders VALUES (10248, 'ALFKI', '2016-07-04', 32.38), (10249, 'ANATR', '2016-07-05 08:00:00', 11.61);

INSERT INTO [Order Details] VALUES (10248, 1, 14, 12, 0), (10248, 2, 9.8, 10, 0.05), (10249, 1, 18.6, 9, 0);

INSERT INTO EmployeeTerritories VALUES (1, '06897'), (1, '19713'), (2, '01581');

CREATE TRIGGER stock AFTER INSERT ON [Order Details] BEGIN UPDATE Products SET UnitsInStock = UnitsInStock - NEW.Quantity WHERE ProductID = NEW.ProductID; END;

CREATE TRIGGER price AFTER UPDATE OF UnitPrice ON Products WHEN NEW.UnitPrice <> OLD.UnitPrice BEGIN INSERT INTO Changes (what) VALUES ("price of " || NEW.ProductName); END;
