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
INSERT INTO public.documents OVERRIDING SYSTEM VALUE VALUES ('authors', 'yymfratbllxjol6vuzewe4ayud', '{"id": "yymfratbllxjol6vuzewe4ayud", "born": "1964-02-29", "name": "Ann O''Neil \"the \\ quill\"", "email": "ann@example.com"}', 1);
INSERT INTO public.documents OVERRIDING SYSTEM VALUE VALUES ('authors', 'dj5knai7ulcf4bmci3juekmw72', '{"id": "dj5knai7ulcf4bmci3juekmw72", "born": "", "name": "Bo Łukasz 李 😀", "email": ""}', 2);
INSERT INTO public.documents OVERRIDING SYSTEM VALUE VALUES ('authors', 'kvf2ole6mj3p2qxtf3t5nppagv', '{"id": "kvf2ole6mj3p2qxtf3t5nppagv", "born": "", "name": "Cy; DROP TABLE documents; --", "email": ""}', 3);
INSERT INTO public.documents OVERRIDING SYSTEM VALUE VALUES ('books', '4tkvf5ijizuame2agxpzymiunm', '{"id": "4tkvf5ijizuame2agxpzymiunm", "isbn": "978-0-00-000000-1", "note": "plain", "tags": ["one", "two"], "pages": 320, "price": 19.99, "title": "Everything", "signed": true, "status": "lent", "weight": 0.3333333333333333, "seen_at": "2026-01-31T09:30:00Z", "author_id": "yymfratbllxjol6vuzewe4ayud", "published": "2024-02-29"}', 5);
INSERT INTO public.documents OVERRIDING SYSTEM VALUE VALUES ('books', 'cjo5ya543hlyiroln23ne6sjaa', '{"id": "cjo5ya543hlyiroln23ne6sjaa", "isbn": "", "note": "", "tags": [], "pages": 0, "price": null, "title": "Only what is required", "signed": true, "status": "new", "weight": 0, "seen_at": "", "author_id": "", "published": ""}', 6);
INSERT INTO public.documents OVERRIDING SYSTEM VALUE VALUES ('books', 'twr37rpissvt2lnjnfqdrroc4t', '{"id": "twr37rpissvt2lnjnfqdrroc4t", "isbn": "", "note": "", "tags": [], "pages": 0, "price": null, "title": "All empty", "signed": true, "status": "new", "weight": 0, "seen_at": "", "author_id": "", "published": ""}', 7);
INSERT INTO public.documents OVERRIDING SYSTEM VALUE VALUES ('books', 'btgttppbp2cw43ojgchmrrp7cx', '{"id": "btgttppbp2cw43ojgchmrrp7cx", "isbn": "", "note": "", "tags": [], "pages": 0, "price": null, "title": "Nulls", "signed": true, "status": "new", "weight": 0, "seen_at": "", "author_id": "", "published": ""}', 8);
INSERT INTO public.documents OVERRIDING SYSTEM VALUE VALUES ('books', '7fpzqq2elzfqgn2a7x5trgk4bm', '{"id": "7fpzqq2elzfqgn2a7x5trgk4bm", "isbn": "ÄÖÜ-ß", "note": "zwei\nZeilen\r\nund\tTab", "tags": ["日本", "é́", "it''s \"x\""], "pages": 1, "price": 0.1, "title": "Ünïcödé — 李白 😀  ", "signed": false, "status": "new", "weight": 0, "seen_at": "", "author_id": "dj5knai7ulcf4bmci3juekmw72", "published": ""}', 9);
INSERT INTO public.documents OVERRIDING SYSTEM VALUE VALUES ('books', '7asj35kp4reswlfjvvyrdljofx', '{"id": "7asj35kp4reswlfjvvyrdljofx", "isbn": "quo''te", "note": "\\n is no line", "tags": [""], "pages": 0, "price": 0.29, "title": "''; DELETE FROM documents WHERE ''1''=''1'' -- \\ \"q\" %s $1 {}", "signed": true, "status": "new", "weight": -1.25, "seen_at": "", "author_id": "kvf2ole6mj3p2qxtf3t5nppagv", "published": ""}', 10);
INSERT INTO public.documents OVERRIDING SYSTEM VALUE VALUES ('books', 'gxjueh3ujs7s6ig57ed7bofvuw', '{"id": "gxjueh3ujs7s6ig57ed7bofvuw", "isbn": "m1", "note": "", "tags": [], "pages": 9007199254740991, "price": 9007199254740.93, "title": "Money at its edge", "signed": true, "status": "new", "weight": 0, "seen_at": "2026-01-31T23:30:00.250+02:00", "author_id": "", "published": ""}', 11);
INSERT INTO public.documents OVERRIDING SYSTEM VALUE VALUES ('books', '4x27dwdsax3kurg7vefkgrdqun', '{"id": "4x27dwdsax3kurg7vefkgrdqun", "isbn": "m2", "note": "", "tags": [], "pages": 12, "price": 1.1, "title": "Money, trailing zeros", "signed": true, "status": "new", "weight": 0.0000001, "seen_at": "", "author_id": "", "published": ""}', 12);
INSERT INTO public.documents OVERRIDING SYSTEM VALUE VALUES ('books', 'mtsznocxxqt4wj5wa7y5rfxac7', '{"id": "mtsznocxxqt4wj5wa7y5rfxac7", "isbn": "m3", "note": "", "tags": [], "pages": 0, "price": 12, "title": "Money without cents", "signed": true, "status": "new", "weight": 0, "seen_at": "", "author_id": "", "published": "1999-12-31"}', 13);
INSERT INTO public.documents OVERRIDING SYSTEM VALUE VALUES ('books', '7fldsxyffu4lsmp5xtnm7526mu', '{"id": "7fldsxyffu4lsmp5xtnm7526mu", "isbn": "m4", "note": "", "tags": [], "pages": 0, "price": 1234567890123.45, "title": "Money, big", "signed": true, "status": "new", "weight": 51.50735089999999, "seen_at": "", "author_id": "", "published": ""}', 14);
INSERT INTO public.documents OVERRIDING SYSTEM VALUE VALUES ('books', 'llivzk4icfmahaygvcpsybmbyw', '{"id": "llivzk4icfmahaygvcpsybmbyw", "isbn": "m5", "note": "", "tags": [], "pages": 0, "price": 1500, "title": "Money as an exponent", "signed": true, "status": "new", "weight": 0, "seen_at": "", "author_id": "", "published": ""}', 15);
INSERT INTO public.documents OVERRIDING SYSTEM VALUE VALUES ('books', '7ppx6qyxrhjeyyvp4hcdfkgg3c', '{"id": "7ppx6qyxrhjeyyvp4hcdfkgg3c", "isbn": "m6", "note": "", "tags": [], "pages": 0, "price": 0, "title": "Money of nothing", "signed": true, "status": "new", "weight": 0, "seen_at": "", "author_id": "", "published": ""}', 16);
INSERT INTO public.documents OVERRIDING SYSTEM VALUE VALUES ('books', 'vdgvtw6gjxlei5larpp67bfng6', '{"id": "vdgvtw6gjxlei5larpp67bfng6", "isbn": "m7", "note": "", "tags": [], "pages": 0, "price": 12.345, "title": "Money to be refused", "signed": true, "status": "new", "weight": 0, "seen_at": "", "author_id": "", "published": ""}', 17);
INSERT INTO public.documents OVERRIDING SYSTEM VALUE VALUES ('books', '5oqvyrpc255yl5w6fri4pq37oj', '{"id": "5oqvyrpc255yl5w6fri4pq37oj", "isbn": "", "note": "long long long long long long long long long long long long long long long long long long long long long long long long long long long long long long long long long long long long long long long long long long long long long long long long long long long long long long long long long long long long long long long long long long long long long long long long long long long long long long long long long long long long long long long long long long long long long long long long long long long long long long long long long long long long long long long long long long long long long long long long long long long long long long long long long long long long long long long long long long long long long long long long long long long long long long long long long long long long long long long long long long long long long long long long long long long long long long long long long long long long long long long long long long long long long long long long long long long long long long long long long long long long long long long long long long long long long long long long long long long long long long long long long long long long long long long long long long long long long long long long long long long long long long long long long long long long long long long long long long long long long long long long long long long long long long long long long long long long long long long long long long long long long long long long long long long long long long long long long long long long long long long long long long long long long long long long long long long long long long long long long long long long long long long long long long long long long long long long long long long long long long long long long long long long long long long long long long long long long long long long long long long long long long long long long long long long long long long long long long long long long long long long long long long long long long long long long long long long long long long long ", "tags": [], "pages": 0, "price": null, "title": "TTTTTTTTTTTTTTTTTTTTTTTTTTTTTTTTTTTTTTTTTTTTTTTTTTTTTTTTTTTTTTTTTTTTTTTTTTTTTTTTTTTTTTTTTTTTTTTTTTTTTTTTTTTTTTTTTTTTTTTTTTTTTTTTTTTTTTTTTTTTTTTTTTTTTTTTTTTTTTTTTTTTTTTTTTTTTTTTTTTTTTTTTTTTTTTTTTTTTTTTTTTTTTTTTTTTTTTTTTTTTTTTTTTTTTTTTTTTTTTTTTTTTTTTTTTTTTTTTTTTTTTTTTTTTTTTTTTTTTTTTTTTTTTTTTTTTTTTTTTTTTTTTTTTTTTTTTTTTTTTTTTTTTTTTTTTTTTTTTTTTTTTTTTTTTTTTTTTTTTTTTTTTTTTTTTTTTTTTTTTTTTTTTTTTTTTTTTTTTTTTTTTTTTTTTTTTTTTTTTTTTTTTTTTTTTTTTTTTTTTTTTTTTTTTTTTTTTTTTTTTTTTTTTTTTTTTTTTTTTTTTTTTTTTTTTTTTTTTTTT", "signed": true, "status": "new", "weight": 0, "seen_at": "", "author_id": "", "published": ""}', 18);
INSERT INTO public.documents OVERRIDING SYSTEM VALUE VALUES ('books', '3wvpreh24hunxl4rxd2cwc3fds', '{"id": "3wvpreh24hunxl4rxd2cwc3fds", "isbn": "r2", "note": "", "tags": [], "pages": 0, "price": 4.35, "title": "Replaced twice", "signed": true, "status": "lost", "weight": 0, "seen_at": "", "author_id": "yymfratbllxjol6vuzewe4ayud", "published": ""}', 19);
INSERT INTO public.refs VALUES ('books', '4tkvf5ijizuame2agxpzymiunm', 'authors', 'yymfratbllxjol6vuzewe4ayud');
INSERT INTO public.refs VALUES ('books', '7fpzqq2elzfqgn2a7x5trgk4bm', 'authors', 'dj5knai7ulcf4bmci3juekmw72');
INSERT INTO public.refs VALUES ('books', '7asj35kp4reswlfjvvyrdljofx', 'authors', 'kvf2ole6mj3p2qxtf3t5nppagv');
INSERT INTO public.refs VALUES ('books', '3wvpreh24hunxl4rxd2cwc3fds', 'authors', 'yymfratbllxjol6vuzewe4ayud');
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
