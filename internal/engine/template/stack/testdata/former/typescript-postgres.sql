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
    body jsonb NOT NULL,
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
INSERT INTO public.documents OVERRIDING SYSTEM VALUE VALUES ('authors', 'd72a0ecc-06c6-4c38-b04a-8895a061a362', '{"born": "1964-02-29", "name": "Ann O''Neil \"the \\ quill\"", "email": "ann@example.com"}', 1);
INSERT INTO public.documents OVERRIDING SYSTEM VALUE VALUES ('authors', '76d381bb-db87-4a8a-b161-90ca204e4410', '{"born": "", "name": "Bo Łukasz 李 😀", "email": ""}', 2);
INSERT INTO public.documents OVERRIDING SYSTEM VALUE VALUES ('authors', '9aa8936b-3012-408f-afde-6681ca3a27a3', '{"born": "", "name": "Cy; DROP TABLE documents; --", "email": ""}', 3);
INSERT INTO public.documents OVERRIDING SYSTEM VALUE VALUES ('books', 'a176711e-36ab-4691-ae7f-d40d86e8dde7', '{"isbn": "978-0-00-000000-1", "note": "plain", "tags": ["one", "two"], "pages": 320, "price": 19.99, "title": "Everything", "signed": true, "status": "lent", "weight": 0.3333333333333333, "seen_at": "2026-01-31T09:30:00Z", "author_id": "d72a0ecc-06c6-4c38-b04a-8895a061a362", "published": "2024-02-29"}', 5);
INSERT INTO public.documents OVERRIDING SYSTEM VALUE VALUES ('books', '8423cffc-5b65-4216-9f58-488965950bc7', '{"isbn": "", "note": "", "tags": [], "pages": 0, "price": null, "title": "Only what is required", "signed": true, "status": "new", "weight": 0, "seen_at": "", "author_id": "", "published": ""}', 6);
INSERT INTO public.documents OVERRIDING SYSTEM VALUE VALUES ('books', 'a00c296a-f83a-4f8f-928b-946b7b058d66', '{"isbn": "", "note": "", "tags": [], "pages": 0, "price": null, "title": "All empty", "signed": true, "status": "new", "weight": 0, "seen_at": "", "author_id": "", "published": ""}', 7);
INSERT INTO public.documents OVERRIDING SYSTEM VALUE VALUES ('books', '42e1f016-5580-4c5c-9b9a-72b911aef664', '{"isbn": "", "note": "", "tags": [], "pages": 0, "price": null, "title": "Nulls", "signed": true, "status": "new", "weight": 0, "seen_at": "", "author_id": "", "published": ""}', 8);
INSERT INTO public.documents OVERRIDING SYSTEM VALUE VALUES ('books', '830d2005-a278-44c1-8868-83d7a7bda068', '{"isbn": "ÄÖÜ-ß", "note": "zwei\nZeilen\r\nund\tTab", "tags": ["日本", "é́", "it''s \"x\""], "pages": 1, "price": 0.1, "title": "Ünïcödé — 李白 😀  ", "signed": false, "status": "new", "weight": 0, "seen_at": "", "author_id": "76d381bb-db87-4a8a-b161-90ca204e4410", "published": ""}', 9);
INSERT INTO public.documents OVERRIDING SYSTEM VALUE VALUES ('books', 'c30f5400-5e63-4e64-bfae-7be5cffd9ac6', '{"isbn": "quo''te", "note": "\\n is no line", "tags": [""], "pages": 0, "price": 0.29, "title": "''; DELETE FROM documents WHERE ''1''=''1'' -- \\ \"q\" %s $1 {}", "signed": true, "status": "new", "weight": -1.25, "seen_at": "", "author_id": "9aa8936b-3012-408f-afde-6681ca3a27a3", "published": ""}', 10);
INSERT INTO public.documents OVERRIDING SYSTEM VALUE VALUES ('books', 'cdfbc6d2-1dba-4f32-913b-ef698c574cd9', '{"isbn": "m1", "note": "", "tags": [], "pages": 9007199254740991, "price": 9007199254740.93, "title": "Money at its edge", "signed": true, "status": "new", "weight": 0, "seen_at": "2026-01-31T23:30:00.250+02:00", "author_id": "", "published": ""}', 11);
INSERT INTO public.documents OVERRIDING SYSTEM VALUE VALUES ('books', '57d1ba8a-56c2-4985-aae6-f117f9f2470e', '{"isbn": "m2", "note": "", "tags": [], "pages": 12, "price": 1.1, "title": "Money, trailing zeros", "signed": true, "status": "new", "weight": 0.0000001, "seen_at": "", "author_id": "", "published": ""}', 12);
INSERT INTO public.documents OVERRIDING SYSTEM VALUE VALUES ('books', '8c0f2365-8bbd-4a58-87ad-5f6ad7d63991', '{"isbn": "m3", "note": "", "tags": [], "pages": 0, "price": 12, "title": "Money without cents", "signed": true, "status": "new", "weight": 0, "seen_at": "", "author_id": "", "published": "1999-12-31"}', 13);
INSERT INTO public.documents OVERRIDING SYSTEM VALUE VALUES ('books', '63e5fbe8-e944-490a-b87c-311eaac602b5', '{"isbn": "m4", "note": "", "tags": [], "pages": 0, "price": 1234567890123.45, "title": "Money, big", "signed": true, "status": "new", "weight": 51.50735089999999, "seen_at": "", "author_id": "", "published": ""}', 14);
INSERT INTO public.documents OVERRIDING SYSTEM VALUE VALUES ('books', 'a015d39e-7e82-4076-b962-529a2663ad95', '{"isbn": "m5", "note": "", "tags": [], "pages": 0, "price": 1500, "title": "Money as an exponent", "signed": true, "status": "new", "weight": 0, "seen_at": "", "author_id": "", "published": ""}', 15);
INSERT INTO public.documents OVERRIDING SYSTEM VALUE VALUES ('books', '3e77d402-8fbe-4765-937f-5853967810ce', '{"isbn": "m6", "note": "", "tags": [], "pages": 0, "price": 0, "title": "Money of nothing", "signed": true, "status": "new", "weight": 0, "seen_at": "", "author_id": "", "published": ""}', 16);
INSERT INTO public.documents OVERRIDING SYSTEM VALUE VALUES ('books', 'acd53b62-a9d2-4a41-98dc-451244d773b8', '{"isbn": "m7", "note": "", "tags": [], "pages": 0, "price": 12.345, "title": "Money to be refused", "signed": true, "status": "new", "weight": 0, "seen_at": "", "author_id": "", "published": ""}', 17);
INSERT INTO public.documents OVERRIDING SYSTEM VALUE VALUES ('books', '3f8f2ec6-0d79-4a35-a2e6-67fabaaca272', '{"isbn": "", "note": "long long long long long long long long long long long long long long long long long long long long long long long long long long long long long long long long long long long long long long long long long long long long long long long long long long long long long long long long long long long long long long long long long long long long long long long long long long long long long long long long long long long long long long long long long long long long long long long long long long long long long long long long long long long long long long long long long long long long long long long long long long long long long long long long long long long long long long long long long long long long long long long long long long long long long long long long long long long long long long long long long long long long long long long long long long long long long long long long long long long long long long long long long long long long long long long long long long long long long long long long long long long long long long long long long long long long long long long long long long long long long long long long long long long long long long long long long long long long long long long long long long long long long long long long long long long long long long long long long long long long long long long long long long long long long long long long long long long long long long long long long long long long long long long long long long long long long long long long long long long long long long long long long long long long long long long long long long long long long long long long long long long long long long long long long long long long long long long long long long long long long long long long long long long long long long long long long long long long long long long long long long long long long long long long long long long long long long long long long long long long long long long long long long long long long long long long long long long long long long long long ", "tags": [], "pages": 0, "price": null, "title": "TTTTTTTTTTTTTTTTTTTTTTTTTTTTTTTTTTTTTTTTTTTTTTTTTTTTTTTTTTTTTTTTTTTTTTTTTTTTTTTTTTTTTTTTTTTTTTTTTTTTTTTTTTTTTTTTTTTTTTTTTTTTTTTTTTTTTTTTTTTTTTTTTTTTTTTTTTTTTTTTTTTTTTTTTTTTTTTTTTTTTTTTTTTTTTTTTTTTTTTTTTTTTTTTTTTTTTTTTTTTTTTTTTTTTTTTTTTTTTTTTTTTTTTTTTTTTTTTTTTTTTTTTTTTTTTTTTTTTTTTTTTTTTTTTTTTTTTTTTTTTTTTTTTTTTTTTTTTTTTTTTTTTTTTTTTTTTTTTTTTTTTTTTTTTTTTTTTTTTTTTTTTTTTTTTTTTTTTTTTTTTTTTTTTTTTTTTTTTTTTTTTTTTTTTTTTTTTTTTTTTTTTTTTTTTTTTTTTTTTTTTTTTTTTTTTTTTTTTTTTTTTTTTTTTTTTTTTTTTTTTTTTTTTTTTTTTTTTTTTT", "signed": true, "status": "new", "weight": 0, "seen_at": "", "author_id": "", "published": ""}', 18);
INSERT INTO public.documents OVERRIDING SYSTEM VALUE VALUES ('books', '1c31d380-966f-4ffa-992d-d1d3b45537e3', '{"isbn": "r2", "note": "", "tags": [], "pages": 0, "price": 4.35, "title": "Replaced twice", "signed": true, "status": "lost", "weight": 0, "seen_at": "", "author_id": "d72a0ecc-06c6-4c38-b04a-8895a061a362", "published": ""}', 19);
INSERT INTO public.refs VALUES ('books', 'a176711e-36ab-4691-ae7f-d40d86e8dde7', 'authors', 'd72a0ecc-06c6-4c38-b04a-8895a061a362');
INSERT INTO public.refs VALUES ('books', '830d2005-a278-44c1-8868-83d7a7bda068', 'authors', '76d381bb-db87-4a8a-b161-90ca204e4410');
INSERT INTO public.refs VALUES ('books', 'c30f5400-5e63-4e64-bfae-7be5cffd9ac6', 'authors', '9aa8936b-3012-408f-afde-6681ca3a27a3');
INSERT INTO public.refs VALUES ('books', '1c31d380-966f-4ffa-992d-d1d3b45537e3', 'authors', 'd72a0ecc-06c6-4c38-b04a-8895a061a362');
SELECT pg_catalog.setval('public.documents_position_seq', 19, true);
ALTER TABLE ONLY public.documents
    ADD CONSTRAINT documents_pkey PRIMARY KEY (collection, id);
CREATE UNIQUE INDEX authors__email ON public.documents USING btree (md5((body ->> 'email'::text))) WHERE ((collection = 'authors'::text) AND ((body ->> 'email'::text) <> ''::text));
CREATE UNIQUE INDEX books__isbn ON public.documents USING btree (md5((body ->> 'isbn'::text))) WHERE ((collection = 'books'::text) AND ((body ->> 'isbn'::text) <> ''::text));
CREATE INDEX documents_in_order ON public.documents USING btree (collection, "position");
CREATE INDEX refs_from ON public.refs USING btree (collection, id);
CREATE INDEX refs_of ON public.refs USING btree (of_collection, of_id);
ALTER TABLE ONLY public.refs
    ADD CONSTRAINT refs_collection_id_fkey FOREIGN KEY (collection, id) REFERENCES public.documents(collection, id) ON DELETE CASCADE;
ALTER TABLE ONLY public.refs
    ADD CONSTRAINT refs_of_collection_of_id_fkey FOREIGN KEY (of_collection, of_id) REFERENCES public.documents(collection, id);
