PRAGMA journal_mode=WAL;
PRAGMA foreign_keys=OFF;
BEGIN TRANSACTION;
CREATE TABLE documents (
	position INTEGER PRIMARY KEY AUTOINCREMENT,
	collection TEXT NOT NULL,
	id TEXT NOT NULL,
	body TEXT NOT NULL,
	UNIQUE (collection, id)
);
INSERT INTO documents VALUES(1,'authors','52ifabz7o6clnkhuoa3mlqfw4f','{"id":"52ifabz7o6clnkhuoa3mlqfw4f","name":"Ann O''Neil \"the \\ quill\"","email":"ann@example.com","born":"1964-02-29"}');
INSERT INTO documents VALUES(2,'authors','6rqw6224elv5rbbpbrdzkkjzxd','{"id":"6rqw6224elv5rbbpbrdzkkjzxd","name":"Bo Łukasz 李 😀","email":"","born":""}');
INSERT INTO documents VALUES(3,'authors','lqodbf246rzwvmirmnoec32zlk','{"id":"lqodbf246rzwvmirmnoec32zlk","name":"Cy; DROP TABLE documents; --","email":"","born":""}');
INSERT INTO documents VALUES(5,'books','rmkp434xtycw5wfw76azabvl2x','{"id":"rmkp434xtycw5wfw76azabvl2x","title":"Everything","isbn":"978-0-00-000000-1","price":19.99,"pages":320,"weight":0.3333333333333333,"published":"2024-02-29","signed":true,"status":"lent","seen_at":"2026-01-31T09:30:00Z","tags":["one","two"],"note":"plain","author_id":"52ifabz7o6clnkhuoa3mlqfw4f"}');
INSERT INTO documents VALUES(6,'books','z66akjlceqfjzvgk4xiri2cul6','{"id":"z66akjlceqfjzvgk4xiri2cul6","title":"Only what is required","isbn":"","price":null,"pages":0,"weight":0,"published":"","signed":true,"status":"new","seen_at":"","tags":[],"note":"","author_id":""}');
INSERT INTO documents VALUES(7,'books','rh47xr5oasukpkguawbtb5tu66','{"id":"rh47xr5oasukpkguawbtb5tu66","title":"All empty","isbn":"","price":null,"pages":0,"weight":0,"published":"","signed":true,"status":"new","seen_at":"","tags":[],"note":"","author_id":""}');
INSERT INTO documents VALUES(8,'books','7fzs46kwzqdfhxc7xfpc7zkhrt','{"id":"7fzs46kwzqdfhxc7xfpc7zkhrt","title":"Nulls","isbn":"","price":null,"pages":0,"weight":0,"published":"","signed":true,"status":"new","seen_at":"","tags":[],"note":"","author_id":""}');
INSERT INTO documents VALUES(9,'books','ziinuvai4j3rclejp6wcwimmq4','{"id":"ziinuvai4j3rclejp6wcwimmq4","title":"Ünïcödé — 李白 😀 \u2028","isbn":"ÄÖÜ-ß","price":0.1,"pages":1,"weight":0,"published":"","signed":false,"status":"new","seen_at":"","tags":["日本","é́","it''s \"x\""],"note":"zwei\nZeilen\r\nund\tTab","author_id":"6rqw6224elv5rbbpbrdzkkjzxd"}');
INSERT INTO documents VALUES(10,'books','aqwa5uxc7yw5iba4bykovm6l6v','{"id":"aqwa5uxc7yw5iba4bykovm6l6v","title":"''; DELETE FROM documents WHERE ''1''=''1'' -- \\ \"q\" %s $1 {}","isbn":"quo''te","price":0.29,"pages":0,"weight":-1.25,"published":"","signed":true,"status":"new","seen_at":"","tags":[""],"note":"\\n is no line","author_id":"lqodbf246rzwvmirmnoec32zlk"}');
INSERT INTO documents VALUES(11,'books','xondbqh6vvjv7ytcz3mstbojsg','{"id":"xondbqh6vvjv7ytcz3mstbojsg","title":"Money at its edge","isbn":"m1","price":9007199254740.93,"pages":9007199254740991,"weight":0,"published":"","signed":true,"status":"new","seen_at":"2026-01-31T23:30:00.250+02:00","tags":[],"note":"","author_id":""}');
INSERT INTO documents VALUES(12,'books','3objcuwboy4xmi2gtmkyuuucgv','{"id":"3objcuwboy4xmi2gtmkyuuucgv","title":"Money, trailing zeros","isbn":"m2","price":1.1,"pages":12,"weight":1e-7,"published":"","signed":true,"status":"new","seen_at":"","tags":[],"note":"","author_id":""}');
INSERT INTO documents VALUES(13,'books','ggnvbzgyf3tasppwoijyystl3n','{"id":"ggnvbzgyf3tasppwoijyystl3n","title":"Money without cents","isbn":"m3","price":12,"pages":0,"weight":0,"published":"1999-12-31","signed":true,"status":"new","seen_at":"","tags":[],"note":"","author_id":""}');
INSERT INTO documents VALUES(14,'books','d7wbt2h3kltwpq5k3d7gbvy3iz','{"id":"d7wbt2h3kltwpq5k3d7gbvy3iz","title":"Money, big","isbn":"m4","price":1234567890123.45,"pages":0,"weight":51.50735089999999,"published":"","signed":true,"status":"new","seen_at":"","tags":[],"note":"","author_id":""}');
INSERT INTO documents VALUES(15,'books','iuw65vqbux6ofasn2imeui5ynv','{"id":"iuw65vqbux6ofasn2imeui5ynv","title":"Money as an exponent","isbn":"m5","price":1500,"pages":0,"weight":0,"published":"","signed":true,"status":"new","seen_at":"","tags":[],"note":"","author_id":""}');
INSERT INTO documents VALUES(16,'books','hjuidw3qfiauzh6nou4tgqu4hv','{"id":"hjuidw3qfiauzh6nou4tgqu4hv","title":"Money of nothing","isbn":"m6","price":0,"pages":0,"weight":0,"published":"","signed":true,"status":"new","seen_at":"","tags":[],"note":"","author_id":""}');
INSERT INTO documents VALUES(17,'books','tx3choohwv2uheujvfrph45sua','{"id":"tx3choohwv2uheujvfrph45sua","title":"Money to be refused","isbn":"m7","price":12.345,"pages":0,"weight":0,"published":"","signed":true,"status":"new","seen_at":"","tags":[],"note":"","author_id":""}');
INSERT INTO documents VALUES(18,'books','kfougyfwfuwvp7ivxe34tcvecw','{"id":"kfougyfwfuwvp7ivxe34tcvecw","title":"TTTTTTTTTTTTTTTTTTTTTTTTTTTTTTTTTTTTTTTTTTTTTTTTTTTTTTTTTTTTTTTTTTTTTTTTTTTTTTTTTTTTTTTTTTTTTTTTTTTTTTTTTTTTTTTTTTTTTTTTTTTTTTTTTTTTTTTTTTTTTTTTTTTTTTTTTTTTTTTTTTTTTTTTTTTTTTTTTTTTTTTTTTTTTTTTTTTTTTTTTTTTTTTTTTTTTTTTTTTTTTTTTTTTTTTTTTTTTTTTTTTTTTTTTTTTTTTTTTTTTTTTTTTTTTTTTTTTTTTTTTTTTTTTTTTTTTTTTTTTTTTTTTTTTTTTTTTTTTTTTTTTTTTTTTTTTTTTTTTTTTTTTTTTTTTTTTTTTTTTTTTTTTTTTTTTTTTTTTTTTTTTTTTTTTTTTTTTTTTTTTTTTTTTTTTTTTTTTTTTTTTTTTTTTTTTTTTTTTTTTTTTTTTTTTTTTTTTTTTTTTTTTTTTTTTTTTTTTTTTTTTTTTTTTTTTTTTTTTTT","isbn":"","price":null,"pages":0,"weight":0,"published":"","signed":true,"status":"new","seen_at":"","tags":[],"note":"long long long long long long long long long long long long long long long long long long long long long long long long long long long long long long long long long long long long long long long long long long long long long long long long long long long long long long long long long long long long long long long long long long long long long long long long long long long long long long long long long long long long long long long long long long long long long long long long long long long long long long long long long long long long long long long long long long long long long long long long long long long long long long long long long long long long long long long long long long long long long long long long long long long long long long long long long long long long long long long long long long long long long long long long long long long long long long long long long long long long long long long long long long long long long long long long long long long long long long long long long long long long long long long long long long long long long long long long long long long long long long long long long long long long long long long long long long long long long long long long long long long long long long long long long long long long long long long long long long long long long long long long long long long long long long long long long long long long long long long long long long long long long long long long long long long long long long long long long long long long long long long long long long long long long long long long long long long long long long long long long long long long long long long long long long long long long long long long long long long long long long long long long long long long long long long long long long long long long long long long long long long long long long long long long long long long long long long long long long long long long long long long long long long long long long long long long long long long long long long long ","author_id":""}');
INSERT INTO documents VALUES(19,'books','wvhz3kbxjc5q64bnn5qxuih75s','{"id":"wvhz3kbxjc5q64bnn5qxuih75s","title":"Replaced twice","isbn":"r2","price":4.35,"pages":0,"weight":0,"published":"","signed":true,"status":"lost","seen_at":"","tags":[],"note":"","author_id":"52ifabz7o6clnkhuoa3mlqfw4f"}');
CREATE TABLE refs (
	collection TEXT NOT NULL,
	id TEXT NOT NULL,
	of_collection TEXT NOT NULL,
	of_id TEXT NOT NULL,
	FOREIGN KEY (collection, id) REFERENCES documents (collection, id) ON DELETE CASCADE,
	FOREIGN KEY (of_collection, of_id) REFERENCES documents (collection, id)
);
INSERT INTO refs VALUES('books','rmkp434xtycw5wfw76azabvl2x','authors','52ifabz7o6clnkhuoa3mlqfw4f');
INSERT INTO refs VALUES('books','ziinuvai4j3rclejp6wcwimmq4','authors','6rqw6224elv5rbbpbrdzkkjzxd');
INSERT INTO refs VALUES('books','aqwa5uxc7yw5iba4bykovm6l6v','authors','lqodbf246rzwvmirmnoec32zlk');
INSERT INTO refs VALUES('books','wvhz3kbxjc5q64bnn5qxuih75s','authors','52ifabz7o6clnkhuoa3mlqfw4f');
DELETE FROM sqlite_sequence;
INSERT INTO sqlite_sequence VALUES('documents',19);
CREATE INDEX refs_from ON refs (collection, id);
CREATE INDEX refs_of ON refs (of_collection, of_id);
CREATE UNIQUE INDEX authors__email ON documents (json_extract(body, '$.email'))
	WHERE collection = 'authors' AND json_extract(body, '$.email') <> '';
CREATE UNIQUE INDEX books__isbn ON documents (json_extract(body, '$.isbn'))
	WHERE collection = 'books' AND json_extract(body, '$.isbn') <> '';
COMMIT;
