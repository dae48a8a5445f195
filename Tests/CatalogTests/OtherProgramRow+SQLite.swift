/// The page for people who come from sqlite3.
extension OtherProgramRow {
  static let customers =
    "CREATE TABLE customer(id INTEGER PRIMARY KEY, name TEXT NOT NULL UNIQUE, city TEXT)"
  static let orders =
    "CREATE TABLE orders(id INTEGER PRIMARY KEY, customer INTEGER REFERENCES customer(id), item TEXT, qty INTEGER, "
    + "price REAL, note TEXT)"
  static let shop = [
    "INSERT INTO customer VALUES (1,'Ada','London'),(2,'Ben','Rome'),(3,'Cleo','Rome'),(4,'Dan',NULL)",
    "INSERT INTO orders VALUES (1,1,'tea',2,3.5,NULL),(2,1,'Teapot',1,20,'gift'),(3,2,'cup',6,4,NULL),"
      + "(4,3,'tea',1,3.5,NULL),(5,3,'tray',1,9.5,'dented')",
  ]
  /// The files that the rows of both pages name.
  static let files = [
    "new.csv": "name,city\nEve,Oslo\nAda,Paris\n",
    "stock.csv": "item,stock\ntea,100\ncup,12\n",
    "queries.catalog": "count orders\n",
    "films.csv": films,
    "studios.csv": "director,studio\nPete Docter,Pixar\n",
  ]

