SET statement_timeout = 0;
SET lock_timeout = 0;
SET idle_in_transaction_session_timeout = 0;
SET client_encoding = 'UTF8';
SET standard_conforming_strings = on;
SELECT pg_catalog.set_config('search_path', '', false);
SET check_function_bodies = false;
SET xmloption = content;
SET client_min_messages = warning;
SET row_security = off;
SET default_tablespace = '';
SET default_table_access_method = heap;
CREATE TABLE public.documents (
    collection text NOT NULL,
    id text NOT NULL,
    body json NOT NULL,
    "position" bigint NOT NULL
);
ALTER TABLE public.documents ALTER COLUMN "position" ADD GENERATED ALWAYS AS IDENTITY (
    SEQUENCE NAME public.documents_position_seq
    START WITH 1
    INCREMENT BY 1
    NO MINVALUE
    NO MAXVALUE
    CACHE 1
);
CREATE TABLE public.refs (
    collection text NOT NULL,
    id text NOT NULL,
    of_collection text NOT NULL,
    of_id text NOT NULL
);
INSERT INTO public.documents OVERRIDING SYSTEM VALUE VALUES ('authors', '919c5aa567444f21ba60ed078dc07ae5', '{"name": "Ann O''Neil \"the \\ quill\"", "email": "ann@example.com", "born": "1964-02-29"}', 1);
INSERT INTO public.documents OVERRIDING SYSTEM VALUE VALUES ('authors', 'ea58301974a149cfa09e65c87f008ab8', '{"name": "Bo \u0141ukasz \u674e \ud83d\ude00", "email": "", "born": ""}', 2);
INSERT INTO public.documents OVERRIDING SYSTEM VALUE VALUES ('authors', '60b0e6615ff34f178e0d2f026452d862', '{"name": "Cy; DROP TABLE documents; --", "email": "", "born": ""}', 3);
INSERT INTO public.documents OVERRIDING SYSTEM VALUE VALUES ('books', '32cfbbb58d8a480884c8594276d36777', '{"title": "Everything", "isbn": "978-0-00-000000-1", "price": 19.99, "pages": 320, "weight": 0.3333333333333333, "published": "2024-02-29", "signed": true, "status": "lent", "seen_at": "2026-01-31T09:30:00Z", "tags": ["one", "two"], "note": "plain", "author_id": "919c5aa567444f21ba60ed078dc07ae5"}', 5);
INSERT INTO public.documents OVERRIDING SYSTEM VALUE VALUES ('books', '3cc69171047f4015af43dd459b88eef3', '{"title": "Only what is required", "isbn": "", "price": null, "pages": 0, "weight": 0, "published": "", "signed": true, "status": "new", "seen_at": "", "tags": [], "note": "", "author_id": ""}', 6);
INSERT INTO public.documents OVERRIDING SYSTEM VALUE VALUES ('books', '80b34fc7d1484d8ca8025e5bb26ef3e4', '{"title": "All empty", "isbn": "", "price": null, "pages": 0, "weight": 0, "published": "", "signed": true, "status": "new", "seen_at": "", "tags": [], "note": "", "author_id": ""}', 7);
INSERT INTO public.documents OVERRIDING SYSTEM VALUE VALUES ('books', '0ee24465bb5c48c8aa821a4d10b199c9', '{"title": "Nulls", "isbn": "", "price": null, "pages": 0, "weight": 0, "published": "", "signed": true, "status": "new", "seen_at": "", "tags": [], "note": "", "author_id": ""}', 8);
INSERT INTO public.documents OVERRIDING SYSTEM VALUE VALUES ('books', 'c374b77fd02a4fe59dfe046b3caf0898', '{"title": "\u00dcn\u00efc\u00f6d\u00e9 \u2014 \u674e\u767d \ud83d\ude00 \u2028", "isbn": "\u00c4\u00d6\u00dc-\u00df", "price": 0.1, "pages": 1, "weight": 0, "published": "", "signed": false, "status": "new", "seen_at": "", "tags": ["\u65e5\u672c", "\u00e9\u0301", "it''s \"x\""], "note": "zwei\nZeilen\r\nund\tTab", "author_id": "ea58301974a149cfa09e65c87f008ab8"}', 9);
INSERT INTO public.documents OVERRIDING SYSTEM VALUE VALUES ('books', '702c62c3fd5e4b5f8a968915a04ddb69', '{"title": "''; DELETE FROM documents WHERE ''1''=''1'' -- \\ \"q\" %s $1 {}", "isbn": "quo''te", "price": 0.29, "pages": 0, "weight": -1.25, "published": "", "signed": true, "status": "new", "seen_at": "", "tags": [""], "note": "\\n is no line", "author_id": "60b0e6615ff34f178e0d2f026452d862"}', 10);
INSERT INTO public.documents OVERRIDING SYSTEM VALUE VALUES ('books', 'f1ac561c0bb14bfdae3bf8ee00eaf4e3', '{"title": "Money at its edge", "isbn": "m1", "price": 9007199254740.93, "pages": 9007199254740991, "weight": 0, "published": "", "signed": true, "status": "new", "seen_at": "2026-01-31T23:30:00.250+02:00", "tags": [], "note": "", "author_id": ""}', 11);
INSERT INTO public.documents OVERRIDING SYSTEM VALUE VALUES ('books', '0a4285331bbc4f9e8f1b6db1d85ecf26', '{"title": "Money, trailing zeros", "isbn": "m2", "price": 1.1, "pages": 12, "weight": 1e-07, "published": "", "signed": true, "status": "new", "seen_at": "", "tags": [], "note": "", "author_id": ""}', 12);
INSERT INTO public.documents OVERRIDING SYSTEM VALUE VALUES ('books', '1261f6b40cc24b20a88c57a0f9ee0df8', '{"title": "Money without cents", "isbn": "m3", "price": 12, "pages": 0, "weight": 0, "published": "1999-12-31", "signed": true, "status": "new", "seen_at": "", "tags": [], "note": "", "author_id": ""}', 13);
INSERT INTO public.documents OVERRIDING SYSTEM VALUE VALUES ('books', 'b19afc8d7a334722a5e88ef4e4b9e7dd', '{"title": "Money, big", "isbn": "m4", "price": 1234567890123.45, "pages": 0, "weight": 51.50735089999999, "published": "", "signed": true, "status": "new", "seen_at": "", "tags": [], "note": "", "author_id": ""}', 14);
INSERT INTO public.documents OVERRIDING SYSTEM VALUE VALUES ('books', '862fa21229f94cfc86001d6bc6010315', '{"title": "Money as an exponent", "isbn": "m5", "price": 1500.0, "pages": 0, "weight": 0, "published": "", "signed": true, "status": "new", "seen_at": "", "tags": [], "note": "", "author_id": ""}', 15);
INSERT INTO public.documents OVERRIDING SYSTEM VALUE VALUES ('books', 'a1fad792dcf544eaaa52dc7c6a017238', '{"title": "Money of nothing", "isbn": "m6", "price": 0, "pages": 0, "weight": 0, "published": "", "signed": true, "status": "new", "seen_at": "", "tags": [], "note": "", "author_id": ""}', 16);
INSERT INTO public.documents OVERRIDING SYSTEM VALUE VALUES ('books', 'e15aeddf37514d1b9a6fe8f4522d3d81', '{"title": "Money to be refused", "isbn": "m7", "price": 12.345, "pages": 0, "weight": 0, "published": "", "signed": true, "status": "new", "seen_at": "", "tags": [], "note": "", "author_id": ""}', 17);
INSERT INTO public.documents OVERRIDING SYSTEM VALUE VALUES ('books', '9d08f98d8b774e408d3ffdf06531eb38', '{"title": "TTTTTTTTTTTTTTTTTTTTTTTTTTTTTTTTTTTTTTTTTTTTTTTTTTTTTTTTTTTTTTTTTTTTTTTTTTTTTTTTTTTTTTTTTTTTTTTTTTTTTTTTTTTTTTTTTTTTTTTTTTTTTTTTTTTTTTTTTTTTTTTTTTTTTTTTTTTTTTTTTTTTTTTTTTTTTTTTTTTTTTTTTTTTTTTTTTTTTTTTTTTTTTTTTTTTTTTTTTTTTTTTTTTTTTTTTTTTTTTTTTTTTTTTTTTTTTTTTTTTTTTTTTTTTTTTTTTTTTTTTTTTTTTTTTTTTTTTTTTTTTTTTTTTTTTTTTTTTTTTTTTTTTTTTTTTTTTTTTTTTTTTTTTTTTTTTTTTTTTTTTTTTTTTTTTTTTTTTTTTTTTTTTTTTTTTTTTTTTTTTTTTTTTTTTTTTTTTTTTTTTTTTTTTTTTTTTTTTTTTTTTTTTTTTTTTTTTTTTTTTTTTTTTTTTTTTTTTTTTTTTTTTTTTTTTTTTTTTTTT", "isbn": "", "price": null, "pages": 0, "weight": 0, "published": "", "signed": true, "status": "new", "seen_at": "", "tags": [], "note": "long long long long long long long long long long long long long long long long long long long long long long long long long long long long long long long long long long long long long long long long long long long long long long long long long long long long long long long long long long long long long long long long long long long long long long long long long long long long long long long long long long long long long long long long long long long long long long long long long long long long long long long long long long long long long long long long long long long long long long long long long long long long long long long long long long long long long long long long long long long long long long long long long long long long long long long long long long long long long long long long long long long long long long long long long long long long long long long long long long long long long long long long long long long long long long long long long long long long long long long long long long long long long long long long long long long long long long long long long long long long long long long long long long long long long long long long long long long long long long long long long long long long long long long long long long long long long long long long long long long long long long long long long long long long long long long long long long long long long long long long long long long long long long long long long long long long long long long long long long long long long long long long long long long long long long long long long long long long long long long long long long long long long long long long long long long long long long long long long long long long long long long long long long long long long long long long long long long long long long long long long long long long long long long long long long long long long long long long long long long long long long long long long long long long long long long long long long long long long long long long ", "author_id": ""}', 18);
INSERT INTO public.documents OVERRIDING SYSTEM VALUE VALUES ('books', '886233cc56034718aec156dcedf3dee5', '{"title": "Replaced twice", "isbn": "r2", "price": 4.35, "pages": 0, "weight": 0, "published": "", "signed": true, "status": "lost", "seen_at": "", "tags": [], "note": "", "author_id": "919c5aa567444f21ba60ed078dc07ae5"}', 19);
INSERT INTO public.refs VALUES ('books', '32cfbbb58d8a480884c8594276d36777', 'authors', '919c5aa567444f21ba60ed078dc07ae5');
INSERT INTO public.refs VALUES ('books', 'c374b77fd02a4fe59dfe046b3caf0898', 'authors', 'ea58301974a149cfa09e65c87f008ab8');
INSERT INTO public.refs VALUES ('books', '702c62c3fd5e4b5f8a968915a04ddb69', 'authors', '60b0e6615ff34f178e0d2f026452d862');
INSERT INTO public.refs VALUES ('books', '886233cc56034718aec156dcedf3dee5', 'authors', '919c5aa567444f21ba60ed078dc07ae5');
SELECT pg_catalog.setval('public.documents_position_seq', 19, true);
ALTER TABLE ONLY public.documents
    ADD CONSTRAINT documents_pkey PRIMARY KEY (collection, id);
