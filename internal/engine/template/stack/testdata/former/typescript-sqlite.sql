PRAGMA foreign_keys=OFF;
BEGIN TRANSACTION;
CREATE TABLE documents (
  position INTEGER PRIMARY KEY AUTOINCREMENT,
  collection TEXT NOT NULL,
  id TEXT NOT NULL,
  body TEXT NOT NULL,
  UNIQUE (collection, id)
);
INSERT INTO documents VALUES(1,'authors','25345033-d48e-4bab-9c38-40a9cc298b09','{"name":"Ann O''Neil \"the \\ quill\"","email":"ann@example.com","born":"1964-02-29"}');
INSERT INTO documents VALUES(2,'authors','1097c2ea-1385-4b20-ba30-b27601c0670d','{"name":"Bo Łukasz 李 😀","email":"","born":""}');
INSERT INTO documents VALUES(3,'authors','e82625f0-8b93-42c8-8540-3bca8233e84a','{"name":"Cy; DROP TABLE documents; --","email":"","born":""}');
INSERT INTO documents VALUES(5,'books','3246ac57-9a51-42e5-9617-4be38fe072cc','{"title":"Everything","isbn":"978-0-00-000000-1","price":19.99,"pages":320,"weight":0.3333333333333333,"published":"2024-02-29","signed":true,"status":"lent","seen_at":"2026-01-31T09:30:00Z","tags":["one","two"],"note":"plain","author_id":"25345033-d48e-4bab-9c38-40a9cc298b09"}');
INSERT INTO documents VALUES(6,'books','5277e1c0-7f20-4202-80ad-4cfed0f27ccf','{"title":"Only what is required","isbn":"","price":null,"pages":0,"weight":0,"published":"","signed":true,"status":"new","seen_at":"","tags":[],"note":"","author_id":""}');
INSERT INTO documents VALUES(7,'books','9ac897da-eb73-429f-8982-4792b2234895','{"title":"All empty","isbn":"","price":null,"pages":0,"weight":0,"published":"","signed":true,"status":"new","seen_at":"","tags":[],"note":"","author_id":""}');
INSERT INTO documents VALUES(8,'books','3a9bfd7f-5bf1-4e9f-a161-b69fb68e62e9','{"title":"Nulls","isbn":"","price":null,"pages":0,"weight":0,"published":"","signed":true,"status":"new","seen_at":"","tags":[],"note":"","author_id":""}');
INSERT INTO documents VALUES(9,'books','0c9f4674-d31d-4160-9e12-f4f9958584d5','{"title":"Ünïcödé — 李白 😀  ","isbn":"ÄÖÜ-ß","price":0.1,"pages":1,"weight":0,"published":"","signed":false,"status":"new","seen_at":"","tags":["日本","é́","it''s \"x\""],"note":"zwei\nZeilen\r\nund\tTab","author_id":"1097c2ea-1385-4b20-ba30-b27601c0670d"}');
INSERT INTO documents VALUES(10,'books','bf52d195-b1be-4e5e-ba68-347a0fdf7710','{"title":"''; DELETE FROM documents WHERE ''1''=''1'' -- \\ \"q\" %s $1 {}","isbn":"quo''te","price":0.29,"pages":0,"weight":-1.25,"published":"","signed":true,"status":"new","seen_at":"","tags":[""],"note":"\\n is no line","author_id":"e82625f0-8b93-42c8-8540-3bca8233e84a"}');
INSERT INTO documents VALUES(11,'books','12500b7a-51fa-40cb-a060-8ba6c9b7501d','{"title":"Money at its edge","isbn":"m1","price":9007199254740.93,"pages":9007199254740991,"weight":0,"published":"","signed":true,"status":"new","seen_at":"2026-01-31T23:30:00.250+02:00","tags":[],"note":"","author_id":""}');
INSERT INTO documents VALUES(12,'books','b6b82734-d866-4516-9e89-f23ebf938c19','{"title":"Money, trailing zeros","isbn":"m2","price":1.1,"pages":12,"weight":1e-7,"published":"","signed":true,"status":"new","seen_at":"","tags":[],"note":"","author_id":""}');
INSERT INTO documents VALUES(13,'books','08d1155f-02b7-45c8-939e-9faf66bdf534','{"title":"Money without cents","isbn":"m3","price":12,"pages":0,"weight":0,"published":"1999-12-31","signed":true,"status":"new","seen_at":"","tags":[],"note":"","author_id":""}');
INSERT INTO documents VALUES(14,'books','01e45c7f-39d2-4f9b-9940-2d97a332eb56','{"title":"Money, big","isbn":"m4","price":1234567890123.45,"pages":0,"weight":51.50735089999999,"published":"","signed":true,"status":"new","seen_at":"","tags":[],"note":"","author_id":""}');
INSERT INTO documents VALUES(15,'books','d5ca8183-2db3-436e-b8a5-a413452d9711','{"title":"Money as an exponent","isbn":"m5","price":1500,"pages":0,"weight":0,"published":"","signed":true,"status":"new","seen_at":"","tags":[],"note":"","author_id":""}');
INSERT INTO documents VALUES(16,'books','2c087d87-ea7c-4de8-afbe-dbbb95e8aed7','{"title":"Money of nothing","isbn":"m6","price":0,"pages":0,"weight":0,"published":"","signed":true,"status":"new","seen_at":"","tags":[],"note":"","author_id":""}');
INSERT INTO documents VALUES(17,'books','89b8f767-c74b-4c10-8bb9-6c4c4d0bd380','{"title":"Money to be refused","isbn":"m7","price":12.345,"pages":0,"weight":0,"published":"","signed":true,"status":"new","seen_at":"","tags":[],"note":"","author_id":""}');
INSERT INTO documents VALUES(18,'books','5ba379e9-5af1-485d-acef-7ff566a263c7','{"title":"TTTTTTTTTTTTTTTTTTTTTTTTTTTTTTTTTTTTTTTTTTTTTTTTTTTTTTTTTTTTTTTTTTTTTTTTTTTTTTTTTTTTTTTTTTTTTTTTTTTTTTTTTTTTTTTTTTTTTTTTTTTTTTTTTTTTTTTTTTTTTTTTTTTTTTTTTTTTTTTTTTTTTTTTTTTTTTTTTTTTTTTTTTTTTTTTTTTTTTTTTTTTTTTTTTTTTTTTTTTTTTTTTTTTTTTTTTTTTTTTTTTTTTTTTTTTTTTTTTTTTTTTTTTTTTTTTTTTTTTTTTTTTTTTTTTTTTTTTTTTTTTTTTTTTTTTTTTTTTTTTTTTTTTTTTTTTTTTTTTTTTTTTTTTTTTTTTTTTTTTTTTTTTTTTTTTTTTTTTTTTTTTTTTTTTTTTTTTTTTTTTTTTTTTTTTTTTTTTTTTTTTTTTTTTTTTTTTTTTTTTTTTTTTTTTTTTTTTTTTTTTTTTTTTTTTTTTTTTTTTTTTTTTTTTTTTTTTTTTTT","isbn":"","price":null,"pages":0,"weight":0,"published":"","signed":true,"status":"new","seen_at":"","tags":[],"note":"long long long long long long long long long long long long long long long long long long long long long long long long long long long long long long long long long long long long long long long long long long long long long long long long long long long long long long long long long long long long long long long long long long long long long long long long long long long long long long long long long long long long long long long long long long long long long long long long long long long long long long long long long long long long long long long long long long long long long long long long long long long long long long long long long long long long long long long long long long long long long long long long long long long long long long long long long long long long long long long long long long long long long long long long long long long long long long long long long long long long long long long long long long long long long long long long long long long long long long long long long long long long long long long long long long long long long long long long long long long long long long long long long long long long long long long long long long long long long long long long long long long long long long long long long long long long long long long long long long long long long long long long long long long long long long long long long long long long long long long long long long long long long long long long long long long long long long long long long long long long long long long long long long long long long long long long long long long long long long long long long long long long long long long long long long long long long long long long long long long long long long long long long long long long long long long long long long long long long long long long long long long long long long long long long long long long long long long long long long long long long long long long long long long long long long long long long long long long long long long long ","author_id":""}');
INSERT INTO documents VALUES(19,'books','9da52c4a-8cd8-4182-af34-1f5d55d1be0c','{"title":"Replaced twice","isbn":"r2","price":4.35,"pages":0,"weight":0,"published":"","signed":true,"status":"lost","seen_at":"","tags":[],"note":"","author_id":"25345033-d48e-4bab-9c38-40a9cc298b09"}');
CREATE TABLE refs (
  collection TEXT NOT NULL,
  id TEXT NOT NULL,
  of_collection TEXT NOT NULL,
  of_id TEXT NOT NULL,
  FOREIGN KEY (collection, id) REFERENCES documents (collection, id) ON DELETE CASCADE,
  FOREIGN KEY (of_collection, of_id) REFERENCES documents (collection, id)
);
INSERT INTO refs VALUES('books','3246ac57-9a51-42e5-9617-4be38fe072cc','authors','25345033-d48e-4bab-9c38-40a9cc298b09');
INSERT INTO refs VALUES('books','0c9f4674-d31d-4160-9e12-f4f9958584d5','authors','1097c2ea-1385-4b20-ba30-b27601c0670d');
INSERT INTO refs VALUES('books','bf52d195-b1be-4e5e-ba68-347a0fdf7710','authors','e82625f0-8b93-42c8-8540-3bca8233e84a');
INSERT INTO refs VALUES('books','9da52c4a-8cd8-4182-af34-1f5d55d1be0c','authors','25345033-d48e-4bab-9c38-40a9cc298b09');
DELETE FROM sqlite_sequence;
INSERT INTO sqlite_sequence VALUES('documents',19);
CREATE INDEX refs_from ON refs (collection, id);
CREATE INDEX refs_of ON refs (of_collection, of_id);
CREATE UNIQUE INDEX authors__email ON documents (json_extract(body, '$.email'))
  WHERE collection = 'authors' AND json_extract(body, '$.email') <> '';
CREATE UNIQUE INDEX books__isbn ON documents (json_extract(body, '$.isbn'))
  WHERE collection = 'books' AND json_extract(body, '$.isbn') <> '';
COMMIT;
