BEGIN;
INSERT INTO "orders" ("order", "region", "item", "qty", "price", "day") VALUES (1001, 'North', 'Lamp', 2, 24.90, '2024-01-05');
INSERT INTO "orders" ("order", "region", "item", "qty", "price", "day") VALUES (1003, 'North', 'Desk', 1, 189.50, '2024-02-02');
INSERT INTO "orders" ("order", "region", "item", "qty", "price", "day") VALUES (1005, 'North', 'Chair', 6, 59.00, '2024-02-28');
COMMIT;
