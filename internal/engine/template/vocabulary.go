package template

import "strings"

// class says what a phrase of the vocabulary means; the value says which one.
type class string

const (
	isStop      class = "stop"      // says nothing
	isKind      class = "kind"      // what is to be made
	isLanguage  class = "language"  // what it is written in
	isDatabase  class = "database"  // where records are kept
	isAuth      class = "auth"      // who may use it
	isCORS      class = "cors"      // what browsers may do
	isLicense   class = "license"   // under which license
	isGiven     class = "given"     // every project has it, or its kind
	isDetail    class = "detail"    // known, and left out: the value says what
	isHeart     class = "heart"     // known, and nothing without it: refused
	isPort      class = "port"      // a number follows
	isModule    class = "module"    // a module path follows
	isNamed     class = "named"     // a name follows
	opensThings class = "things"    // names of things follow
	opensFields class = "fields"    // fields of a thing, or parts of a page, follow
	opensPlace  class = "place"     // a place follows
	isRelation  class = "relation"  // the thing to which another belongs follows
	isJoin      class = "join"      // joins two of a list
	isDenial    class = "denial"    // what follows is not wanted
	isContainer class = "container" // holds the things before it
	isOperation class = "operation" // what a command does
	isAdding    class = "adding"
	isRemoving  class = "removing"
	isRenaming  class = "renaming"
	isTo        class = "to" // the end of a change: add price to books
)

// meaning is one entry of the vocabulary.
type meaning struct {
	class class
	value string
}

// row gives phrases, with commas between, their meaning.
type row struct {
	class   class
	value   string
	phrases string
}

// vocabulary is every phrase that has a meaning wherever it stands. To teach the
// engine a word is to add it to a row.
var vocabulary = func() map[string]meaning {
	out := map[string]meaning{}
	for _, r := range rows {
		for phrase := range strings.SplitSeq(r.phrases, ",") {
			out[strings.Join(strings.Fields(phrase), " ")] = meaning{r.class, r.value}
		}
	}
	return out
}()

// maxPhrase is the number of words of the longest phrase.
const maxPhrase = 5