CREATE UNIQUE INDEX authors__email ON public.documents USING btree (md5(
CASE json_typeof((body -> 'email'::text))
    WHEN 'number'::text THEN (trim_scale(((body ->> 'email'::text))::numeric))::text
    ELSE (body ->> 'email'::text)
END)) WHERE ((collection = 'authors'::text) AND ((body ->> 'email'::text) <> ''::text));
CREATE UNIQUE INDEX books__isbn ON public.documents USING btree (md5(
CASE json_typeof((body -> 'isbn'::text))
    WHEN 'number'::text THEN (trim_scale(((body ->> 'isbn'::text))::numeric))::text
    ELSE (body ->> 'isbn'::text)
END)) WHERE ((collection = 'books'::text) AND ((body ->> 'isbn'::text) <> ''::text));
CREATE INDEX documents_in_order ON public.documents USING btree (collection, "position");
CREATE INDEX refs_from ON public.refs USING btree (collection, id);
CREATE INDEX refs_of ON public.refs USING btree (of_collection, of_id);
ALTER TABLE ONLY public.refs
    ADD CONSTRAINT refs_collection_id_fkey FOREIGN KEY (collection, id) REFERENCES public.documents(collection, id) ON DELETE CASCADE;
ALTER TABLE ONLY public.refs
    ADD CONSTRAINT refs_of_collection_of_id_fkey FOREIGN KEY (of_collection, of_id) REFERENCES public.documents(collection, id);