  static let sqlite: [(title: String, rows: [OtherProgramRow])] = [
    (
      "Look around",
      [
        .line(
          "sqlite3 -readonly shop.db",
          "shop.db",
          "--read-only",
          "-e",
          "status",
          shows: "read-only"
        ),
        .line(
          "sqlite3 shop.db < queries.sql",
          "shop.db",
          "--script",
          "queries.catalog",
          shows: "5\n"
        ),
        .line(
          "sqlite3 -json shop.db 'SELECT …'",
          "shop.db",
          "--format",
          "json",
          "-e",
          "list customer",
          shows: "\"name\": \"Ada\""
        ),
        .line(
          "sqlite3 -noheader shop.db 'SELECT …'",
          "shop.db",
          "--no-header",
          "-e",
          "list customer fields name",
          shows: "Ada\nBen"
        ),
        .line(
          ".nullvalue NULL",
          "shop.db",
          "--null",
          "NULL",
          "-e",
          "list orders fields note",
          shows: "NULL\ngift"
        ),
        .line(
          ".mode table",
          "shop.db",
          "--format",
          "table",
          "-e",
          "list customer",
          shows: "London"
        ),
        .command(".tables", "entities", shows: "customer\t4", "orders\t5"),
        .command(".schema orders", "schema orders", shows: "customer\tlink:customer"),
        .command(".help", "help", shows: "list the commands, or explain one"),
        .command("PRAGMA integrity_check", "check", shows: "ok"),
      ]
    ),
    (
      "Ask",
      [
        .command(
          "SELECT item, qty FROM orders",
          "list orders fields item, qty",
          shows: "Teapot\t1"
        ),
        .command(
          "SELECT item FROM orders WHERE qty > 1 AND price < 5",
          "list orders where qty > 1 and price < 5 fields item",
          shows: "cup"
        ),
        .command(
          "SELECT item FROM orders WHERE item IN ('tea', 'cup')",
          "list orders where item in (\"tea\", \"cup\") fields item",
          shows: "cup"
        ),
        .command(
          "SELECT item FROM orders WHERE qty BETWEEN 2 AND 6",
          "list orders where qty between 2 and 6 fields item",
          shows: "cup"
        ),
        .command(
          "SELECT item FROM orders WHERE note IS NULL",
          "list orders where note is null fields item",
          shows: "cup"
        ),
        .command(
          "SELECT item FROM orders WHERE item LIKE 'tea%'",
          "list orders where item like[c] \"tea*\" fields item",
          shows: "Teapot"
        ),
        .command(
          "SELECT item FROM orders WHERE item GLOB 't*'",
          "list orders where item like \"t*\" fields item",
          shows: "tray"
        ),
        .command(
          "SELECT count(*) FROM orders WHERE item LIKE '%ea%'",
          "count orders where item contains[c] \"ea\"",
          shows: "3\n"
        ),
        .command(
          "SELECT item, qty FROM orders ORDER BY qty DESC, item LIMIT 2",
          "list orders sort -qty, item limit 2 fields item, qty",
          shows: "cup\t6\ntea\t2"
        ),
        .command(
          "SELECT item FROM orders ORDER BY id LIMIT 2 OFFSET 1",
          "list orders sort id limit 2 offset 1 fields item",
          shows: "Teapot\ncup"
        ),
        .command(
          "SELECT DISTINCT city FROM customer",
          "list customer distinct fields city",
          shows: "Rome"
        ),
        .command(
          "SELECT item, qty * price AS total FROM orders",
          "list orders fields item, qty * price as total",
          shows: "cup\t24"
        ),
        .command(
          "SELECT item, coalesce(note, 'none') AS note FROM orders",
          "list orders fields item, note ?? \"none\" as note",
          shows: "tea\tnone"
        ),
        .command(
          "SELECT item, CASE WHEN qty > 1 THEN 'many' ELSE 'one' END AS size FROM orders",
          "list orders fields item, if qty > 1 then \"many\" else \"one\" as size",
          shows: "cup\tmany"
        ),
        .command(
          "SELECT count(*), sum(qty), avg(price), max(price) FROM orders",
          "list orders fields count(), sum(qty), mean(price), max(price)",
          shows: "5\t11\t8.1\t20"
        ),
        .command(
          "SELECT min(price), max(price), avg(price) FROM orders, …",
          "stats orders price",
          shows: "mean\t8.1"
        ),
      ]
    ),
    (
      "Group and join",
      [
        .command(
          "SELECT city, count(*) AS n FROM customer GROUP BY city",
          "list customer by city fields city, count() as n",
          shows: "Rome\t2"
        ),
        .command(
          "SELECT item, sum(qty) AS n FROM orders GROUP BY item HAVING sum(qty) > 1",
          "list orders by item having n > 1 fields item, sum(qty) as n",
          shows: "tea\t3"
        ),
        .command(
          "SELECT item, count(*) FROM orders GROUP BY item ORDER BY count(*) DESC …",
          "freq orders item",
          shows: "tea\t2"
        ),
        .command(
          "SELECT o.item, c.name FROM orders o LEFT JOIN customer c ON c.id = o.customer",
          "list orders fields item, customer.name",
          shows: "cup\tBen"
        ),
        .command(
          "SELECT item FROM orders o JOIN customer c ON c.id = o.customer WHERE c.city = 'Rome'",
          "list orders where customer.city = \"Rome\" fields item",
          shows: "cup"
        ),
        .command(
          "SELECT c.city, sum(o.qty) AS n FROM orders o JOIN customer c ON c.id = o.customer GROUP BY c.city",
          "list orders by customer.city fields customer.city as city, sum(qty) as n",
          shows: "Rome\t8"
        ),
        .command(
          "SELECT item, sum(qty) OVER (ORDER BY id) AS n FROM orders",
          "list orders sort id fields item, running(qty) as n",
          shows: "cup\t9"
        ),
        .command(
          ".import stock.csv s, then a JOIN",
          "list orders join stock.csv as s by item fields item, s.stock",
          shows: "cup\t12"
        ),
      ]
    ),
    (
      "Change",
      [
        .command(
          "INSERT INTO customer(name, city) VALUES ('Eve', 'Oslo')",
          "insert customer name=Eve city=Oslo",
          "save",
          shows: "saved: 1 inserted"
        ),
        .command(
          "UPDATE orders SET qty = 5 WHERE id = 1",
          "set orders where id = 1 qty=5",
          "save",
          shows: "1 updated"
        ),
        .command(
          "UPDATE orders SET price = round(price * 1.1, 2)",
          "set orders where true price:=round(price * 1.1, 2)",
          "save",
          shows: "5 updated"
        ),
        .command(
          "UPDATE orders SET note = NULL WHERE note = 'gift'",
          "set orders where note = \"gift\" note=",
          "save",
          shows: "1 updated"
        ),
        .command(
          "DELETE FROM orders WHERE qty = 1",
          "delete orders where qty = 1",
          "save",
          shows: "3 deleted"
        ),
        .command(
          "INSERT … ON CONFLICT(name) DO UPDATE SET city = …",
          "upsert customer by name name=Ada city=Paris",
          "save",
          shows: "1 updated"
        ),
        .command(
          ".import --csv --skip 1 new.csv customer",
          "import new.csv into customer by name",
          "save",
          shows: "1 inserted, 1 updated"
        ),
        .command(
          "BEGIN, then statements, COMMIT",
          "set orders where true qty=1",
          "delete orders where item = \"cup\"",
          "save",
          shows: "1 updated, 1 deleted"
        ),
        .command("ROLLBACK", "delete orders where true", "rollback", "count orders", shows: "5\n"),
        .command(
          "SAVEPOINT a, a statement, ROLLBACK TO a",
          "set orders where true qty=1",
          "delete orders where true",
          "undo",
          "count orders where qty = 1",
          shows: "5\n"
        ),
      ]
    ),
    (
      "Export",
      [
        .line(
          ".param set :city Rome, then a SELECT",
          "shop.db",
          "--arg",
          "city",
          "Rome",
          "-e",
          "list customer where city = $city fields name",
          shows: "Ben\nCleo"
        ),
        .command(".mode csv, .once big.csv, then a SELECT", "export big.csv orders where qty > 1"),
        .command(".backup copy.db", "saveas copy.db", shows: "saved 9 records to copy.db"),
        .line(".dump > shop.sql", "shop.db", "--to", "shop.json"),
        .command(
          "EXPLAIN QUERY PLAN SELECT …",
          "explain orders where id = 3",
          shows: "finds rows of orders by the key"
        ),
      ]
    ),
  ]
}