var rows = []row{
	{isStop, "", `a, an, the, this, that, these, those, my, our, your, their, his, her, its, it, i, we, you, they, me, us, them, he, she, who, which, what, where, when, there, here,
		as, at, by, into, of, off, on, onto, out, over, per, than, then, under, up, upon, via, so, if, but, too, also, just, only, very, really, quite, well, some, any, each, every, all, both, other, another,
		is, are, was, were, be, been, being, am, do, does, did, can, could, should, would, will, shall, may, might, must, need, needs, needed, want, wants, wanted, like, love, looking for, let, lets, let us, able,
		make, makes, making, made, build, builds, building, create, creates, creating, write, writes, writing, written, generate, generates, generating, give, gives, get, gets, develop, implement, design, set up, setup, provide, provides, providing, produce, help, helps, know, start,
		please, pls, plz, thanks, thank you, thx, cheers, hello, hi, hey, dear, kindly, ok, okay, i'd like, i'm, i've, it's, that's, im, id like, would like, could you, can you, asap, now, again, more, continue, proceed, go on, switch, switch to, change, change to, set, turn on, move to, migrate to, replace, apply, update it, improve,
		new, small, simple, tiny, little, basic, minimal, minimalist, nice, good, great, clean, modern, elegant, professional, fast, quick, quickly, easy, beautiful, pretty, cool, complete, full, fully, working, functional, proper, robust, reliable, lightweight, solid, personal, private, own, plain, pure, vanilla, classic, friendly, decent, real, production ready, production grade, well structured, best practices, kind, so, one, single, entire, whole, following, different, various, several, multiple, typical, usual, standard, quick and dirty, straightforward, standalone, self contained, decently, properly,
		use, uses, using, used, be used, support, supports, supporting, offer, offers, offering, allow, allows, allowing, enable, enables, keep, keeps, kept, keeping, save, saves, saving, saved, stored, data, records of, information, info, information about, etc, e g, i e, based, based on, powered by, backed by, persist, persists, persisted, read, reads, about it, for me, for us, for it, for that, for them, to me, people, everyone, someone, users can, user can, people can, one can, you can, i can, we can, lets you, lets me, that lets, it should, should be, must be, to be able to, able to, in order to, project, code, codebase, program, programme, software, solution, implementation, version, kind of, sort of, type of, way, thing, things, stuff, run, runs, running, listen, listens, listening, work, works, expose, exposes, exposing, return, returns, returning, accept, accepts, accepting, take, takes, do it, go ahead, called as, such as, for example, example, named as, the name, respectively, only the, please use, make sure, ensure, has to, have to, had, having to, through, from scratch, on top, language, programming language, framework, stack, tech stack, backend language, database called, db called, should have the following, the following, as follows, below, above, basically, preferably, ideally, maybe, perhaps, something, anything, whatever, actually, currently, idea, purpose, because, since, while, until, after, before, between, during, within, along, together, both of, of course, no problem, course, look, looks, feel, feels, display, displays, displaying, present, presents, presenting, introduce, introduces, called it, homework, client, for my client, hobby, home, weekend, side, quickstart, starter, skeleton, boilerplate, scaffold, prototype, mvp, demo, poc, sample, template, tutorial, toy, free of charge, open source, opensource, web, online, internet, cloud ready, company, business, small business, startup, team`},
	{isJoin, "", `and, or, &, plus, as well as, and also, along with, together with, and then, followed by`},
	{isDenial, "", `no, without, without any, not, don't, do not, dont, doesn't, does not, isn't, is not, never, no need for, no need for a, skip, avoid, omit, exclude, instead of, rather than, don't need, do not need, don't want, do not want, does not need, doesn't need, not need, not use, don't use, do not use, free of, get rid of, disable, turn off`},

	{isKind, kindAPI, `api, apis, rest api, restful api, rest apis, http api, json api, web api, crud api, rest service, restful service, web service, webservice, http service, http server, json service, backend, back end, backend service, backend api, microservice, micro service, service, server, rest server, api server, rest backend, api backend, rest, restful, crud, rest endpoint, rest endpoints, http endpoint, endpoint, endpoints, route, routes, crud service, crud backend, crud endpoints, web backend`},
	{isKind, kindSite, `website, web site, site, homepage, home page, landing page, landingpage, web page, webpage, page, static site, static website, static page, one page site, one pager, onepager, one page, single page, one page website, single page website, single page site, portfolio, portfolio site, portfolio website, portfolio page, web presence, html page, html site, html website, brochure site, splash page, coming soon page`},
	{isKind, kindCommand, `cli, cli tool, cli app, cli application, cli program, cli utility, command line tool, command line app, command line application, command line program, command line interface, command line utility, command line script, command line, commandline, commandline tool, terminal app, terminal program, terminal tool, terminal application, terminal, console app, console application, console program, console tool, shell tool, script, small script, utility`},
	{isContainer, "", `list, lists, collection, tracker, tracking, manager, management, management system, organizer, organiser, catalog of, catalogue of, directory, database of, planner, log, register, registry, system, keeper, app, application, tool, records, entries, entity, entities, objects, resource, resources, model, models, table, tables, list app, tracker app, manager app, data management, item list`},

	{isLanguage, langGo, `go, golang, go lang, in go, go language, net/http, go stdlib, go standard library`},
	{isLanguage, langTypeScript, `typescript, type script, ts, node, nodejs, node js, node.js, node typescript, node.js typescript, typescript node`},
	{isLanguage, langPython, `python, python3, python 3, py, pure python`},
	{isGiven, "web", `html, html5, css, css3, html css, html and css, html/css, html/css/js, static html, plain html, javascript for the page, nginx, static, responsive, mobile friendly, mobile first, mobile responsive, responsive design, works on mobile, works on phones, accessible, fast loading, header, footer, navigation, nav, navbar, navigation bar, hero, hero section, single file`},

	{isDatabase, dbSQLite, `sqlite, sqlite3, sqlite database, sqlite db, sqlite file, sqlite3 database`},
	{isDatabase, dbPostgres, `postgres, postgresql, postgres database, postgresql database, postgres db, postgresql db, psql, pg`},
	{isDatabase, dbFile, `json file, a file, file, files on disk, flat file, file storage, file database, file based, file based storage, file store, json files, text file, disk, on disk, local file, json storage, json database, json file database`},
	{isDatabase, dbNone, `memory, in memory, ram, in memory storage, in memory store, in memory database, memory only`},
	{isDatabase, dbAny, `database, databases, db, sql database, relational database, sql, persistence, persistent, persistent storage, storage, durable, survive restarts, survives restarts, survives a restart, datastore`},

	{isAuth, authToken, `auth, authentication, authenticated, authorization, authorisation, token, tokens, bearer, bearer token, bearer tokens, bearer auth, bearer authentication, token auth, token authentication, token based authentication, token based auth, api key, api keys, apikey, api key auth, api key authentication, api token, api tokens, access token, access tokens, secret token, secret key, secured, secure, secure it, protected, protect it, auth token, require auth, require authentication, require a token, requires a token, require an api key, requires an api key, require, requires, required token, protect, protects, protecting`},
	{isHeart, "sign-in by users", `jwt, jwts, jwt auth, jwt authentication, jwt tokens, json web token, json web tokens, oauth, oauth2, oauth 2, openid, openid connect, oidc, saml, ldap, sso, single sign on, passkeys, webauthn, 2fa, mfa, two factor, login, logins, log in, login system, signin, sign in, signup, sign up, sign ups, signups, registration, user registration, user accounts, accounts for users, user login, user authentication, password login, basic auth, http basic auth, sessions, session cookies, cookies, google login, google sign in, login via google, magic link, magic links`},
	{isCORS, switchOn, `cors, cross origin, cross origin requests, cors enabled, cors support`},
	{isLicense, "mit", `mit license, mit licence, mit licensed, mit, licensed under mit, mit style license`},
	{isLicense, "isc", `isc license, isc licence, isc, licensed under isc`},
	{isLicense, licenseNone, `license, licence, licensed`},
	{isDetail, "a license other than MIT and ISC", `apache license, apache 2, apache 2.0, apache 2.0 license, apache licence, gpl, gplv3, gplv2, gpl license, gpl 3, agpl, lgpl, bsd, bsd license, bsd 3, mpl, unlicense, creative commons`},
	{isPort, "", `port, ports, port number, on port, listen on, listening on, localhost`},
	{isModule, "", `module, go module, module path, module name, package name, go.mod`},
	{isNamed, "", `called, named, titled, entitled, name it, call it, name is, is called, is named, under the name, whose name is, with the name, by the name of, the name is, title it, known as`},

	{isGiven, "parts of every project", `tests, test, unit tests, unit test, tested, test suite, testing, integration tests, docker, dockerfile, docker file, docker compose, docker image, container, containers, containerized, dockerized, compose, compose file, docker compose file, ci, ci pipeline, github actions, github workflow, readme, documentation, docs, documented, makefile, health check, health checks, healthcheck, health endpoint, healthz, logging, logs, structured logging, request logging, graceful shutdown, validation, input validation, validate input, error handling, errors, error messages, json, json responses, in json, http, https ready, pagination, paging, paginated, paginate, page through, limit and offset, environment variables, env variables, env file, .env, .env file, config, configuration, configurable, crud operations, all crud operations, create read update delete, create read update and delete, list create update delete, add edit delete, add edit and delete, add list and delete, create list update delete, create list update and delete, create update delete, get post put delete, get post put and delete, delete them, update them, list them, edit them, create them, add them, crud for, rest conventions, status codes, http status codes, proper status codes, 404, 401, 404s, subcommands, help text, help, usage, help message, --help, options, arguments, flags, exit codes, gitignore, editorconfig, comments in the code, type hints, types, strict typescript, typed, stdlib, standard library, stdlib only, standard library only, dependencies, external dependencies, third party dependencies, third party libraries, third party packages, external libraries, external packages, libraries, frameworks, packages, framework free`},

	{isDetail, "filtering", `filter, filters, filtering, filter by, filterable, filtered by, query by, filtering by`},
	{isDetail, "sorting", `sort, sorting, sort by, sortable, sorted by, ordered by, order by, sorting by`},
	{isDetail, "full-text search", `full text search, search, searching, search endpoint, search by, search bar, searchable, search box, search function`},
	{isDetail, "colours and themes", `dark, dark mode, light mode, dark theme, light theme, theme, themes, color, colors, colour, colours, color scheme, colour scheme, blue, green, red, yellow, black, white, purple, pink, orange, grey, gray, brown, gold, golden, beige, teal, navy, pastel, dark blue, light blue, dark green, font, fonts, typography, palette, gradient, background, background color, background image, colorful, colourful, minimal design, dark design, style, styling, styled`},
	{isDetail, "animations", `animation, animations, animated, parallax, transitions, carousel, slider, slideshow, video background, hover effects, effects, scroll effects`},
	{isDetail, "a contact form", `contact form, form, forms, contact us form, feedback form, signup form, booking form, enquiry form, inquiry form, order form, reservation form`},
	{isDetail, "an online shop", `online shop, online store, shop system, shopping cart, cart, checkout, payment, payments, stripe, paypal, online ordering, order online, buy button, sell online`},
	{isDetail, "online booking", `online booking, booking system, book online, appointment booking, reservations online, online reservations, reservation system, book a table, appointment scheduling`},
	{isDetail, "a newsletter sign-up", `newsletter signup, newsletter sign up, newsletter subscription, mailing list, email signup, subscribe button`},
	{isDetail, "maps", `google maps, google map, embedded map, interactive map, map`},
	{isDetail, "links to social media", `social media, social media links, social links, instagram, facebook, twitter, linkedin, tiktok, youtube, instagram feed, social icons, instagram link, facebook link`},
	{isDetail, "pictures of your own", `logo, my logo, images, photos, pictures, stock photos, video, videos, icons, favicon, image gallery with lightbox, lightbox, illustrations`},
	{isDetail, "analytics and search engines", `analytics, google analytics, seo, seo optimized, seo friendly, meta tags, tracking pixel, cookie banner, cookie consent`},
	{isDetail, "more than one language", `multilingual, multi language, bilingual, i18n, internationalization, translations, translated, in two languages, language switcher`},
	{isDetail, "separate pages", `multi page, multiple pages, several pages, separate pages, subpages, sub pages, two pages, three pages, four pages, five pages`},
	{isDetail, "a content management system", `cms, content management, content management system, admin panel, admin dashboard, admin interface, admin area, admin, editable content`},
	{isDetail, "dates", `january, february, march, april, june, july, august, september, october, november, december, monday, tuesday, wednesday, thursday, friday, saturday, sunday, weekdays, weekends`},
	{isDetail, "API documentation", `swagger, openapi, open api, swagger docs, swagger ui, openapi spec, openapi documentation, api docs, api documentation, swagger documentation, postman collection, redoc`},
	{isDetail, "rate limiting", `rate limiting, rate limit, rate limits, rate limiter, throttling, throttle`},
	{isDetail, "caching", `caching, cache, cached`},
	{isDetail, "metrics and tracing", `metrics, prometheus, tracing, opentelemetry, monitoring, grafana, sentry, observability`},
	{isDetail, "roles and permissions", `roles, role based access, rbac, role based access control, permissions, user roles, admin role, access control, acl, multi tenant, multi tenancy, multitenant`},
	{isDetail, "uploads", `upload, uploads, file upload, file uploads, image upload, image uploads, upload images, upload files, attachments`},
	{isDetail, "notifications", `notifications, notification, email notifications, reminders, reminder, alerts, push notifications, sms, email alerts, webhook, webhooks`},
	{isDetail, "import and export", `import, export, csv export, csv import, export to csv, import from csv, pdf export, excel export, export to pdf, export to excel, backup, backups`},
	{isDetail, "soft deletion and history", `soft delete, soft deletion, soft deletes, audit log, audit trail, versioning, undo, history, timestamps, created_at and updated_at`},
	{isDetail, "statistics and reports", `statistics, stats, report, reports, reporting, charts, chart, graphs, dashboard, summary, monthly summary, totals, analytics dashboard`},
	{isDetail, "bulk operations", `bulk, bulk operations, bulk insert, batch operations, bulk import`},
	{isDetail, "unique values", `unique, must be unique, uniqueness, unique constraint, unique index`},
	{isDetail, "deployment", `deploy, deploy it, deploy it to, deployment, deployed, deploy to, hosting, host it, hosted, hosted on, aws, amazon web services, azure, gcp, google cloud, heroku, vercel, netlify, github pages, fly.io, digitalocean, digital ocean, cloudflare, kubernetes, k8s, helm, terraform, ansible, ec2, cloud run, on aws, to aws, serverless`},
	{isDetail, "API versions", `versioned, api versioning, api versions, v1, v2, versioned api`},
	{isDetail, "colours in the terminal", `colored output, coloured output, colorized, colourful output, progress bar, progress bars, interactive prompts, interactive menu, autocomplete, autocompletion, shell completion, tab completion`},

	{isHeart, "a framework", `react, react.js, reactjs, next, next.js, nextjs, nuxt, vue, vue.js, vuejs, angular, angularjs, svelte, sveltekit, solidjs, astro, gatsby, remix, ember, jquery, htmx, alpine.js, tailwind, tailwindcss, tailwind css, bootstrap, material ui, sass, scss, webpack, vite, express, express.js, expressjs, nest, nest.js, nestjs, fastify, koa, hono, hapi, flask, django, fastapi, fast api, tornado, bottle, sanic, starlette, pyramid, gin, gin framework, echo framework, fiber, gorilla, gorilla mux, chi, beego, cobra, click, typer, rails, ruby on rails, laravel, symfony, spring, spring boot, springboot, quarkus, micronaut, ktor, phoenix, actix, axum, rocket, asp.net, dotnet core, blazor, hugo, jekyll, eleventy, wordpress, drupal, joomla, wix, squarespace, shopify, webflow, ghost, prisma, typeorm, sequelize, drizzle, gorm, sqlalchemy, sqlmodel, pydantic, alembic, celery, streamlit, gradio, electron, tauri, qt, pyqt, tkinter, gtk, storybook, trpc, socket.io, jamstack, three.js, d3, d3.js, ent, sqlc, pandas, numpy, argparse click, textual, rich, bubbletea, bubble tea, deno, bun`},
	{isHeart, "a language", `rust, java, kotlin, scala, ruby, php, c#, csharp, c++, cpp, c, elixir, erlang, swift, objective c, haskell, perl, dart, clojure, zig, lua, ocaml, julia, r, matlab, cobol, fortran, visual basic, vb.net, .net, dotnet, f#, groovy, nim, crystal, bash, shell script, bash script, powershell, powershell script, batch file, assembly, assembler, sql script, solidity, vba, javascript, js, plain javascript, vanilla javascript, vanilla js, apex, abap, prolog, lisp, scheme, racket, gleam, pascal, delphi, awk`},
	{isHeart, "a database", `mysql, mariadb, mongodb, mongo, mongo db, redis, dynamodb, oracle, oracle database, cassandra, mssql, sql server, microsoft sql server, firebase, firestore, supabase, neo4j, elasticsearch, opensearch, cockroachdb, duckdb, couchdb, influxdb, timescaledb, planetscale, clickhouse, sap, snowflake, bigquery, vector database, pinecone, graph database, etcd, leveldb, bolt, boltdb, badger, memcached, google sheets, airtable, excel, excel file, spreadsheet, csv file storage`},
	{isHeart, "another kind of interface", `graphql, graphql api, grpc, grpc service, grpc api, soap, soap api, websocket, websockets, web socket, web sockets, server sent events, sse, real time, realtime, webrtc, mqtt, rpc, json rpc, protobuf, kafka, rabbitmq, nats, message queue, message broker, pub sub, pubsub, event driven, event sourcing, cqrs, odata, proxy, reverse proxy, api gateway, load balancer, gateway, smtp server, ftp server, dns server, tcp server, udp, vpn, file server, bittorrent`},
	{isHeart, "an app with screens", `app with a ui, web app, webapp, web application, web apps, single page app, single page application, spa, pwa, progressive web app, frontend, front end, fullstack, full stack, full stack app, fullstack app, ui, user interface, gui, gui app, web ui, web interface, web frontend, dashboard app, desktop app, desktop application, desktop, windows app, mac app, macos app, linux app, mobile app, mobile application, mobile, iphone app, iphone, ipad, ios app, ios, android app, android, phone app, smartphone app, apple watch, react native, flutter, flutter app, xamarin, ionic, swiftui, jetpack compose, tui, chat app, chat application, chat server, chatroom, chat room, messenger, social network, social media app, todo app with ui, browser extension, chrome extension, firefox extension, extension, plugin, wordpress plugin, wordpress theme, vscode extension, vs code extension, add on, addon, figma plugin, widget, browser, saas, saas app, saas platform, marketplace app, platform, portal, intranet, kiosk, screensaver`},
	{isHeart, "an online shop", `e commerce, ecommerce, web shop, webshop, e commerce site, e commerce website, ecommerce site, ecommerce website, e commerce store, ecommerce store, e shop, eshop`},
	{isHeart, "a bot", `bot, bots, discord bot, discord, telegram bot, telegram, slack bot, slack app, slack, twitter bot, whatsapp bot, whatsapp, chatbot, chat bot, trading bot, reddit bot, teams bot, voice assistant, alexa skill, alexa, siri`},
	{isHeart, "a game", `game, games engine, video game, snake game, board game, card game, tic tac toe, tetris, pong, chess game, chess engine, hangman, sudoku solver, minesweeper, platformer, rpg, unity, unreal, unreal engine, godot, pygame, roblox, minecraft, minecraft mod, minecraft plugin, mod`},
	{isHeart, "machine learning", `machine learning, machine learning model, ml, ml model, ai, artificial intelligence, deep learning, neural network, neural net, train, train a model, training a model, predict, predicts, prediction, predictions, classifier, classification, classify, classifies, recommendation engine, recommender, recommendations, llm, gpt, chatgpt, openai, claude, gemini, langchain, rag, embeddings, computer vision, image recognition, object detection, face recognition, facial recognition, sentiment analysis, nlp, natural language processing, speech recognition, text to speech, tensorflow, pytorch, keras, scikit learn, sklearn, hugging face, huggingface, ai agent, ai assistant, agent, agents, data science, jupyter notebook, jupyter, notebook server, regression, ai powered, openai api, summarize, summarizes, transcribe, transcribes`},
	{isHeart, "sending, fetching or watching", `send, sends, sending, send emails, send email, sends an email, sends emails, email sender, mail sender, mailer, newsletter sender, smtp, scrape, scrapes, scraper, scraping, web scraper, web scraping, crawler, crawl, crawls, web crawler, spider, download, downloads, downloader, youtube downloader, fetch, fetches, fetching, watch, watches, watcher, monitor, monitors, every day, every hour, every monday, every week, every minute, daily, hourly, nightly, cron, cron job, cronjob, scheduler, schedule a, scheduled, background job, background jobs, job queue, worker, workers, queue, etl, data pipeline, pipeline, streaming, stream processing, live, api client, sdk, third party api, weather api integration, integrate with, integration with, integrates with, integrations, sync with, syncs with, sync, synchronize, synchronizes, amazon, twilio, sendgrid, post to, posts memes, tweet, tweets to`},
	{isHeart, "a blockchain", `blockchain, smart contract, smart contracts, nft, nfts, ethereum, bitcoin, crypto, cryptocurrency, crypto wallet, web3, token sale, dao, dapp, defi, solana, polygon, wallet app, mining, miner`},
	{isHeart, "hardware and systems", `arduino, raspberry pi, esp32, microcontroller, firmware, embedded, embedded system, iot device, robot, drone, plc, kernel, kernel module, driver, device driver, operating system, os, compiler, interpreter, programming language compiler, virtual machine, emulator, hypervisor, antivirus, malware, keylogger, virus, ransomware, exploit, hack, ddos, packet sniffer, port scanner, macro, excel macro, google apps script, chrome plugin, library, npm package, python package, pip package, go library, crate, gem, regex engine, parser generator, spreadsheet app, presentation, slides, powerpoint, word document, pdf document, essay, poem, song lyrics, recipe for me, logo design, business plan, cover letter`},
	{isHeart, "work on media and data", `resize, resizes, resize images, resizing, convert images, image processing, image editor, video editor, video conversion, ffmpeg, watermark, thumbnails, compress, compresses, compress images, zip, unzip, encrypt, encrypts, encryption, decrypt, pdf, pdfs, merge pdfs, split pdf, ocr, qr code, qr codes, barcode, barcodes, music player, video player, media player, podcast player, calculator, calculate, calculates, unit converter, currency converter, timer, stopwatch, pomodoro, alarm clock, rename files, renames files, renaming files, rename photos, batch rename, organize files, organizes files, sort files, move files, delete files, backup files, copy files, sync files, markdown to html, html to pdf, xml to json, json to xml, yaml to json, json to yaml, excel to csv, csv to excel, xlsx, translate, translates, translator, plot, plots, plotting, solve, solves, solver, simulate, simulation, simulator, benchmark, optimize`},

	{opensThings, "", `for, manage, manages, managing, managed, track, tracks, store, stores, storing, handle, handles, handling, serve, serves, serving, keep track of, keeps track of, keeping track of, to manage, to track, to store, record, recording, organize, organizes, organise, organises, list of, lists of, collection of, collections of, catalog, catalogue, administer, administers, maintain, maintains, maintaining, working with, deal with, deals with, dealing with, cover, covers, about, there are, entities, entities are, resources are, things like, namely, crud on, crud for, crud operations for, crud operations on, endpoints for, endpoint for, an endpoint for, the endpoint for, update, updates, updating, edit, edits, editing, view, views, viewing, browse, browsing, look up, routes for, resource for, resources for, inventory of, database of`},
	{opensFields, "", `with, has, have, having, contain, contains, containing, include, includes, including, consist of, consists of, consisting of, with fields, with the fields, with following fields, with the following fields, with attributes, with the attributes, with properties, with columns, fields, field, attributes, attribute, properties, property, columns, column, sections, section, parts, should have, must have, need to have, showing, shows, show, featuring, features, made of, made up of, composed of, described by, identified by, comprising, that has, that have, which has, which have, fields are, the fields are, each with, each has, each have, where each, and their, and its, with a, with an`},
	{opensPlace, "", `in, from, near, based in, located in, out of, in the city of, in the town of, at the`},
	{isRelation, "many", `has many, have many`},
	{isRelation, "", `belongs to, belong to, belonging to, belongs to a, belongs to one, linked to, link to, linked with, related to, relates to, refer to, refers to, references, referencing, connected to, is part of, are part of, attached to, assigned to`},

	{isOperation, opCount, `count words, counts words, counting words, count lines, counts lines, counting lines, word count, word counter, words counter, line counter, line count, counts the words, counts the lines, count the words, count the lines, count characters, counts characters, count the number of words, counts the number of words, counts how many words, wc, wc clone, counts words and lines, count words and lines, counts lines and words, count lines and words, counts lines words and characters, counts words lines and characters, count words lines and characters, count lines words and characters`},
	{isOperation, opCSV, `csv to json, csv into json, csv files to json, csv files into json, csv file to json, csv file into json, csv json converter, csv to json converter, csv2json, a csv file to json, csv as json`},
	{isOperation, opJSON, `json to csv, json into csv, json files to csv, json file to csv, json files into csv, json file into csv, json to csv converter, json2csv`},
	{isOperation, opSearch, `search for text, searches for text, search text, searches text, searches for a text, search for a text, search for a word, searches for a word, searches for a string, search for a string, search a word, search a string, search a text, searches a text, search files, searches files, search in files, searches in files, searches for a pattern, search for a pattern, search for words, find text, finds text, find a text, find a word, finds a word, finds a text, find a string, finds a string, finds lines, find lines, searches for lines, text search, grep, grep clone, grep tool, simple grep, mini grep, search a keyword, searches for a keyword, search for a keyword, finds a keyword, find a keyword, looks for a word, looks for text`},
	{isOperation, opDuplicates, `duplicate files, duplicated files, file duplicates, duplicates, find duplicates, finds duplicates, find duplicate files, finds duplicate files, duplicate file finder, duplicate finder, identical files, finds identical files, find identical files, detect duplicate files, detects duplicate files, detects duplicates, finding duplicate files, lists duplicate files, list duplicate files, dedupe`},
	{isOperation, opChecksum, `checksum, checksums, sha256, sha 256, sha256 checksum, sha256 checksums, sha256 hash, sha256 hashes, hash of files, hashes of files, hash files, hashes files, file hashes, file hash, file checksums, sha256sum, computes checksums, calculate checksums, calculates checksums, compute checksums, calculate the sha256, prints the sha256, calculates the checksum, computes the checksum`},
	{isOperation, opPassword, `password generator, generate passwords, generates passwords, random passwords, random password, generate a password, generates a password, generate random passwords, generates random passwords, generates a random password, generate a random password, passwords generator, generating passwords, generating random passwords, strong passwords, secure passwords, creates random passwords, password generating`},

	{isAdding, "", `add, adds, adding, introduce, put, append, extend it with, include also, give it, give`},
	{isRemoving, "", `remove, removes, removing, drop, delete, take out, take away`},
	{isRenaming, "", `rename, rename it, rename it to, rename to, rename to:, renamed to, rename the project, rename the project to, change the name to, change its name to, change the project name to, rename the whole project to`},
	{isTo, "", `to`},
}

// commandWords are said around an operation and mean nothing beside it.
var commandWords = phraseSet(`files, file, a file, text files, text file, texts, text, folder, folders, directory, directories, in files, in a file, in a folder, in a directory, given, given file, current, path, paths, convert, converts, converting, conversion, converter, find, finds, finding, search, searches, count, counts, counting, compute, computes, print, prints, printing, output, outputs, outputting, from stdin, stdin, stdout, standard input, input, lines, words, characters, word, line, string, pattern, recursively, recursive, the number of, number, inside, random, secure, strong, length, with a given length, contents, content, csv, json, from the command line, on the command line, tool, utility, one or more, list, lists, same, show, shows, detect, detects, to, from, in, with, for, has, have, about, record, log, report, reports, calculate, calculates, generate, generator, password, passwords, keyword, search for, arguments, argument`)

// ambiguous are words of the vocabulary that are also names of things and of
// fields: where a name is expected, that is what they are.
var ambiguous = phraseSet(`make, web, change, language, port, license, file, files, page, pages, service, services, site, platform, tool, tools, version, image, images, photo, photos, picture, pictures, video, videos, map, maps, model, models, color, colour, theme, style, game, games, link, report, reports, payment, payments, role, roles, reminder, reminders, notification, notifications, record, records, entry, entries, list, summary, history, client, clients, team, teams, project, projects, company, companies, business, collection, directory, system, resource, order, timer, timers, robot, robots, drone, drones, driver, drivers, agent, agents, worker, workers, plot, plots, prediction, predictions, recommendation, recommendations, attachment, attachments, upload, uploads, comment, comments, statistics, purpose, example, type, category, features, feature, tracking, library, script, scripts, song, poem, poems, slides, presentation, presentations, program, programs, home, homes, form, forms, background, cart, carts, logo, route, routes, server, servers, bot, bots, slot, class, code, information, idea, ideas, thing, things, work, works, start, end, need, design, full, free, side, unique, alert, alerts, backup, backups, session, sessions, registration, registrations, gateway, proxy, widget, widgets, plugin, plugins, extension, extensions, wallet, wallets, macro, batch, stack, template, templates, sample, samples, demo, release, releases, module, modules, package, packages, framework, frameworks, black, white, red, green, blue, gold, brown, orange, chess game, calculator, token count, job, jobs, portal, track, tracks, catalog, title, mobile, os, driver license, browser, download, downloads, monitor, monitors, watch, watches, terminal, terminals, utility, dashboard, chart, charts, graph, graphs, classification, action, actions, tweet, tweets, live, message, messages, mod, spring, rocket, ghost, rich, click, echo, bottle, bolt, crystal, scheme, ember, rails, remix, solution, solutions, store, stores, cover, station`)

// foreignWords are little words of other languages that English does not have.
var foreignWords = phraseSet(`eine, einen, einer, ein, der, und, für, mit, meine, meinen, mein, ist, ich, bitte, das, zum, zur, oder, auf, mir, über, eines, möchte, brauche, erstelle, une, le, les, des, pour, avec, et, mon, ma, du, je, en, un, dans, qui, sur, moi, crée, créer, est, una, el, los, las, para, con, y, mi, que, del, de, por, quiero, crear, necesito, il, gli, per, che, di, della, voglio, crea, um, uma, com, os, um, meu, minha, quero, criar, een, het, voor, met, van, mijn, maak, ik, wil, och, för, att, med, ett, som, jest, dla, proszę, och, jag, vill, ve, için, bir, og, til, jeg`)

// typos are words that are too often misspelt to be refused for it.
var typos = strings.Fields(`python typescript javascript golang backend website homepage postgres postgresql sqlite database authentication microservice portfolio pagination`)

func phraseSet(list string) map[string]bool {
	out := map[string]bool{}
	for phrase := range strings.SplitSeq(list, ",") {
		out[strings.Join(strings.Fields(phrase), " ")] = true
	}
	return out
}
